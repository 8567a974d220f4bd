"""Every state with every event, for both state machines of the producer; and the tables of reactions to errors."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.client import batch_states as batches
from engine.client import client_states, produce_reactions
from engine.client.batch import Batch
from engine.client.configuration import resolve
from engine.client.partition_sequences import PartitionSequences
from engine.client.produce_reactions import Answer
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.errors import EngineError, Error
from engine.explain.sentences import catalogue
from engine.happenings.batches import AfterFailure, Because, Question
from engine.machine import Machine
from engine.profile import Profile
from engine.profiles import K20, K28
from engine.recording import Recorded
from engine.switches import Switches
from engine.telling.batches import question_key
from engine.telling.rows import row_key
from engine.watching import Watch
from tests.engine.broker.watched import NoJudges

# TXM-4, written here a second time from the specification: from, event, to.
LEGAL = {
    ("UNINITIALIZED", "init_transactions", "INITIALIZING"),
    ("UNINITIALIZED", "need_producer_id", "INITIALIZING"),
    ("ABORTING_TRANSACTION", "init_transactions", "INITIALIZING"),
    ("INITIALIZING", "init_producer_id_none", "READY"),
    ("INITIALIZING", "end_txn_none", "READY"),
    ("ABORTING_TRANSACTION", "init_producer_id_none", "READY"),
    ("COMMITTING_TRANSACTION", "init_producer_id_none", "READY"),
    ("READY", "begin", "IN_TRANSACTION"),
    ("IN_TRANSACTION", "commit", "COMMITTING_TRANSACTION"),
    ("IN_TRANSACTION", "abort", "ABORTING_TRANSACTION"),
    ("ABORTABLE_ERROR", "abort", "ABORTING_TRANSACTION"),
    ("COMMITTING_TRANSACTION", "end_txn_none", "READY"),
    ("ABORTING_TRANSACTION", "end_txn_none", "READY"),
    ("IN_TRANSACTION", "abortable_failure", "ABORTABLE_ERROR"),
    ("COMMITTING_TRANSACTION", "abortable_failure", "ABORTABLE_ERROR"),
    ("ABORTABLE_ERROR", "abortable_failure", "ABORTABLE_ERROR"),
    ("ABORTING_TRANSACTION", "abortable_failure", "ABORTING_TRANSACTION"),
    ("READY", "epoch_exhausted", "UNINITIALIZED"),
    ("ABORTABLE_ERROR", "identity_denied", "UNINITIALIZED"),
} | {(state, "fatal_failure", "FATAL_ERROR") for state in client_states.STATES}


CALLS = ("init_transactions", "begin", "commit", "abort")
REFUSED = {
    *product(client_states.STATES, CALLS),
    ("READY", "init_producer_id_none"),
    ("READY", "need_producer_id"),
    ("INITIALIZING", "abortable_failure"),
    ("READY", "abortable_failure"),
    ("UNINITIALIZED", "abortable_failure"),  # A record whose send() threw before initTransactions() expires.
    ("ABORTABLE_ERROR", "end_txn_none"),
    # A batch failed for good, and then a transactional request was refused.
    ("FATAL_ERROR", "abortable_failure"),
}


def manager(
    state: str, profile: Profile = K28, watch: Watch | None = None, **settings: Any
) -> TransactionManager:
    config = resolve({"enable_idempotence": True, **settings}, profile, Switches())
    made = TransactionManager("p1", config, profile, Switches(), watch or Watch())
    made.state = state
    return made


@pytest.mark.parametrize(("state", "event"), product(client_states.STATES, client_states.EVENTS))
def test_client_states(state: str, event: str) -> None:
    made = manager(state)
    targets = {target for source, on, target in LEGAL if (source, on) == (state, event)}
    if targets:
        made.transition(event)
        assert {made.state} == targets
    else:
        # A call is refused with its reason. An event that no call causes is an error of the engine.
        with pytest.raises(IllegalTransition if (state, event) in REFUSED else EngineError):
            made.transition(event)
        assert made.state == state


def test_an_abort_with_a_required_bump_asks_for_the_id_again() -> None:
    made = manager("ABORTING_TRANSACTION")
    made.bump_required = True
    made.transition("end_txn_none")
    assert made.state == "INITIALIZING"


def test_a_commit_cannot_ask_for_the_id_again() -> None:
    made = manager("COMMITTING_TRANSACTION")
    made.bump_required = True
    with pytest.raises(IllegalTransition):
        made.transition("end_txn_none")
    assert made.state == "COMMITTING_TRANSACTION"


def make_batch(state: str) -> Batch:
    made = Batch("b1", "t-0", 16_384, 0, "p1", Watch())
    made.try_append(1, 104, 0)
    made.state = state
    return made


MOVES = {
    ("FILLING", "close"): "QUEUED",
    ("QUEUED", "drain"): "IN_FLIGHT",
    ("REQUEUED", "drain"): "IN_FLIGHT",
    ("IN_FLIGHT", "requeue"): "REQUEUED",
    ("IN_FLIGHT", "acknowledge"): "ACKED",
    ("IN_FLIGHT", "fail"): "FAILED",
    **{(state, "expire"): "EXPIRED" for state in ("FILLING", "QUEUED", "IN_FLIGHT", "REQUEUED")},
    **{(state, "abort"): "ABORTED" for state in ("FILLING", "QUEUED", "IN_FLIGHT", "REQUEUED")},
}


@pytest.mark.parametrize(("state", "event"), product(batches.LIVE + batches.OVER, batches.EVENTS))
def test_batch_states(state: str, event: str) -> None:
    made = make_batch(state)
    if (state, event) in MOVES:
        made.move(event)
        assert made.state == MOVES[(state, event)]
    else:
        with pytest.raises(EngineError):
            made.move(event)
        assert made.state == state


@pytest.mark.parametrize(
    "machine", [client_states.MACHINE, batches.MACHINE], ids=lambda machine: machine.name
)
def test_every_row_has_its_sentence(machine: Machine[Any]) -> None:
    known = catalogue()
    assert [row.why for row in machine.rows if row_key(row) not in known] == []


def test_every_decision_has_its_sentence() -> None:
    known = catalogue()
    keys: list[str] = []
    for rows in produce_reactions.DECISIONS.values():
        keys += [key for row in rows for key in (f"client.sequence_{row.because.value}", question_key(row))]
    assert [key for key in keys if key not in known] == []


def test_a_question_counts_as_denied_only_when_its_answer_is_no() -> None:
    """A producer of 2.0 has no row that raises the epoch, but the sequence number is the next one here, so there is
    no gap.
    """
    batch, entry = Batch("b1", "t-0", 1000, 0, "p1", Watch()), PartitionSequences("t-0", "p1", Watch())
    batch.set_identity(7, 0, 0, False)
    of_2_0 = produce_reactions.Answer(batch, entry, 3, transactional=False, raises_epoch=False)

    def denied(table: str) -> tuple[Question, ...]:
        return produce_reactions.denied(table, produce_reactions.decide(table, of_2_0), of_2_0)

    assert Question.GAP not in denied("out_of_order")
    assert denied("unknown_producer") == (Question.LOG_START_UNKNOWN, Question.RESEQUENCED)


@pytest.mark.parametrize(
    ("watch", "denied"),
    [(Watch(), ()), (Recorded(NoJudges()), (Question.LOG_START_UNKNOWN, Question.RESEQUENCED))],
    ids=["bare", "recorded"],
)
def test_denied_questions_are_listed_only_for_a_watch_that_reads_them(
    watch: Watch, denied: tuple[Question, ...]
) -> None:
    made = manager("READY", watch=watch)
    batch = Batch("b1", "t-0", 1000, 0, "p1", watch)
    batch.set_identity(7, 0, 0, False)
    reaction = made.can_retry(batch, Error.UNKNOWN_PRODUCER_ID, 3)
    assert reaction == (True, Because.HISTORY_DELETED_BUMPS, denied)


def test_every_error_of_the_catalogue_has_one_reaction() -> None:
    rows = [row.error for row in produce_reactions.REACTIONS if row.error is not None]
    assert len(rows) == len(set(rows))
    retried = {row.error for row in produce_reactions.REACTIONS if row.does == "retry"}
    # Appendix A marks the retriable errors of Produce; COORDINATOR_LOAD_IN_PROGRESS is one of them in Kafka.
    assert retried == {error for error in Error if error.retriable}


Given = tuple[bool, int | None, int, int, int]
"""Whether the batch was resequenced; the partition's unresolved sequence; the batch's base sequence; the last
acknowledged sequence; the start of the log.
"""


def answer(
    resequenced: bool,
    unresolved: int | None,
    base: int,
    last_acked: int,
    log_start: int,
    transactional: bool,
    bump: bool,
) -> Answer:
    entry = PartitionSequences("t-0", "p1", Watch())
    entry.last_acked_sequence = last_acked
    entry.last_acked_offset = last_acked
    entry.unresolved = unresolved
    made = make_batch("IN_FLIGHT")
    made.base_sequence = base
    made.resequenced = resequenced
    return produce_reactions.Answer(made, entry, log_start, transactional, bump)


# SND-11 and SND-12 in the specification's words, for (resequenced, unresolved, base, last acknowledged, log start).
@pytest.mark.parametrize(
    ("given", "k28", "k28_transactional", "k20"),
    [
        ((False, None, 7, 4, 0), "retry", "retry", "retry"),
        ((True, None, 5, 4, 0), "retry", "retry", "retry"),
        ((False, None, 5, 4, 0), "bump_and_retry", "fail", "fail"),
        ((False, 5, 5, 4, 0), "bump_and_retry", "fail", "fail"),
        ((False, 6, 5, 4, 0), "retry", "fail", "fail"),
    ],
)
def test_out_of_order(given: Given, k28: str, k28_transactional: str, k20: str) -> None:
    decide = produce_reactions.decide
    assert decide("out_of_order", answer(*given, False, True)).does == k28
    assert decide("out_of_order", answer(*given, True, True)).does == k28_transactional
    assert decide("out_of_order", answer(*given, False, False)).does == k20


@pytest.mark.parametrize(
    ("given", "k28", "k28_transactional", "k20"),
    [
        ((False, None, 5, 4, -1), "retry", "retry", "retry"),
        ((True, None, 5, 4, 9), "retry", "retry", "retry"),
        ((False, None, 5, 4, 9), "bump_and_retry", "restart_and_retry", "restart_and_retry"),
        ((False, None, 5, 4, 0), "bump_and_retry", "fail", "fail"),
    ],
)
def test_unknown_producer(given: Given, k28: str, k28_transactional: str, k20: str) -> None:
    decide = produce_reactions.decide
    assert decide("unknown_producer", answer(*given, False, True)).does == k28
    assert decide("unknown_producer", answer(*given, True, True)).does == k28_transactional
    assert decide("unknown_producer", answer(*given, False, False)).does == k20


def test_a_written_batch_keeps_its_identity() -> None:
    made = make_batch("FILLING")
    made.set_identity(7, 0, 3, False)
    made.drain(5)
    with pytest.raises(EngineError, match="could store it twice"):
        made.set_identity(7, 0, 9, False)
    made.renumber(7, 1, 0)
    assert (made.base_sequence, made.producer_epoch, made.resequenced) == (0, 1, True)


def test_k20_drops_everything_numbered_under_the_old_id() -> None:
    made = manager("UNINITIALIZED", K20)
    made.identity_received(7, 0)
    assert made.state == "UNINITIALIZED"
    first = make_batch("FILLING")
    made.assign(first)
    first.drain(0)
    assert made.failed(first, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, True) is AfterFailure.IDENTITY_RESET
    assert (made.has_producer_id, made.partitions) == (False, {})
