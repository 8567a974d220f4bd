"""The first answer is about the step itself: why a record is lost there, refused, stored twice, hidden, or a producer
fenced.

A row names a run, the step to stop at (by its kind, or by the guarantee that breaks in it), the question that must
come first, and the sentences that its answer must have, in their order.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.explain.sentences import LANGUAGES, catalogue, sentence
from engine.lately import RECORDS_MAX, TURNS_MAX, Lately, Said, Turn
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import QUESTIONS, why
from engine.why.links import Link, NotAsked
from engine.why.moment import Moment
from engine.why.offering import questions_about
from engine.why.records import _let_in

Json = dict[str, Any]


def stopped_at(name: str, what: str, time: int = 1) -> Simulation:
    """Return the run, stopped after the ``time``-th step whose key is ``what`` or that breaks the guarantee
    ``what``.
    """
    scenario, _, variant = name.partition("/")
    simulation = Simulation(entry(scenario).scenario(variant or None))
    while (step := simulation.step()) is not None:
        if what == step.key or what in [one["guarantee"] for one in step.broken]:
            time -= 1
            if time == 0:
                return simulation
    raise AssertionError(f"{name} has no step {what}")


def first_answer(simulation: Simulation) -> tuple[str, str, tuple[Link, ...]]:
    moment = Moment.of(simulation)
    first = questions_about(moment, None)[0]
    return first.question, first.subject, why(moment, first.question, first.subject)


LOST, DUPLICATED = "fault.answer_dropped", "duplicated"
ABOUT = [
    # First steps: acks=0, and the network loses the only copy.
    ("SC-01", "lost", "lost", "2",
        ["lost.record", "reported.acks_none", "fault.message_dropped", "lost.not_sent_again"]),
    ("SC-40/acks-one", "lost", "lost", "1",
        ["lost.record", "broker.appended_plain", "reported.acks_one", "fault.crashed", "lost.only_on_old_leader",
         "lost.leader_alone"]),
    ("SC-78/given-up-but-stored", "lost", "lost", "2",
        ["lost.record", "broker.duplicate_found", "reported.acks_all", "lost.mistaken"]),
    # The response is lost: the record is stored twice without sequence numbers, and recognised with them.
    ("SC-02", DUPLICATED, "twice", "1",
        ["twice.record", "broker.appended_plain_and_waits", LOST, "client.sent", "broker.appended_plain_and_waits",
         "twice.no_number"]),
    ("SC-04", DUPLICATED, "twice", "1", ["twice.record", LOST, "client.record_starts_batch", "twice.other_identity"]),
    ("SC-08/k28", DUPLICATED, "twice", "2", ["twice.record", "twice.no_number"]),
    # The only replica restarts, remembers one of three batches, and refuses a repeated one: the producer raises its
    # epoch.
    ("SC-152/restart", DUPLICATED, "twice", "2",
        ["twice.record", "broker.appended", "broker.log_loaded_from_snapshot", "broker.stale_sequence_refused",
         "client.epoch_bumped", "broker.appended", "twice.other_epoch"]),
    ("SC-03", "broker.duplicate_found", "again", "",
        ["broker.duplicate_found", "broker.appended_and_waits", LOST, "client.sent", "again.same_numbers"]),
    ("SC-03", LOST, "gone", "", [LOST, "gone.answer", "gone.again_numbered"]),
    ("SC-02", LOST, "gone", "", [LOST, "gone.answer", "gone.again_plain"]),
    ("SC-29", "reordered", "reordered", "1", ["order.record", "client.sent", "order.no_number"]),
    ("SC-30/no-sequence-check", "reordered", "reordered", "2", ["order.record", "order.unchecked"]),
    # Stored, and what must happen before the sender gets a response.
    ("SC-44/k28", "broker.appended_and_waits", "stored", "",
        ["broker.appended_and_waits", "client.sent", "stored.checks", "stored.answered_later", "follower_behind"]),
    ("SC-01", "broker.appended_plain_unanswered", "stored", "", ["client.sent", "stored.no_number"]),
    ("SC-44/k28", "broker.marker_appended_and_waits", "stored", "",
        ["broker.marker_appended_and_waits", "markers.sent", "coordinator.decides_commit"]),
    # Which producer fenced another one, and which is refused because of it.
    ("SC-61/k28", "coordinator.fences_open_transaction", "fenced", "txn-1",
        ["fence.identity", "coordinator.fences_open_transaction", "client.paused", "client.uses", "client.asks"]),
    ("SC-61/k28", "client.transactional_id_ready", "state", "p1", ["state.since"]),
    ("SC-61/k28", "broker.stale_epoch_refused", "refused", "",
        ["broker.stale_epoch_refused", "refused.compared", "sent", "coordinator.epoch_goes_up"]),
    # Four causes of one exception.
    ("SC-153/another-instance", "client.control_fatal", "ousted", "p1",
        ["sent", "coordinator.fences_open_transaction", "coordinator.epoch_goes_up",
         "fence.behind"]),
    ("SC-153/timeout", "client.control_fatal", "ousted", "p1",
        ["coordinator.transaction_timed_out", "fence.behind", "client.control_fatal"]),
    ("SC-153/administrator", "client.control_fatal", "ousted", "p1",
        ["fault.crafted_request", "coordinator.fences_open_transaction", "coordinator.epoch_goes_up"]),
    ("SC-153/racing-starts", "client.control_fatal", "ousted", "p1",
        ["client.call_timed_out", "sent", "coordinator.epoch_goes_up", "fence.behind"]),
    # A timeout of 15 s that began at 305 ms ends a transaction at 20 s, because the coordinator checks every 10 s.
    ("SC-75/timeout", "coordinator.transaction_timed_out", "timed_out", "txn-1",
        ["timeout.clock", "timeout.scan", "client.uses"]),
    # A hidden record, and crashes.
    ("SC-75/timeout", "broker.marker_appended_and_waits", "stored", "", ["coordinator.transaction_timed_out"]),
    ("SC-40/acks-one", "fault.crashed", "fault", "broker-1", ["broker_down_session", "fault.led_and_serves_nobody"]),
    ("SC-04", "fault.client_crashed", "fault", "p1", ["actor_down", "fault.records_open", "next.fault"]),
    # A request that times out: its receiver is paused, or the network loses it.
    ("SC-70/check-on", "client.request_timed_out", "unanswered", "p1",
        ["unanswered.request", "actor_paused", "client.control_lost"]),
    ("SC-58/request-lost", "markers.timed_out", "unanswered", "broker-2",
        ["unanswered.request", "fault.message_dropped", "markers.disconnected"]),
    ("SC-105/k39", "client.request_timed_out", "unanswered", "p1", ["unanswered.request"]),
    # Guarantees of transactions.
    ("SC-70/check-off", "visible_early", "early", "3", ["early.record", "torn.marker", "broken.switches"]),
    ("SC-56/weak", "atomic", "torn", "1",
        ["torn.record", "client.transaction_committed", "torn.marker", "coordinator.transaction_timed_out",
         "broken.switches"]),
    ("SC-61/epoch-and-sequence-checks-off", "fenced", "unfenced", "3",
        ["unfenced.record", "client.transactional_id_ready", "broken.switches"]),
    ("SC-58/retry-off", "hanging", "hanging", "t-0",
        ["hanging.partition", "markers.refused_for_now", "lso.first_offset"]),
    ("SC-101/k28", "hanging", "hanging", "t-0", ["hanging.after_marker", "broker.appended_after_marker"]),
    ("SC-104/k28", "hanging", "hanging", "t-1",
        ["hanging.not_included", "broker.appended_outside", "coordinator.not_included"]),
    # Middleware.
    ("SC-83/manual-b", "mixed", "mixed", "1",
        ["mixed.transaction", "middleware.needs_a_person", "mixed.waits_for_operator", "mixed.participant_heard",
         "actor_down", "mixed.business"]),
    ("SC-87/not-durable", "mixed", "mixed", "1", ["mixed.forgotten", "mixed.participant", "mixed.business"]),
    ("SC-84/not-idempotent", "repeated", "mixed", "1", ["participant.commits_again", "mixed.participant_heard"]),
    # A row without its record, a record without its row, or the row twice.
    ("SC-159/row-first", "record_missing", "apart", "1",
        ["apart.rows", "apart.no_record", "fault.client_crashed", "apart.two_commits"]),
    ("SC-159/record-first", "row_missing", "apart", "1", ["apart.no_row", "apart.record", "fault.client_crashed"]),
    ("SC-160/offsets-after-rows", "row_repeated", "apart", "1",
        ["apart.rows", "apart.record", "local_transaction.commits", "fault.client_crashed"]),
    ("SC-163/dual-write", "record_missing", "apart", "1", ["apart.rows", "apart.no_record", "apart.two_commits"]),
    ("SC-80", "middleware.all_voted_ok", "here", "",
        ["middleware.all_voted_ok", "participant.reserves", "state.since"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what", "question", "subject", "wanted"), ABOUT)
def test_the_first_answer_is_about_the_step(
    name: str, what: str, question: str, subject: str, wanted: list[str]
) -> None:
    simulation = stopped_at(name, what)
    asked, about, chain = first_answer(simulation)
    keys = [one.key.removeprefix("why.") for one in chain]
    assert (asked, about) == (question, subject), keys
    rest = iter(keys)
    assert all(key in rest for key in wanted), keys
    for one in chain:
        for language in LANGUAGES:
            assert catalogue()[one.key].slots(language) <= set(one.params), one.key
            assert "[" not in sentence(one.key, one.params, language).replace("[]", ""), one.key
    assert [(one.key, one.params) for one in chain].count((chain[-1].key, chain[-1].params)) == 1


@pytest.mark.parametrize(
    ("after", "key", "params"),
    [
        (53, "fault.change_alone", {"state": "Ongoing", "pending_state": "PrepareCommit"}),
        (57, "fault.change_copied", {"pending_state": "PrepareCommit", "brokers": ["broker-1", "broker-3"]}),
        (61, "fault.markers_some", {"written": ["t-0"], "missing": ["t-1"]}),
        (62, "fault.markers_all", {"written": ["t-0", "t-1"]}),
        (58, "fault.markers_none", {"missing": ["t-0", "t-1"]}),
        (80, "fault.change_alone", {"pending_state": "CompleteCommit"}),
    ],
)
def test_a_crash_of_the_coordinator_says_how_far_the_end_of_a_transaction_was(
    after: int, key: str, params: Json
) -> None:
    crash = {"action": "crash", "actor": "broker-2", "after": after}
    simulation = Simulation(entry("SC-44").scenario("k28"), [crash])
    while simulation.number <= after:
        simulation.step()
    question, _, chain = first_answer(simulation)
    assert question == "fault"
    assert chain[1].key == f"why.{key}" and chain[1].answers
    assert params.items() <= chain[1].params.items()


def test_a_change_that_the_coordinator_could_not_write_is_not_called_written() -> None:
    shrunk = [
        {"action": "shrink_isr", "partition": "__transaction_state-10", "broker": one} for one in (1, 3)
    ]
    simulation = Simulation(entry("SC-44").scenario("k28"))
    while simulation.number < 58:
        simulation.step()
    for one in shrunk:
        simulation.intervene(one)
        simulation.step()
    while True:
        entry_now = simulation.view()["brokers"]["2"]["transactions"]["txn-1"]
        if entry_now["pending_state"] == "CompleteCommit" and not entry_now["partitions"]:
            break
        simulation.step()
    simulation.intervene({"action": "crash", "actor": "broker-2"})
    simulation.step()
    question, _, chain = first_answer(simulation)
    assert question == "fault"
    assert not {"why.fault.change_copied", "why.fault.change_alone"} & {one.key for one in chain}


def test_the_request_that_timed_out_is_named_and_not_one_that_was_lost_later() -> None:
    simulation = Simulation(entry("SC-72").scenario("produce"))
    for after, action, api in (
        (50, "delay_message", "Produce"),
        (54, "drop_message", "Metadata"),
        (58, "drop_message", "Produce"),
    ):
        while simulation.number < after:
            simulation.step()
        messages = simulation.view()["network"]["messages"].values()
        message = next(one["id"] for one in messages if one["api"] == api and one["from"] == "p1")
        simulation.intervene(
            {"action": action, "message": message, **({"by": 10} if action == "delay_message" else {})}
        )
    while (step := simulation.step()) is not None and step.key != "client.request_timed_out":
        pass
    lines = why(simulation, "unanswered", "p1")
    assert lines[0].params["api"] == "Metadata"
    assert [one.params["api"] for one in lines if one.key == "fault.message_dropped"] == ["Metadata"]


@pytest.mark.parametrize(
    ("name", "what", "cause"),
    [
        ("SC-82/answer-lost", "middleware.answers_missing", "fault.message_dropped"),
        ("SC-81/vote-late", "middleware.votes_missing", "fault.message_delayed"),
        ("SC-83/queue-retry-b", "middleware.answers_missing", "fault.crashed"),
    ],
)
def test_what_kept_a_participant_from_answering_is_the_cause_of_the_timeout(
    name: str, what: str, cause: str
) -> None:
    _, _, chain = first_answer(stopped_at(name, what))
    assert [one.key for one in chain if one.answers] == [cause]


def test_a_consumer_that_waits_behind_a_transaction_names_its_producer() -> None:
    simulation = stopped_at("SC-46", "broker.high_watermark_advanced", 2)
    while Moment.of(simulation).part("partitions")["t-0"]["replicas"]["1"]["high_watermark"] == 0:
        simulation.step()
    question, _, chain = first_answer(simulation)
    assert question in ("unseen", "lso")
    assert "lso.first_offset" in {one.key.removeprefix("why.") for one in chain}
    assert [one.params["transactional_id"] for one in chain if one.answers] == ["txn-1"]


@pytest.mark.parametrize(
    ("name", "settings", "what", "sentence_of_it"),
    [
        ("SC-02", {"producers.p1.settings.retries": 0}, LOST, "gone.no_retry"),
        ("SC-03", {"switches.duplicate_lookup": False, "switches.sequence_check": False}, DUPLICATED,
            "twice.same_numbers"),
    ],
)  # fmt: skip
def test_other_settings_have_other_reasons(name: str, settings: Json, what: str, sentence_of_it: str) -> None:
    simulation = Simulation(entry(name).scenario(None, settings))
    keys: set[str] = set()
    while (step := simulation.step()) is not None:
        if what == step.key or what in [one["guarantee"] for one in step.broken]:
            keys |= {one.key for one in first_answer(simulation)[2]}
    assert f"why.{sentence_of_it}" in keys


def test_an_application_without_transactions_ends_without_a_word_of_them() -> None:
    simulation = Simulation(entry("SC-01").scenario())
    simulation.run()
    assert "why.application.done" in [one.key for one in why(simulation, "nothing", "app-1")]


def test_a_switch_that_is_set_to_its_default_is_not_named() -> None:
    scenario = entry("SC-56").scenario("weak", {"switches.epoch_check": True})
    simulation = Simulation(scenario)
    while (step := simulation.step()) is not None:
        if "atomic" in [one["guarantee"] for one in step.broken]:
            break
    (named,) = [one for one in why(simulation, "torn", "1") if one.key == "why.broken.switches"]
    assert named.params["switches"] == ["transaction_log_acks_all"]


def test_two_copies_are_distinguished() -> None:
    """The reason depends on the fields that a leader could have compared."""
    first = {"producer_id": 5, "producer_epoch": 0, "first_sequence": 3, "last_sequence": 3, "serials": [1]}
    first |= {"base_offset": 0, "last_offset": 0}
    cases = {
        "twice.no_number": {"producer_id": -1},
        "twice.other_identity": {"producer_id": 6},
        "twice.other_epoch": {"producer_epoch": 1},
        "twice.other_numbers": {"first_sequence": 4},
        "twice.same_numbers": {},
    }
    for key, other in cases.items():
        assert _let_in("t-0", first, {**first, **other, "base_offset": 9}).key == f"why.{key}"


def test_a_record_that_was_taken_for_a_duplicate_says_which_record_is_stored() -> None:
    _, _, chain = first_answer(stopped_at("SC-166/used-twice-4-1", "lost"))
    assert [one.params["others"] for one in chain if one.key == "why.lost.mistaken"] == [["r1"]]


def test_a_request_that_carries_no_records_is_named() -> None:
    keys = [
        one.key for one in first_answer(stopped_at("SC-21/crash-between-read-and-write", "network.lost"))[2]
    ]
    assert keys[:2] == ["network.lost", "why.gone.message"]
    lost = stopped_at("SC-01", "fault.message_dropped")
    assert "why.gone.request" in [one.key for one in why(lost, "gone", "")]


@pytest.mark.parametrize(
    ("name", "message", "after", "follows"),
    [
        ("SC-44/k28", 21, 69, ["markers.disconnected", "markers.sent_again"]),
        ("SC-44/k28", 20, 61, ["why.open.until"]),
        ("SC-44/k28", 2, 4, ["client.control_lost", "client.control_retried"]),
        ("SC-82", 2, 2, ["why.nothing.idle"]),
    ],
)
def test_what_follows_a_loss_is_what_the_components_make_of_it(
    name: str, message: int, after: int, follows: list[str]
) -> None:
    """Responses of a leader to its coordinator and of a coordinator to a client, whose connections break; a request
    with markers, which the coordinator sends again; a message to an initiator, which never asks again.
    """
    identifier, _, variant = name.partition("/")
    drop = {"action": "drop_message", "message": message, "after": after}
    simulation = Simulation(entry(identifier).scenario(variant or None), [drop])
    while simulation.number <= after:
        simulation.step()
    question, _, chain = first_answer(simulation)
    assert question == "gone"
    assert [one.key for one in chain[1:]] == follows
    assert chain[1].answers


def test_a_lost_copy_of_a_request_is_not_resent() -> None:
    """The client waits for the response to the other copy, or has it already."""
    simulation = stopped_at("SC-04", "client.sent")
    sent = Moment.of(simulation).step
    assert sent is not None
    (message,) = (one["id"] for one in sent["messages"])
    simulation.intervene({"action": "duplicate_message", "message": message})
    simulation.step()
    simulation.intervene({"action": "drop_message", "message": max(simulation.world.network.under_way)})
    simulation.step()
    keys = {one.key.removeprefix("why.") for one in first_answer(simulation)[2]}
    assert "gone.request" in keys
    assert not keys & {"message.nobody_has_it", "gone.again_numbered"}


def test_a_batch_that_a_forced_close_has_failed_is_not_resent() -> None:
    """The close ends the connections, so a delayed request is lost; the application has the error already."""
    simulation = stopped_at("SC-12/forced-close-everywhere", "client.force_close")
    keys = {one.key.removeprefix("why.") for one in why(Moment.of(simulation), "gone", "")}
    assert "gone.request" in keys
    assert not keys & {"gone.no_retry", "gone.again_plain", "gone.again_numbered"}


def test_a_transaction_whose_marker_is_being_sent_does_not_hang() -> None:
    """The transaction hangs until a coordinator is elected again, which loads the decision and sends the markers."""
    assert first_answer(stopped_at("SC-108/k20-failover", "hanging"))[0] == "hanging"
    elected = stopped_at("SC-108/k20-failover", "coordinator.loaded")
    with pytest.raises(NotAsked):
        why(elected, "hanging", "t-0")


def test_earlier_steps_that_an_answer_quotes_can_be_visited() -> None:
    """Each quoted sentence is a sentence of the step that the answer names for it."""
    simulation = stopped_at("SC-02", DUPLICATED)
    said = {}
    again = Simulation(entry("SC-02").scenario())
    while (step := again.step()) is not None and step.number <= simulation.number:
        said[step.number] = {step.key, *(note["key"] for note in step.notes)}
    quoted = [one for one in first_answer(simulation)[2] if one.step is not None]
    assert len(quoted) >= 4
    assert all(one.key in said[one.step or 0] for one in quoted if not one.key.startswith("why."))
    assert [one.step for one in quoted] == sorted(one.step or 0 for one in quoted)


def test_a_leader_that_takes_over_is_named_where_its_predecessor_is_given_up() -> None:
    chain = why(stopped_at("SC-40/acks-one", "controller.session_ended"), "fault", "broker-1")
    assert {"fault.leader_now"} <= {one.key.removeprefix("why.") for one in chain}


def test_a_stopped_broker_names_the_partitions_that_no_client_can_read() -> None:
    chain = why(stopped_at("SC-04", "fault.client_crashed"), "fault", "broker-1")
    assert "fault.leads" in [one.key.removeprefix("why.") for one in chain]
    crashed = why(stopped_at("SC-40/acks-one", "fault.crashed"), "fault", "broker-1")
    assert "fault.led_and_serves_nobody" in [one.key.removeprefix("why.") for one in crashed]


def test_a_broken_connection_names_what_was_under_way() -> None:
    question, _, chain = first_answer(stopped_at("SC-21", "fault.disconnected"))
    keys = [one.key.removeprefix("why.") for one in chain]
    assert question == "gone" and keys[0] == "fault.disconnected"


@pytest.mark.parametrize(
    ("question", "subject"),
    [("lost", "1"), ("twice", "1"), ("reordered", "1"), ("lost", "99"), ("gone", ""), ("again", ""), ("stored", ""),
     ("fenced", "txn-1"), ("unfenced", "1"), ("mixed", "1"), ("hanging", "t-9")],
)  # fmt: skip
def test_what_did_not_happen_has_no_answer(question: str, subject: str) -> None:
    simulation = Simulation(entry("SC-01").scenario())
    simulation.run(steps=9)
    with pytest.raises(NotAsked):
        why(simulation, question, subject)


@pytest.mark.parametrize(
    ("name", "steps", "question", "subject"),
    [("SC-60", 56, "lost", "2"), ("SC-61", 49, "early", "1"), ("SC-61", 49, "torn", "1"),
     ("SC-61", 49, "unfenced", "1"), ("SC-42", 27, "hanging", "t-0"),
     ("SC-13", 21, "hanging", "t-1"), ("SC-171", 14, "apart", "1"), ("SC-88/nobody-silent", 91, "mixed", "1")],
)  # fmt: skip
def test_what_no_judge_found_has_no_answer(name: str, steps: int, question: str, subject: str) -> None:
    """The subjects: a record of a deleted topic, a record that was stored before its producer was fenced, a partition
    with an ongoing transaction, a partition without a leader, a record that its service has not handled yet, and a
    transaction that all nodes carried out.
    """
    scenario, _, variant = name.partition("/")
    simulation = Simulation(entry(scenario).scenario(variant or None))
    simulation.run(steps=steps)
    assert not simulation.view()["guarantees"]["lost"]["count"]
    with pytest.raises(NotAsked):
        why(simulation, question, subject)


def test_a_record_is_asked_why_it_is_lost_exactly_if_that_has_an_answer() -> None:
    moment = Moment.of(stopped_at("SC-40/acks-one", "lost"))
    lost = moment.part("guarantees")["lost"]["serials"]
    asked = [
        serial
        for serial in moment.part("records")
        if "lost" in {one.question for one in questions_about(moment, {"kind": "record", "id": serial})}
    ]
    assert lost and asked == [str(serial) for serial in lost]


def test_before_the_first_step_nothing_happened() -> None:
    simulation = Simulation(entry("SC-01").scenario())
    assert [one.question for one in questions_about(simulation, None)] == ["nothing"]
    with pytest.raises(NotAsked):
        why(simulation, "here", "")


# -- what is remembered --------------------------------------------------------------------------------------


def turns_of(simulation: Simulation, serial: int) -> list[tuple[str, int]]:
    lately = Moment.of(simulation).lately
    return [(turn.what, turn.said.number) for turn in lately.turns[serial]]


def test_the_way_of_a_record_is_remembered_turn_by_turn() -> None:
    simulation = Simulation(entry("SC-01").scenario())
    simulation.run()
    assert turns_of(simulation, 2) == [("accepted", 8), ("sent", 11), ("reported", 11), ("lost", 12)]
    assert [what for what, _ in turns_of(simulation, 1)] == [
        "accepted", "sent", "reported", "arrived", "stored",
    ]  # fmt: skip
    assert turns_of(simulation.fork(), 2) == turns_of(simulation, 2)


@pytest.mark.parametrize(("run", "done", "fault", "chain"), [
    ("SC-44/k28", [{"action": "drop_message", "message": 15, "after": 52}], "53",
        ["fault.message_dropped", "client.request_timed_out", "client.control_lost", "sent",
         "came.unbroken"]),
    ("SC-75/timeout", [{"action": "drop_message", "message": 28, "after": 92}], "93",
        ["fault.answer_dropped", "markers.sent_before", "broker.marker_finds_nothing_open", "came.unbroken"]),
    ("SC-80", [{"action": "drop_message", "message": 13, "after": 15}], "16",
        ["fault.message_dropped", "middleware.answers_missing", "middleware.compensation_acts",
         "middleware.finished_forward", "came.apart", "came.unbroken_judged"]),
    ("SC-03", [], "25",
        ["fault.answer_dropped", "client.drained_again", "broker.duplicate_found", "came.unbroken_judged"]),
])  # fmt: skip
def test_at_the_end_of_a_run_with_a_fault_the_first_question_is_about_the_fault(
    run: str, done: list[Json], fault: str, chain: list[str]
) -> None:
    scenario, _, variant = run.partition("/")
    simulation = Simulation(entry(scenario).scenario(variant or None), done)
    while simulation.step() is not None:
        pass
    question, subject, links = first_answer(simulation)
    assert (question, subject) == ("came", fault)
    assert [link.key.removeprefix("why.") for link in links] == chain


def test_a_run_that_was_stopped_at_its_last_step_is_over() -> None:
    """After the last step, only events follow that make no step."""
    simulation = Simulation(entry("SC-61").scenario("k28"))
    simulation.run(steps=133)
    assert not Moment.of(simulation).is_over
    simulation.step()
    assert Moment.of(simulation).is_over and simulation.finished is None
    assert simulation.number == 134, "a copy was asked"


def test_a_request_that_times_out_is_named_with_its_time() -> None:
    simulation = stopped_at("SC-58/request-lost", "markers.timed_out")
    answer = first_answer(simulation)[2][0]
    assert answer.answers and answer.params == {
        "sender": "broker-2",
        "broker": "broker-1",
        "api": "WriteTxnMarkers",
        "timeout": 300,
    }


def test_an_intervention_comes_before_the_faults_of_the_scenario_and_a_broken_guarantee_before_both() -> None:
    simulation = Simulation(
        entry("SC-03").scenario(None), [{"action": "drop_message", "message": 3, "after": 9}]
    )
    while simulation.step() is not None:
        pass
    asked = [(one.question, one.subject) for one in questions_about(simulation, None)]
    assert asked[0][0] == "twice" and ("came", "10") in asked
    assert why(simulation, "came", "51")[-1].key == "why.came.broken"
    with pytest.raises(NotAsked):
        why(simulation, "came", "11")


def test_what_is_remembered_has_a_bound() -> None:
    lately, said = Lately(), Said(1, 0, "p1", "client.sent", {}, ())
    for number in range(TURNS_MAX + 5):
        lately._turn(1, Turn("sent", said._replace(number=number), "t-0"))
    numbers = [turn.said.number for turn in lately.turns[1]]
    assert (len(numbers), numbers[0], numbers[-1]) == (TURNS_MAX, 0, TURNS_MAX + 4)
    for serial in range(RECORDS_MAX + 5):
        lately._turn(serial, Turn("sent", said, "t-0"))
    assert len(lately.turns) == RECORDS_MAX and RECORDS_MAX + 4 in lately.turns and 0 not in lately.turns


def test_a_new_process_is_in_the_initial_state() -> None:
    simulation = stopped_at("SC-04", "fault.client_crashed")
    assert [one.key for one in why(simulation, "state", "p1")][:2] == ["why.actor_down", "why.state.initial"]


def test_a_sent_batch_without_its_request_does_not_leave_at_the_end_of_a_pass() -> None:
    moment = Moment.of(stopped_at("SC-03", "broker.appended_and_waits"))
    moment.view["clients"]["p1"]["requests"] = {}
    assert [one.key for one in why(moment, "unsent", "p1/b1")] == ["why.batch.stranded"]


def test_a_transaction_that_began_in_deleted_records_still_holds_the_last_stable_offset() -> None:
    moment = Moment.of(stopped_at("SC-75/timeout", "coordinator.transaction_timed_out"))
    shown = moment.view["partitions"]["t-0"]
    replica = shown["replicas"][str(shown["leader"])]
    replica["log_start"] = replica["last_stable_offset"] = replica["last_stable_offset"] + 1
    assert why(moment, "lso", "t-0")[1].key == "why.lso.before_log_start"


def test_every_question_has_words_and_an_answer() -> None:
    asked = {row[2] for row in ABOUT} | {"lso", "lag", "unseen", "nothing", "unsent", "unended", "message"}
    asked.add("came")
    assert asked == set(QUESTIONS)


def test_changes_of_one_step_are_listed_with_the_coordinator_first() -> None:
    flying = stopped_at("SC-44/k28", "markers.sent")
    assert keys_of(why(flying, "state", "txn-1"))[:4] == [
        "coordinator.in_force",
        "coordinator.since",
        "coordinator.decides_commit",
        "state.ways_out",
    ]
    while flying.step() is not None:
        pass
    complete = why(flying, "state", "txn-1")
    assert complete[0].params["state"] == "CompleteCommit"
    # The answer about a complete transaction is its decision; nothing is said about its markers.
    assert [link.key for link in complete if link.answers] == ["coordinator.decides_commit"]
    assert keys_of(complete)[-1] == "state.ways_out"


def test_what_an_intervention_caused_is_not_what_another_fault_caused() -> None:
    """SC-03 resends r1 and r2–r3 of t-0 because a connection breaks; the request that the intervention drops is about
    t-1.
    """
    simulation = Simulation(
        entry("SC-03").scenario(), [{"action": "drop_message", "message": 7, "after": 25}]
    )
    simulation.run()
    chain = why(simulation, "came", "26")
    about = [link.params.get("partition") or link.params.get("partitions") for link in chain]
    assert "t-0" not in about and ["t-0"] not in about
    assert [link.key for link in chain if link.answers] == ["client.batch_failed"]
    assert "client.drained_again" in keys_of(chain)


def test_behind_a_timeout_the_end_of_a_run_asks_for_the_timeout() -> None:
    simulation = Simulation(entry("SC-75").scenario("timeout"))
    simulation.run()
    question, subject, chain = first_answer(simulation)
    assert (question, subject) == ("timed_out", "txn-1")
    assert [link.key for link in chain if link.answers] == ["why.timeout.clock"]
    assert "coordinator.transaction_timed_out" in keys_of(chain)


def test_a_transaction_at_a_node_of_the_middleware_is_shown_with_both_names() -> None:
    simulation = stopped_at("SC-81/refuses", "middleware.refused")
    asked = questions_about(simulation, {"kind": "actor", "id": "participant-1"})
    assert ("state", "participant-1 1") in [(one.question, one.subject) for one in asked]
    since, *_, last = why(simulation, "state", "participant-1 1")
    assert since.params["of"] == {"key": "why.at_node", "params": {"node": "participant-1", "tid": "1"}}
    assert since.subject == {"kind": "actor", "id": "participant-1"}
    assert last.params["targets"] == ["COMMITTED", "ROLLED_BACK"]
    (question,) = (one for one in asked if one.question == "state")
    assert question.params["of"]["key"] == "why.of_node"


def keys_of(chain: tuple[Link, ...]) -> list[str]:
    return [one.key.removeprefix("why.") for one in chain]


def questions_at(name: str, step: int) -> list[tuple[str, str]]:
    scenario, _, variant = name.partition("/")
    simulation = Simulation(entry(scenario).scenario(variant or None))
    while simulation.number < step:
        simulation.step()
    return [(one.question, one.subject) for one in questions_about(simulation, None)]


def with_lost_marker(step: int) -> Simulation:
    """SC-44, in which the request with the marker of t-0 is lost, after a step."""
    drop = {"action": "drop_message", "message": 19, "after": 59}
    simulation = Simulation(entry("SC-44").scenario("k28"), [drop])
    while simulation.number < step:
        simulation.step()
    return simulation


def test_the_partition_without_a_marker_is_asked_about_before_the_one_that_became_readable() -> None:
    """At step 66 the marker of t-1 is replicated."""
    asked = [(one.question, one.subject) for one in questions_about(with_lost_marker(66), None)]
    assert asked[:2] == [("lso", "t-0"), ("lso", "t-1")]


def test_a_marker_that_is_queued_without_a_connection_says_that_the_sender_connects_first() -> None:
    """At step 75 the request times out, which closes the connection. The pass at 30.245 s opens one."""
    chain = why(with_lost_marker(75), "lso", "t-0")
    (sent,) = (one for one in chain if one.key == "why.marker.next_pass_connects")
    assert (sent.params["at"], sent.params["leader"]) == (30_245, "broker-1")
    (held,) = (one for one in chain if one.key == "why.open.until")
    assert held.params["end"]["key"] == "clause.open.marker_connects"


def test_a_broken_guarantee_is_asked_about_until_it_holds_again() -> None:
    """SC-02 stores r1 twice at step 86. In SC-101, an operator ends the hanging transaction at step 136."""
    assert questions_at("SC-02", 105)[0] == questions_at("SC-02", 139)[0] == ("twice", "1")
    assert questions_at("SC-02", 95)[:2] == [("stored", ""), ("twice", "1")]
    assert questions_at("SC-101/operator", 130)[0] == ("hanging", "t-0")
    assert ("hanging", "t-0") not in questions_at("SC-101/operator", 141)


def test_a_step_that_a_timer_brings_is_led_to_by_the_step_that_began_the_wait() -> None:
    """SC-80: business commits 10 ms after it has started its local transaction."""
    said = [link.key for link in why(stopped_at("SC-80", "business.local_committed"), "here", "")]
    assert said[:2] == ["business.local_committed", "business.runs_local"]
