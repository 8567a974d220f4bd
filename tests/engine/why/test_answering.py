"""One sentence of a chain answers its question; a page shows this sentence first."""

from __future__ import annotations

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from engine.why.links import Link
from engine.why.moment import Moment
from tests.engine.why.test_what_a_step_is_about import first_answer, stopped_at

STORES, FENCES = "broker.appended_and_waits", "coordinator.fences_open_transaction"
ANSWERS = [
    ("SC-03", STORES, 1, "stored.first", {"producer_id": 0, "first_sequence": 0}),
    ("SC-03", STORES, 3, "stored.next", {"last_sequence": 1, "first_sequence": 2}),
    ("SC-61/k28", STORES, 2, "stored.new_epoch", {"producer_epoch": 2, "stored_epoch": 1}),
    ("SC-01", "broker.appended_plain_unanswered", 1, "stored.no_number", {}),
    ("SC-61/k28", "broker.marker_appended_and_waits", 1, FENCES, {"transactional_id": "txn-1"}),
    ("SC-61/k28", FENCES, 1, "fence.behind", {"client": "p1", "own_epoch": 0, "producer_epoch": 1}),
    ("SC-61/k28", "broker.stale_epoch_refused", 1, "broker.stale_epoch_refused", {}),
    ("SC-03", "broker.duplicate_found", 1, "again.same_numbers", {"offset": 40}),
    ("SC-03", "fault.answer_dropped", 1, "gone.answer", {"client": "p1"}),
    ("SC-01", "lost", 1, "fault.message_dropped", {}),
    ("SC-02", "duplicated", 1, "twice.no_number", {}),
    ("SC-75/timeout", "coordinator.transaction_timed_out", 1, "timeout.clock", {}),
]


def answering(chain: tuple[Link, ...]) -> Link:
    (one,) = [link for link in chain if link.answers]
    return one


@pytest.mark.parametrize(("name", "what", "time", "key", "params"), ANSWERS)
def test_one_sentence_answers(name: str, what: str, time: int, key: str, params: dict[str, object]) -> None:
    _, _, chain = first_answer(stopped_at(name, what, time))
    answer = answering(chain)
    assert answer.key.removeprefix("why.") == key
    assert params.items() <= answer.params.items()


def test_a_producer_that_is_unknown_may_begin_with_any_sequence_number() -> None:
    """The first request is dropped, so the second arrives at a leader that does not know its producer (SEQ-15)."""
    simulation = stopped_at("SC-03", "client.sent")
    sent = Moment.of(simulation).step
    assert sent is not None
    simulation.intervene({"action": "drop_message", "message": sent["messages"][0]["id"]})
    while (step := simulation.step()) is not None and (step.key, step.params.get("partition")) != (
        STORES,
        "t-0",
    ):
        pass
    answer = answering(first_answer(simulation)[2])
    assert (answer.key, answer.params["first_sequence"]) == ("why.stored.any_first", 1)


def test_an_id_without_an_older_client_fences_none() -> None:
    simulation = stopped_at("SC-44/k28", "client.transactional_id_ready")
    answer = answering(why(simulation, "fenced", "txn-1"))
    assert answer.key == "why.fence.nobody_behind"


def test_a_producer_that_repeats_its_own_request_is_not_called_fenced() -> None:
    """The response that gave p1 its new epoch was lost, so p1 repeats InitProducerId with the old one."""
    answer = answering(
        why(stopped_at("SC-132/same-coordinator", "coordinator.epoch_raised", 3), "fenced", "txn-1")
    )
    assert (answer.key, answer.params["own_epoch"]) == ("why.fence.asks", 0)


def test_a_state_is_answered_by_its_reason_and_said_with_its_time() -> None:
    """The state of the coordinator comes before that of its markers, although the markers changed state later."""
    chain = why(stopped_at("SC-44/k28", "markers.sent"), "state", "txn-1")
    assert answering(chain).key == "coordinator.decides_commit"
    assert (chain[0].key, chain[0].params["state"]) == ("why.coordinator.in_force", "PrepareCommit")
    (since,) = [link for link in chain if link.key == "why.state.since"]
    marker = {"key": "clause.marker_of", "params": {"transactional_id": "txn-1"}}
    assert (since.params["of"], since.params["target"]) == (marker, "InFlight")
    assert marker in [link.params["of"] for link in chain if link.key == "why.state.ways_out"]


def test_a_state_that_is_entered_once_more_says_so() -> None:
    chain = why(stopped_at("SC-44/k28", "coordinator.epoch_raised"), "state", "txn-1")
    assert [link.key for link in chain[:2]] == ["why.coordinator.in_force", "why.coordinator.stayed"]
    assert answering(chain) is chain[2]
    marker = why(stopped_at("SC-58/unexpected", "markers.unexpected_answer"), "state", "txn-1")
    assert "why.state.stayed" in [link.key for link in marker]


def test_a_state_is_in_force_since_its_record_is_durable() -> None:
    """A state begins when its record is durable, not at the step whose request leads to it. A coordinator that loads
    the state does not change this.
    """
    run = Simulation(entry("SC-54").scenario())
    state, since, loaded = "", 0, False
    while (step := run.step()) is not None:
        durable = [note for note in step.notes if note["key"] == "coordinator.image_durable"]
        for note in durable:
            if note["params"]["state"] != state:
                state, since = note["params"]["state"], step.number
        loaded = loaded or "coordinator.loaded" in (step.key, *(note["key"] for note in step.notes))
        if state not in ("", "Empty") and Moment.of(run).entry_of("txn-1") is not None:
            said = why(run, "state", "txn-1")[0]
            assert (said.key, said.params["state"], said.step) == ("why.coordinator.in_force", state, since)
    assert (state, loaded) == ("CompleteCommit", True)


def test_a_state_that_is_being_written_is_said_beside_the_one_in_force() -> None:
    chain = why(stopped_at("SC-44/k28", "coordinator.decides_commit"), "state", "txn-1")
    by_key = {link.key.removeprefix("why."): link for link in chain}
    assert by_key["coordinator.in_force"].params["state"] == "Ongoing"
    assert by_key["coordinator.since"].params["target"] == "PrepareCommit"
    writes = by_key["coordinator.writes"].params
    assert (writes["state"], writes["pending_state"]) == ("Ongoing", "PrepareCommit")
