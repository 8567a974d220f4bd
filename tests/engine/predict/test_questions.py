"""Questions before a decision: where they are asked, and that the right answer agrees with the run. Here, the right
answer is taken from the view after the step, and from facts that the code of the questions does not use.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import pytest

from engine.__main__ import main
from engine.explain.machines import machines
from engine.explain.sentences import LANGUAGES, catalogue, sentence
from engine.predict.facts import Asked
from engine.predict.finding import Question, questions
from engine.predict.kinds import KINDS
from engine.record_names import record_names
from engine.scenario.document import load
from engine.scenario.schema import QUESTIONS
from engine.scenario.shelf import entry, library
from engine.scenario.tracks import tracks
from engine.simulation import Simulation
from tests.engine.narrowing import present

ITEMS = [(track.name, item.scenario, item.variant) for track in tracks() for item in track.items]
RUNS = sorted({(scenario, variant) for _, scenario, variant in ITEMS}, key=str)


@cache
def asked(name: str, variant: str | None) -> list[Question]:
    return questions(entry(name).scenario(variant))


@cache
def around(
    name: str, variant: str | None
) -> dict[int, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Step number of each question → the view before the next step, that step, and the view after it."""
    found = {}
    simulation = Simulation(entry(name).scenario(variant))
    wanted = {question.at for question in asked(name, variant)}
    while simulation.number <= max(wanted):
        before = simulation.view() if simulation.number in wanted else {}
        step = present(simulation.step()).to_json()
        if step["number"] - 1 in wanted:
            found[step["number"] - 1] = (before, step, simulation.view())
    return found


def test_kinds_and_schema_name_the_same_questions() -> None:
    assert set(KINDS) == set(QUESTIONS)


def test_a_question_offers_only_states_that_the_version_of_the_run_has() -> None:
    offered = {
        variant: [choice.id for choice in asked("SC-104", variant)[0].asked.choices]
        for variant in ("k28", "k41")
    }
    assert offered["k41"] == ["Empty", "Ongoing", "PrepareAbort", "Dead"]
    assert offered["k28"] == ["Empty", "Ongoing", "Dead"], "only version 2 aborts an empty transaction"


def test_a_question_about_a_batch_names_its_records_and_may_ask_about_one_record() -> None:
    """In SC-02, three requests of p1 are in transit; the question is about the one that resends r1."""
    first, resent = (one.asked.params["records"] for one in asked("SC-02", None)[:2])
    assert (first, resent) == (["r1"], ["r1"])
    assert [one.asked.params.get("records") for one in asked("SC-05", None)] == [
        ["r4–r5"],
        ["r8–r10"],
        ["r6–r7"],
    ]
    (crafted,) = (one.asked for one in asked("SC-104", "k28") if one.ask == "append")
    assert crafted.key == "predict.append.ask", "a crafted batch has no records"


def test_records_in_a_row_are_joined_and_further_runs_are_counted() -> None:
    assert record_names([1]) == ["r1"]
    assert record_names([2, 3, 6, 7, 8]) == ["r2–r3", "r6–r8"]
    assert record_names([1, 3, 5, 7, 9]) == ["r1", "r3", "+3"]


def test_a_refused_identity_names_the_rule_that_refuses() -> None:
    (question, *_) = asked("SC-155", "client-upgraded")
    assert [reason.rule for reason in question.asked.reasons["refused"]] == ["PID-9"]


def test_a_question_names_the_message_that_the_next_step_delivers() -> None:
    named = {question.at: question.message for question in asked("SC-02", None)}
    for at, (before, step, _) in around("SC-02", None).items():
        message = before["network"]["messages"][str(named[at])]
        assert (message["to"], message["api"]) == (
            step["actor"],
            "Fetch" if "fetch" in step["key"] else "Produce",
        )


def test_every_event_of_a_machine_that_is_asked_about_has_words() -> None:
    wanted = {checkpoint["machine"] for one in library() for checkpoint in one.scenario(None)["checkpoints"]}
    events = {
        f"event.{name}.{on.removesuffix('_raising_epoch')}"
        for name in wanted - {None}
        for on in machines()[name].events
    }
    assert not events - set(catalogue())


@pytest.mark.parametrize(("track", "name", "variant"), ITEMS)
def test_every_item_of_a_track_asks_at_least_three_times(track: str, name: str, variant: str | None) -> None:
    wanted = entry(name).scenario(variant)["checkpoints"]
    found = asked(name, variant)
    assert len(found) >= 3, (track, name)
    assert len(found) == len(wanted), "a checkpoint that this run never meets"
    assert [question.at for question in found] == sorted({question.at for question in found})


@pytest.mark.parametrize("name", [one.id for one in library() if one.scenario(None)["checkpoints"]])
def test_a_variant_meets_all_its_checkpoints(name: str) -> None:
    runs = [entry(name).scenario(variant) for variant in entry(name).variants or (None,)]
    assert any(len(questions(run)) == len(run["checkpoints"]) for run in runs)


def test_tracks_name_scenarios_and_variants_that_exist() -> None:
    known = {item.id: item.variants for item in library()}
    for track in tracks():
        assert len({(item.scenario, item.variant) for item in track.items}) == len(track.items)
        for item in track.items:
            assert item.variant in (known[item.scenario] or (None,)), item
            assert item.why.keys() == {"en", "zh-Hans"}
    assert len({track.name for track in tracks()}) == len(tracks()) == 10


@pytest.mark.parametrize(("name", "variant"), RUNS)
def test_everything_that_is_said_has_words_and_nothing_is_left_unfilled(
    name: str, variant: str | None
) -> None:
    known = catalogue()
    for question in asked(name, variant):
        made = question.asked
        said = [(made.key, made.params), *((choice.key, choice.params) for choice in made.choices)]
        said += [(reason.key, reason.params) for why in made.reasons.values() for reason in why]
        for key, params in said:
            for language in LANGUAGES:
                assert known[key].slots(language) <= set(params), (key, params)
        assert len({choice.id for choice in made.choices}) == len(made.choices) >= 2
        assert made.right in {choice.id for choice in made.choices}
        assert set(made.reasons) == {choice.id for choice in made.choices}
        assert all(made.reasons.values()), "an answer without a reason"


def leader_of(view: dict[str, Any], partition: str) -> dict[str, Any]:
    state = view["partitions"][partition]
    found: dict[str, Any] = state["replicas"][str(state["leader"])]
    return found


def sent(step: dict[str, Any], view: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages that the step sent."""
    return [
        view["network"]["messages"][str(fate["id"])] for fate in step["messages"] if fate["event"] == "sent"
    ]


@pytest.mark.parametrize(("name", "variant"), RUNS)
def test_the_right_answer_is_what_the_run_does(name: str, variant: str | None) -> None:
    for question in asked(name, variant):
        before, step, after = around(name, variant)[question.at]
        HOLDS[question.ask](question.asked, before, step, after)


def holds_append(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    partition = made.params["partition"]
    growth = leader_of(after, partition)["log_end"] - leader_of(before, partition)["log_end"]
    assert (growth > 0) == (made.right == "stored")
    errors = [
        message["fields"]["partitions"][partition]["error"]
        for message in sent(step, after)
        if message["is_response"]
    ]
    answered = {
        "stored": ("NONE",),
        "duplicate": ("NONE",),
        "out_of_order": ("OUT_OF_ORDER_SEQUENCE_NUMBER",),
        "stale_epoch": ("INVALID_PRODUCER_EPOCH",),
    }[made.right]
    assert set(errors) <= set(answered)
    assert errors or made.right == "stored", "only what is appended may have to wait for its answer"


def holds_state(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    params = made.params
    if params["machine"] == "client_transactions":
        assert before["clients"][params["of"]]["transaction_manager"]["state"] == params["from"]
        assert after["clients"][params["of"]]["transaction_manager"]["state"] == made.right
    elif params["machine"] == "transaction_states":
        held = [
            broker["transactions"].get(params["of"])
            for broker in after["brokers"].values()
            if broker.get("transactions")
        ]
        states = {state for one in held if one for state in (one["state"], one["pending_state"])}
        assert made.right in states
    elif params["machine"] == "group_pending_offset":
        group, partition = params["of"]["params"].values()
        assert (made.right == "Absent") == (partition not in pending(after, group))
        positions = [offset["position"] for offset in pending(after, group).values()]
        assert (made.right == "Staged") == (positions == [None])
    elif params["machine"] == "service":
        assert before["services"][params["of"]]["state"] == params["from"]
        assert after["services"][params["of"]]["state"] == made.right
    else:
        role, tid = params["of"]["params"].values()
        assert state_of_role(after, role, tid) == made.right
        assert state_of_role(before, role, tid) in (params["from"], None)


def pending(view: dict[str, Any], group: str) -> dict[str, dict[str, int | None]]:
    found: dict[str, dict[str, int | None]] = {}
    for broker in view["brokers"].values():
        for offsets in (broker.get("groups") or {}).get(group, {"pending": {}})["pending"].values():
            found |= offsets
    return found


def state_of_role(view: dict[str, Any], role: str, tid: str) -> str | None:
    middleware = view["middleware"]
    if role == "middleware":
        held = middleware["transactions"]
    elif role in middleware["participants"]:
        held = middleware["participants"][role]["transactions"]
    else:
        held = middleware[role]["transactions"]
    return held[tid]["state"] if tid in held else None


def holds_identity(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    errors = {message["fields"]["error"] for message in sent(step, after) if message["is_response"]}
    pid, epoch = made.params["producer_id"], made.params["producer_epoch"]
    images = [
        value
        for change in step["changes"]
        if change["path"][0] == "partitions" and "batches" in change["path"] and change.get("after")
        for value in change["after"]["content"]["values"]
    ]
    if made.right == "must_wait":
        retriable = errors and errors <= {"CONCURRENT_TRANSACTIONS", "COORDINATOR_NOT_AVAILABLE"}
        assert retriable or [image["state"] for image in images] == ["PrepareAbort"]
        return
    if made.right == "refused":
        assert errors in ({"PRODUCER_FENCED"}, {"CLUSTER_AUTHORIZATION_FAILED"})
        assert images == []
        return
    (image,) = images
    assert image["state"] == "Empty"
    wanted = {"new": (pid, 0), "next_epoch": (pid, epoch + 1), "same_epoch": (pid, epoch)}[made.right]
    assert (image["producer_id"], image["producer_epoch"]) == wanted


def holds_fetch(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    (message,) = [message for message in sent(step, after) if message["is_response"]]
    fields = message["fields"]
    assert bool(fields["batches"]) == (made.right in ("given", "aborted"))
    assert bool(fields.get("aborted")) == (made.right == "aborted")


def holds_reaction(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    manager = after["clients"][step["actor"]]["transaction_manager"]
    state = None if manager is None else manager["state"]
    assert (state == "FATAL_ERROR") == (made.right == "fatal")
    assert (state == "ABORTABLE_ERROR") == (made.right == "abortable")
    if made.right == "tries_again":
        batches = after["clients"][step["actor"]].get("batches", {}).values()
        assert any(batch["state"] == "REQUEUED" for batch in batches) or manager["requests"]


def holds_stable_offset(
    made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]
) -> None:
    replica = leader_of(after, made.params["partition"])
    assert replica["last_stable_offset"] == int(made.right)
    assert leader_of(before, made.params["partition"])["last_stable_offset"] == made.params["before"]


def holds_crash(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    """A crash commits and stores nothing, so after it exists only what existed before."""
    serial = int(made.params["record"].removeprefix("r"))
    has_row = str(serial) in before["database"].get("rows", {})
    has_record = any(
        serial in batch["serials"]
        for partition in before["partitions"].values()
        for replica in partition["replicas"].values()
        for batch in replica.get("batches", {}).values()
    )
    assert step["kind"] == "fault"
    assert (
        made.right
        == {
            (True, True): "both",
            (True, False): "row_only",
            (False, True): "record_only",
            (False, False): "neither",
        }[has_row, has_record]
    )


def holds_insert(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    serial = int(made.params["record"].removeprefix("r"))
    (response,) = sent(step, after)
    repeated = serial in response["fields"]["repeated"]
    assert repeated == (made.right == "known")
    if not repeated:
        assert (made.right == "second") == (str(serial) in before["database"].get("rows", {}))


def holds_commit(made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]) -> None:
    consumer = after["consumers"][made.params["consumer"]]["group"]
    assert ("OffsetCommit" in consumer["waiting"]) == (made.right != "none")
    if made.right == "none":
        return
    assert step["params"]["offsets"] == [f"{made.params['partition']} → {made.right}"]
    held = [one["offset"] for one in after["services"][made.params["service"]]["workers"]]
    skipped = [offset for offset in held if offset < int(made.right)]
    assert bool(skipped) == any(note["key"] == "service.commits_past" for note in step["notes"])


def holds_group_offset(
    made: Asked, before: dict[str, Any], step: dict[str, Any], after: dict[str, Any]
) -> None:
    committed = [
        broker["groups"][made.params["group"]]["committed"]
        for broker in before["brokers"].values()
        if made.params["group"] in (broker.get("groups") or {})
    ]
    offsets = [of_group[made.params["partition"]]["offset"] for of_group in committed if of_group]
    assert offsets == ([int(made.right)] if int(made.right) >= 0 else [])


HOLDS = {
    "commit": holds_commit,
    "group_offset": holds_group_offset,
    "crash": holds_crash,
    "insert": holds_insert,
    "append": holds_append,
    "state": holds_state,
    "identity": holds_identity,
    "fetch": holds_fetch,
    "reaction": holds_reaction,
    "stable_offset": holds_stable_offset,
}


def test_another_outcome_has_another_right_answer() -> None:
    """The same question is asked with the mechanism switched off, or with another setting before it."""
    document = entry("SC-03").document
    plain = [question.asked.right for question in questions(load(document, None, {}))]
    assert plain[:2] == ["stored", "duplicate"]
    without = {"producers.p1.settings.enable_idempotence": False}
    assert [question.asked.right for question in questions(load(document, None, without))][:2] == [
        "stored",
        "stored",
    ]
    unchecked = {"switches.duplicate_lookup": False}
    assert [question.asked.right for question in questions(load(document, None, unchecked))][:2] == [
        "stored",
        "out_of_order",
    ]


def test_what_a_learner_does_changes_the_answer() -> None:
    """SC-61: if the paused producer crashes and does not wake up, its late batch is never sent, so no question about
    it is asked.
    """
    scenario = entry("SC-61").scenario("k28")
    plain = questions(scenario)
    crashed = questions(scenario, [{"action": "crash", "actor": "p1", "after": 40}])
    assert [question.ask for question in plain][-3:] == ["append", "reaction", "reaction"]
    assert [question.ask for question in crashed] == ["identity", "identity"]


def test_the_command_tells_where_a_run_asks() -> None:
    out = io.StringIO()
    assert main(["run", "SC-03", "--checkpoints"], out=out) == 0
    assert "after step 79 (append)" in out.getvalue()
    assert "  * Recognise the duplicate" in out.getvalue()


def test_a_document_without_checkpoints_asks_nothing() -> None:
    assert questions(entry("SC-07").scenario("plain")) == []


def test_a_leader_that_verifies_first_is_asked_about_no_append() -> None:
    """In 3.9, the write of SC-101 is held back and then refused: nothing is appended when it arrives. In 2.8 and 4.1,
    the leader decides at once.
    """
    for variant, appends in (("k28", 1), ("k39", 0), ("k41", 1)):
        kinds = [question.ask for question in asked("SC-101", variant)]
        assert kinds.count("append") == appends, variant


def asked_in(
    name: str, *checkpoints: dict[str, Any], variant: str | None = None, **others: Any
) -> list[Asked]:
    """Return the questions of a library document with these checkpoints and other changed values."""
    document = {**entry(name).document, "checkpoints": list(checkpoints), **others}
    return [question.asked for question in questions(load(document, variant, {}))]


def test_a_partition_without_producers_is_asked_about_its_last_stable_offset() -> None:
    (made,) = asked_in("SC-01", {"ask": "stable_offset"})
    assert made.right == str(made.params["high_watermark"])


def test_the_log_end_in_a_question_is_that_before_the_step() -> None:
    (made,) = asked_in("SC-158", {"ask": "stable_offset", "partition": "t-0"}, variant="in-time")
    assert (made.params["log_end"], made.right) == (2, "3"), "the step asked about appends the marker"


def test_a_transaction_that_began_in_deleted_records_still_holds_the_offset_that_is_asked_about() -> None:
    deleted = {"at": 450, "action": "delete_head", "partition": "t-0", "to": 2}
    (made,) = asked_in(
        "SC-75", {"ask": "stable_offset", "partition": "t-0", "nth": 3}, variant="wall", faults=[deleted]
    )
    held = made.reasons[made.right][0]
    assert (made.right, held.key, held.params["first_offset"]) == ("2", "predict.offset.held", 1)


def test_a_response_that_a_fault_gives_is_no_decision_of_the_leader() -> None:
    (made,) = asked_in("SC-15", {"ask": "append"})
    assert made.right == "stored"
    assert made.reasons["stored"][0].key != "fault.error_injected"


def test_a_broker_that_is_not_the_coordinator_has_the_client_ask_again() -> None:
    (made,) = asked_in("SC-69", {"ask": "identity", "nth": 2}, profile="k39")
    assert made.right == "must_wait"


def test_a_row_of_the_same_event_is_not_explained_by_that_event() -> None:
    (made,) = asked_in("SC-159", {"ask": "state", "machine": "service", "of": "shop", "nth": 3})
    for state, reasons in made.reasons.items():
        if state != made.right:
            assert made.params["on"] not in reasons[0].params.get("events", ())


@pytest.mark.parametrize("name", ["transaction_states", "client_transactions", "group_pending_offset"])
def test_the_events_of_a_machine_that_questions_are_about_have_words(name: str) -> None:
    """So no answer shows the name of a row of the table."""
    for event in machines()[name].events:
        assert f"event.{name}.{event.removesuffix('_raising_epoch')}" in catalogue()


def test_why_a_state_does_not_follow_is_said_in_words() -> None:
    question = next(one for one in asked("SC-101", "ended-by-hand") if one.ask == "state")
    (reason,) = question.asked.reasons["CompleteAbort"]
    assert sentence(reason.key, reason.params) == (
        "The state changes from PrepareAbort to CompleteAbort in these cases: no marker is outstanding."
        " Here something else happens: InitProducerId arrives."
    )


def test_the_states_of_a_pending_offset_are_asked_of_the_offset() -> None:
    question = next(
        one for one in asked("SC-145", "shared") if one.asked.params.get("machine") == "group_pending_offset"
    )
    assert sentence(question.asked.key, question.asked.params).startswith(
        "The pending offset of group g in in-0 is in state "
    )


def test_a_response_of_the_business_system_is_not_that_of_a_participant() -> None:
    question = next(one for one in asked("SC-83", "local-rollback-a") if one.at == 30)
    (reason,) = question.asked.reasons["MANUAL"]
    assert "(a node responds to Commit or Rollback)" in sentence(reason.key, reason.params)


def test_the_states_of_a_marker_are_asked_of_the_marker() -> None:
    checkpoint = {"ask": "state", "machine": "marker_states", "nth": 1}
    (made,) = asked_in("SC-58", checkpoint, variant="isr-short")
    assert (made.right, made.params["of"]["key"]) == ("Queued", "clause.marker_of")


def test_a_question_about_one_batch_of_a_request_says_what_becomes_of_that_batch() -> None:
    """In step 201 of SC-08, a request contains a duplicate for t-0 and a new batch for t-1."""
    simulation = Simulation(entry("SC-08").scenario("k28"))
    step = present([simulation.step() for _ in range(201)][-1]).to_json()
    made = KINDS["append"].ask(step, simulation.view(), simulation.world.profile)
    assert (made.params["partition"], made.params["first_sequence"], made.right) == ("t-1", 6, "stored")
    assert made.reasons["stored"][0].params["partition"] == "t-1"


def test_the_first_row_of_a_record_is_new_if_the_insert_commits_by_itself() -> None:
    simulation = Simulation(entry("SC-171").scenario("after-the-rebalance"))
    rights = []
    while (made := simulation.step()) is not None:
        if KINDS["insert"].fits(step := made.to_json()):
            rights.append(KINDS["insert"].ask(step, simulation.view(), simulation.world.profile).right)
    assert rights == ["new", "new", "new", "second", "second"]
