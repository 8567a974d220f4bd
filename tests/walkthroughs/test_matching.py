"""Conditions of breakpoints and searches depend only on what the engine says about steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.refusals import Problem
from eosviz.walkthroughs import actions, matching, questions
from eosviz.walkthroughs.conditions import (
    AnyCondition,
    OnBroken,
    OnError,
    OnInteresting,
    OnKind,
    OnRule,
    OnState,
    OnSubject,
    OnText,
)
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import STEPS_PER_TRANSACTION, encode_step
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Session
from tests.walkthroughs.conftest import carry_out, message, numbers, root

Json = dict[str, Any]


def run_of(scenario: str, count: int = 2_000) -> list[tuple[Json, bytes]]:
    simulation = Simulation(entry(scenario).scenario())
    made: list[tuple[Json, bytes]] = []
    while len(made) < count and (step := simulation.step()) is not None:
        made.append((step.to_json(), encode_step(step)))
    return made


TRANSACTIONS = run_of("SC-44", 400)
LOST_ANSWER = run_of("SC-03")


def where(run: list[tuple[Json, bytes]], condition: AnyCondition) -> list[int]:
    return [step["number"] for step, body in run if matching.holding(body, [condition])]


def test_a_kind_is_the_steps_own() -> None:
    expected = [step["number"] for step, _ in LOST_ANSWER if step["kind"] == "timer"]
    assert where(LOST_ANSWER, OnKind("timer")) == expected != []


def test_interesting_is_the_engines_word() -> None:
    expected = [step["number"] for step, _ in LOST_ANSWER if step["interesting"]]
    assert where(LOST_ANSWER, OnInteresting()) == expected != []


def test_a_state_is_found_even_when_another_machine_moved_later_in_the_step() -> None:
    done = where(TRANSACTIONS, OnState("marker_states", "Done"))
    complete = where(TRANSACTIONS, OnState("transaction_states", "CompleteCommit"))
    assert set(done) & set(complete)
    assert where(TRANSACTIONS, OnState("transaction_states", "CompleteCommit", "txn-1")) == complete
    assert where(TRANSACTIONS, OnState("transaction_states", "CompleteCommit", "txn-9")) == []


def test_a_batch_enters_its_states_by_its_changes() -> None:
    in_flight = where(LOST_ANSWER, OnState("producer_batch", "IN_FLIGHT"))
    requeued = where(LOST_ANSWER, OnState("producer_batch", "REQUEUED"))
    assert in_flight and requeued
    assert in_flight[0] < requeued[0] < in_flight[-1]


def test_an_error_is_found_where_it_is_answered_and_where_it_arrives() -> None:
    run = run_of("SC-05")
    errors = {error for _, body in run for error in matching.Facts(body).errors}
    assert errors
    for error in errors:
        assert set(where(run, OnError(error))) <= set(where(run, OnError()))
    assert where(run, OnError("BROKER_NOT_AVAILABLE")) == []


def test_a_subject_is_named_by_the_sentence_the_messages_or_the_changes() -> None:
    about = where(LOST_ANSWER, OnSubject("partition", "t-0"))
    assert about
    assert where(LOST_ANSWER, OnSubject("partition", "t-77")) == []
    by_broker = where(LOST_ANSWER, OnSubject("actor", "broker-1"))
    own = [step["number"] for step, _ in LOST_ANSWER if step["actor"] == "broker-1"]
    assert set(own) <= set(by_broker)
    assert set(by_broker) - set(own), "a message that leaves for a broker is about it, too"
    with_message = where(LOST_ANSWER, OnSubject("message", "1"))
    expected = [s["number"] for s, _ in LOST_ANSWER if any(fate["id"] == 1 for fate in s["messages"])]
    assert with_message == expected != []


def test_what_a_reader_has_ahead_does_not_make_a_step_about_it() -> None:
    appended = [
        (step, body)
        for step, body in LOST_ANSWER
        if step["actor"].startswith("broker") and any(c["path"][:1] == ["consumers"] for c in step["changes"])
    ]
    assert appended
    for step, body in appended:
        if "c1" not in str(step["params"]) and not any(
            "c1" in (m["from"], m["to"]) for m in matching.Facts(body).messages
        ):
            assert not matching.holding(body, [OnSubject("actor", "c1")])


def test_a_rule_is_found_by_its_id_and_by_its_group() -> None:
    one = where(LOST_ANSWER, OnRule("SEQ-11"))
    assert one
    assert set(one) <= set(where(LOST_ANSWER, OnRule("SEQ")))
    assert where(LOST_ANSWER, OnRule("SEQ-1")) != where(LOST_ANSWER, OnRule("SEQ-11"))


@pytest.mark.parametrize(
    ("text", "language"),
    [("as a duplicate", "en"), ("DUPLICATE  Broker", "en"), ("视为重复 不追加", "zh-Hans")],
)
def test_every_word_must_stand_in_what_the_step_says(text: str, language: Any) -> None:
    found = where(LOST_ANSWER, OnText(text, language))
    assert 0 < len(found) < len(LOST_ANSWER)


def test_a_broken_guarantee_is_found_by_name() -> None:
    run = run_of("SC-06")
    broken = [(step["number"], entry["guarantee"]) for step, _ in run for entry in step["broken"]]
    for name in matching.guarantees():
        assert where(run, OnBroken(name)) == sorted({number for number, of in broken if of == name})
    assert where(run, OnBroken()) == sorted({number for number, _ in broken})


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        (OnBroken("happiness"), "guarantee"),
        (OnError("OOPS"), "error"),
        (OnState("coffee", "READY"), "machine"),
        (OnState("transaction_states", "READY"), "state"),
        (OnRule("SEQ-999"), "rule"),
    ],
)
def test_a_name_that_no_step_can_have_is_refused(condition: AnyCondition, field: str) -> None:
    with pytest.raises(Problem) as caught:
        matching.check([OnInteresting(), condition], "conditions")
    assert caught.value.params["field"] == f"conditions[1].{field}"
    assert caught.value.params["allowed"]


def test_every_name_that_is_offered_is_taken() -> None:
    known = matching.choices()
    matching.check([OnBroken(name) for name in known["guarantees"]], "")
    matching.check([OnError(name) for name in known["errors"]], "")
    matching.check([OnRule(name) for name in known["rule_groups"]], "")
    states = [OnState(machine, state) for machine, names in known["machines"].items() for state in names]
    matching.check(states, "")
    assert len(states) > 60


OF_ZOOKEEPER, OF_QUORUM = (
    {"producer_id_block"},
    {"broker_lifecycle", "broker_registration", "producer_id_allocation"},
)


@pytest.mark.parametrize(
    ("version", "quorum"), [("2.0", False), ("2.8", False), ("3.9", True), ("4.1", True)]
)
def test_a_run_is_offered_what_its_cluster_has(version: str, quorum: bool) -> None:
    known = matching.choices_in(version, ["2.8", "4.1"])
    assert ("zookeeper" in known["kinds"]) != quorum
    assert (known["machines"].keys() >= OF_QUORUM, bool(OF_ZOOKEEPER & known["machines"].keys())) == (
        quorum,
        not quorum,
    )
    assert ("TRANSACTION_ABORTABLE" in known["errors"]) == quorum
    assert known["machines"]["transaction_states"] == matching.choices()["machines"]["transaction_states"]
    offered = [OnState(machine, state) for machine, states in known["machines"].items() for state in states]
    matching.check([*map(OnError, known["errors"]), *offered], "")


def test_a_version_that_is_not_known_is_offered_everything() -> None:
    assert matching.choices_in("", []) == matching.choices_in("9.9", ["2.8"]) == matching.choices()


class TestRunUntilBreakpoint:
    def test_it_stops_at_the_first_step_where_a_condition_holds(self, session: Session) -> None:
        conditions = [{"on": "rule", "rule": "SEQ-11"}, {"on": "broken"}]
        answer = self.run(session, 0, conditions)
        assert (answer.stopped, answer.reached) == ("breakpoint", where(LOST_ANSWER, OnRule("SEQ-11"))[0])
        assert answer.hits == [0]
        assert numbers(root(session))[-1] == answer.reached, "nothing was made beyond it"

    def test_stored_steps_are_looked_at_first(self, session: Session) -> None:
        carry_out(session, "advance", root(session), after=0, count=90)
        timers = where(LOST_ANSWER, OnKind("timer"))
        answer = self.run(session, timers[0], [{"on": "kind", "kind": "timer"}])
        assert (answer.stopped, answer.reached, answer.newest) == ("breakpoint", timers[1], 90)

    def test_the_end_and_the_limit_are_reported(
        self, session: Session, start: Callable[..., Session]
    ) -> None:
        never = [{"on": "subject", "kind": "actor", "id": "nobody"}]
        assert self.run(start(), 0, never, limit=7).stopped == "limit"
        answer = self.run(session, 0, never)
        assert (answer.stopped, answer.hits) == ("end", [])

    def test_far_ones_are_found_over_several_transactions(self, long_session: Session) -> None:
        answer = self.run(long_session, 0, [{"on": "text", "text": "1000", "language": "en"}])
        assert answer.stopped == "breakpoint"
        assert answer.reached > STEPS_PER_TRANSACTION

    def run(self, session: Session, after: int, conditions: list[Json], **fields: Any) -> Done:
        answer = carry_out(
            session,
            "run_until",
            root(session),
            after=after,
            until="breakpoint",
            conditions=conditions,
            **fields,
        )
        assert isinstance(answer, Done), answer
        return answer


class TestSearch:
    def ask(self, session: Session, branch: Branch, **fields: Any) -> Any:
        asked = message("search", branch, **{"from": 1, "to": LIMITS.search_steps, **fields})
        return questions.found_steps(session.id, asked)  # type: ignore[arg-type]

    def test_all_conditions_must_hold_or_any(self, session: Session) -> None:
        carry_out(session, "run_until", root(session), after=0, until="end")
        both = [{"on": "kind", "kind": "delivery"}, {"on": "subject", "kind": "partition", "id": "t-0"}]
        deliveries = set(where(LOST_ANSWER, OnKind("delivery")))
        about = set(where(LOST_ANSWER, OnSubject("partition", "t-0")))
        assert self.ask(session, root(session), conditions=both).numbers == sorted(deliveries & about)
        assert self.ask(session, root(session), conditions=both, any=True).numbers == sorted(
            deliveries | about
        )

    def test_the_line_of_a_branch_is_searched_through_its_parents(self, session: Session) -> None:
        carry_out(session, "advance", root(session), after=0, count=40)
        made = carry_out(session, "branch", root(session), at=20)
        child = Branch.objects.get(id=int(made.created or 0))  # type: ignore[union-attr]
        carry_out(session, "advance", child, after=20, count=5)
        child.refresh_from_db()
        found = self.ask(session, child, conditions=[{"on": "text", "text": " ", "language": "en"}])
        assert found.numbers == list(range(1, 26))

    def test_sentences_are_bounded_and_numbers_are_not(self, long_session: Session) -> None:
        carry_out(long_session, "run_until", root(long_session), after=0, until="end", limit=600)
        branch = root(long_session)
        found = self.ask(long_session, branch, conditions=[{"on": "text", "text": " ", "language": "en"}])
        assert len(found.numbers) == branch.newest > LIMITS.search_hits == len(found.hits)
        assert found.hits[0].number == 1
        assert found.hits[0].key
        assert (found.first, found.last, found.newest) == (1, branch.newest, branch.newest)

    def test_a_branch_of_another_person_is_not_found(self, start: Callable[..., Session]) -> None:
        mine, other = start(), start()
        with pytest.raises(Problem):
            self.ask(mine, root(other), conditions=[{"on": "interesting"}])


def test_a_renamed_branch_keeps_its_name_and_only_in_its_session(start: Callable[..., Session]) -> None:
    mine, other = start(), start()
    assert actions.rename(mine.id, str(root(mine).id), "  the lost answer ") == "the lost answer"
    assert root(mine).name == "the lost answer"
    with pytest.raises(Problem):
        actions.rename(mine.id, str(root(other).id), "theirs")
    assert root(other).name == "a"


def test_conditions_are_read_strictly() -> None:
    assert msgspec.json.decode(b'{"on":"state","machine":"m","state":"s"}', type=AnyCondition) == OnState(
        "m", "s"
    )
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"on":"state","machine":"m","state":"s","else":1}', type=AnyCondition)
