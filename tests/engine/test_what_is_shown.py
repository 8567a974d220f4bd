"""The requirements about engine, display and comparison: what a view must be able to show, and what a learner sees.

Each test is marked with the requirements that it checks; `python -m engine coverage` counts the marks. A test plays
scenarios of the library and checks the views and steps that a page would get; nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from engine.errors import Error, Refused
from engine.explain.machines import machines
from engine.explain.requirements import REGISTER, REQUIREMENTS
from engine.explain.sentences import catalogue
from engine.profiles import PROFILES
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.tool.command import TOOL
from tests.engine.every_run import Played


@cache
def played(name: str, variant: str | None = None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return (step, view after it) for the first 400 steps of a library scenario."""
    simulation = Simulation(entry(name).scenario(variant))
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    while len(found) < 400 and (step := simulation.step()) is not None:
        found.append((step.to_json(), simulation.view()))
    return found


def views(name: str, variant: str | None = None) -> Iterator[dict[str, Any]]:
    return (view for _, view in played(name, variant))


def steps(name: str, variant: str | None = None) -> Iterator[dict[str, Any]]:
    return (step for step, _ in played(name, variant))


def ever(name: str, variant: str | None, holds: Callable[[dict[str, Any]], bool]) -> bool:
    return any(holds(view) for view in views(name, variant))


def part(view: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return the object at a path of the view; {} if there is none."""
    for key in path:
        view = view.get(key) or {}
    return view


def verdict(name: str, variant: str | None = None, **settings: Any) -> dict[str, Any]:
    """Play a run to its end. Returns the name of each topic-partition → its verdict."""
    simulation = Simulation(entry(name).scenario(variant, settings or None), watching="judged")
    simulation.run()
    return {one.partition: one for one in simulation.verdicts()}


# -- every step ----------------------------------------------------------------------------------------


@pytest.mark.requirement("UIV-3", "UIV-6", "GEN-4", "GEN-10")
def test_every_step_explains_itself(run: Played) -> None:
    """Every step has a sentence and rules; a refusal also has its rule, the compared values, the error and what
    follows; and the named rules have texts.
    """
    known = catalogue()
    assert [step["number"] for step in run.steps] == list(range(1, run.simulation.number + 1))
    for shown in run.steps:
        assert shown["rules"], shown["key"]
        named = {rule for said in (shown, *shown["notes"]) for rule in said["rules"]}
        assert named <= {*REQUIREMENTS, *REGISTER}, named
        assert all(f"requirement.{rule}" in known for rule in named), named
        refusal = shown["refusal"]
        if refusal is not None:
            assert refusal["rule"] in {*REQUIREMENTS, *REGISTER}
            assert refusal["error"] and refusal["compared"] and refusal["next"] in known
            assert shown["interesting"]


@pytest.mark.requirement("UIV-4", "GEN-9")
def test_what_is_altered_is_in_the_header(run: Played) -> None:
    document, header = run.scenario.document, run.header
    assert (header["profile"], header["version"]) == (
        document["profile"],
        PROFILES[document["profile"]].version,
    )
    assert header["switches"] == document["switches"]
    for producer in document["producers"]:
        for name, value in producer["settings"].items():
            assert header["altered"][f"producers.{producer['name']}.{name}"][1] == value


@pytest.mark.requirement("GEN-3")
def test_every_actor_has_its_lane(run: Played) -> None:
    """Every component that sends, receives or acts is announced before the first step."""
    lanes = {actor["name"] for actor in run.header["actors"]} | {"zookeeper", "controller", "crafter", TOOL}
    for step in run.steps:
        assert step["actor"] in lanes, (step["number"], step["actor"])


@pytest.mark.requirement("GEN-2")
@pytest.mark.parametrize("name", ["SC-03", "SC-28", "SC-44", "SC-83"])
def test_time_never_runs_back_and_every_step_says_something(name: str) -> None:
    variant = (entry(name).variants or (None,))[0]
    times = [step["at"] for step in steps(name, variant)]
    assert times == sorted(times)
    assert all(type(at) is int for at in times)
    assert all(step["key"] for step in steps(name, variant))


@pytest.mark.requirement("UIV-5", "GEN-1")
def test_a_run_replays_from_its_document_and_interventions() -> None:
    simulation = Simulation(entry("SC-28").scenario())
    simulation.run(steps=25)
    done = simulation.intervene(
        {"action": "drop_message", "message": min(simulation.world.network.under_way)}
    )
    rest = []
    while (step := simulation.step()) is not None:
        rest.append(step.to_json())
    again = Simulation(entry("SC-28").scenario(), [done])
    again.run(steps=25)
    replayed = []
    while (step := again.step()) is not None:
        replayed.append(step.to_json())
    assert replayed == rest


# -- concepts and configuration ------------------------------------------------------------------------


@pytest.mark.requirement("CPT-8", "GEN-8")
def test_one_lost_answer_duplicates_without_idempotence_only() -> None:
    assert verdict("SC-02")["t-0"].duplicates == 1
    with_it = verdict("SC-03")
    assert sum(one.duplicates + one.lost for one in with_it.values()) == 0
    without_retries: dict[str, Any] = {
        "producers.p1.settings.retries": 0,
        "faults.0.match": {"api": "Produce", "partition": "t-0"},
    }
    lost_request = verdict("SC-02", **without_retries)["t-0"]
    assert (lost_request.failed, lost_request.duplicates) == (1, 0)
    shown = list(views("SC-02"))[-1]["verdicts"]["t-0"]
    assert {"stored", "duplicates", "lost", "failed", "reordered"} <= set(shown)


LEVELS: dict[str, dict[str, Any]] = {
    "at most once": {"acks": 1, "retries": 0, "enable_idempotence": False},
    "at least once": {"acks": "all", "retries": 3, "enable_idempotence": False},
    "exactly once": {"acks": "all", "retries": 2147483647, "enable_idempotence": True},
}


@pytest.mark.requirement("CPT-1")
@pytest.mark.parametrize("lost", ["request", "answer"])
@pytest.mark.parametrize("level", LEVELS)
def test_three_levels_can_be_chosen_and_are_judged(level: str, lost: str) -> None:
    """The second batch, of two records, loses its request or its response. A first batch is needed so that the broker
    knows the producer: 2.8 would accept any sequence of an unknown producer.
    """
    settings = {f"producers.p1.settings.{name}": value for name, value in LEVELS[level].items()}
    settings["faults.0.match"] = {
        "api": "Produce",
        "partition": "t-0",
        "response": lost == "answer",
        "nth": 2,
    }
    judged = verdict("SC-02", **settings)["t-0"]
    missing = 2 if (level, lost) == ("at most once", "request") else 0
    # When the connection breaks, the third batch, of three records, is also stored twice.
    twice = 5 if (level, lost) == ("at least once", "answer") else 0
    assert (judged.failed + judged.lost, judged.duplicates) == (missing, twice)
    assert judged.stored == 13 - missing + twice


@pytest.mark.requirement("CFG-6")
def test_a_forced_value_says_why_and_a_wrong_combination_stops_before_the_first_step() -> None:
    configuration = next(views("SC-03"))["clients"]["p1"]["configuration"]
    forced = {name: row for name, row in configuration.items() if row["rule"] is not None}
    assert forced["acks"]["value"] == -1
    assert all(row["reason"] for row in forced.values())
    refused = []
    for variant in entry("SC-07").variants:
        scenario = entry("SC-07").scenario(variant)
        try:
            Simulation(scenario)
        except Refused as wrong:
            refused.append(wrong.rule)
            assert wrong.reason and wrong.remedy
    assert refused and set(refused) == {"CFG-1", "CFG-2", "CFG-3", "CPT-7"}


@pytest.mark.requirement("GEN-7")
def test_a_run_begins_where_its_overrides_say() -> None:
    simulation = Simulation(entry("SC-27").scenario(entry("SC-27").variants[0]))
    manager = simulation.view()["clients"]["p1"]["transaction_manager"]
    assert manager["partitions"]["t-0"]["next_sequence"] == 2147483646


# -- client --------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACC-23", "ACC-25")
def test_queues_batches_pool_and_the_reason_to_send_are_in_the_view() -> None:
    variant = entry("SC-09").variants[-1]
    assert ever("SC-09", variant, lambda view: bool(part(view, "clients", "p1", "batches")))
    for view in views("SC-09", variant):
        for batch in part(view, "clients", "p1", "batches").values():
            assert {"bytes", "capacity", "record_count", "attempts", "first_sequence", "state"} <= set(batch)
    reasons = {
        reason
        for view in views("SC-09", variant)
        for ready in part(view, "clients", "p1", "ready", "nodes").values()
        for _, reason in ready
    }
    assert reasons == {"LINGER"}
    assert ever("SC-11", "waits", lambda view: bool(part(view, "clients", "p1", "pool").get("waiters")))
    assert ever(
        "SC-13", None, lambda view: bool(part(view, "clients", "p1", "ready").get("unknown_leader_topics"))
    )
    assert ever(
        "SC-17",
        None,
        lambda view: any(queue["muted"] for queue in part(view, "clients", "p1", "queues").values()),
    )


@pytest.mark.requirement("ACC-24", "ACC-25")
def test_faults_of_the_accumulator_end_as_their_text_says() -> None:
    """Waiting too long for memory is an error for the caller; an outage until expiry is a reported loss, never a
    silent one.
    """
    too_long = {step["refusal"]["error"] for step in steps("SC-11", "too-long") if step["refusal"]}
    assert too_long == {"BUFFER_EXHAUSTED"}
    expired = verdict("SC-16")["t-0"]
    assert (expired.failed, expired.lost) == (2, 0)


@pytest.mark.requirement("SND-15")
def test_the_pass_the_slots_and_the_wait_are_in_the_view() -> None:
    phases = set()
    for view in views("SC-28"):
        client = view["clients"]["p1"]
        phases.add(client["sender"]["phase"])
        for connection in part(client, "connections").values():
            assert len(connection["in_flight"]) <= connection["limit"]
    assert len(phases) > 3
    assert ever(
        "SC-28", None, lambda view: part(view, "clients", "p1", "sender").get("poll_source") is not None
    )
    assert ever(
        "SC-14",
        None,
        lambda view: any(
            one["state"] != "connected" for one in part(view, "clients", "p1", "connections").values()
        ),
    )


@pytest.mark.requirement("ORD-8")
def test_each_mechanism_of_order_taken_away_shows_its_own_harm() -> None:
    def refused(variant: str) -> int:
        return sum(step["refusal"] is not None for step in steps("SC-30", variant))

    assert verdict("SC-30", "all-on")["t-0"].reordered == 0
    assert refused("no-oldest-first") > refused("all-on")
    assert verdict("SC-30", "no-ordered-reinsertion")["t-0"].failed > 0
    assert verdict("SC-30", "no-sequence-check")["t-0"].reordered > 0
    assert sum(one.reordered for one in verdict("SC-29").values()) > 0
    assert ever(
        "SC-28",
        None,
        lambda view: (
            len(part(view, "clients", "p1", "transaction_manager", "partitions", "t-0").get("in_flight", ()))
            > 1
        ),
    )


@pytest.mark.requirement("TXM-18")
def test_the_clients_state_and_its_last_edge_are_those_of_the_table() -> None:
    edges = {
        (row.source, row.target, row.on) for row in machines()["client_transactions"].rows if not row.refused
    }
    seen = set()
    for view in views("SC-44", "k28"):
        manager = view["clients"]["p1"]["transaction_manager"]
        if manager["last_edge"] is not None:
            assert tuple(manager["last_edge"]) in edges
        assert {"requests", "in_flight_request", "bump_required", "last_error", "transaction"} <= set(manager)
        seen.add(manager["state"])
    assert seen == {
        "INITIALIZING",
        "READY",
        "IN_TRANSACTION",
        "COMMITTING_TRANSACTION",
    }
    added = [view["clients"]["p1"]["transaction_manager"]["transaction"] for view in views("SC-44", "k28")]
    assert any(one["pending_partitions"] for one in added)
    assert any(one["added_partitions"] for one in added)


# -- brokers -------------------------------------------------------------------------------------------


@pytest.mark.requirement("PID-13")
def test_blocks_of_ids_and_the_lock_of_the_node_are_in_the_view() -> None:
    node = list(views("SC-20"))[-1]["zookeeper"]["nodes"]["/latest_producer_id_block"]
    assert node["data"].startswith("{") and type(node["version"]) is int
    block = list(views("SC-20"))[-1]["brokers"]["1"]["producer_id_block"]
    assert (block["start"], block["end"], block["next"]) == (0, 999, 1)
    refused = [step for step in steps("SC-21", "version-check") if step["refusal"] or "version" in str(step)]
    assert refused

    def ids(variant: str) -> list[int]:
        last = list(views("SC-21", variant))[-1]["clients"]
        return [client["transaction_manager"]["producer_id"] for client in last.values()]

    checked, unchecked = ids("version-check"), ids("no-version-check")
    assert len(set(checked)) == len(checked)
    assert len(set(unchecked)) < len(unchecked)


@pytest.mark.requirement("SEQ-20")
def test_the_five_remembered_batches_and_the_row_that_decides_are_shown() -> None:
    longest = max(
        (
            len(entry_["batches"])
            for view in views("SC-31")
            for replica in part(view, "partitions", "t-0", "replicas").values()
            for entry_ in part(replica, "producers").values()
        ),
        default=0,
    )
    assert longest == 5
    decided = [
        row["rule"]
        for step in steps("SC-03")
        if step["decision"]
        for row in step["decision"]["rows"]
        if row["outcome"] == "decided"
    ]
    assert {"SEQ-11", "SEQ-13"} <= set(decided)
    assert verdict("SC-02")["t-0"].duplicates == 1
    assert verdict("SC-03")["t-0"].duplicates == 0
    assert verdict("SC-30", "no-sequence-check")["t-0"].reordered == 1


@pytest.mark.requirement("LOG-14")
def test_the_tape_of_every_replica_is_shown_and_acks_decide_about_loss() -> None:
    for view in views("SC-40", "acks-all"):
        for partition in view["partitions"].values():
            assert {"leader", "leader_epoch", "isr"} <= set(partition)
            for replica in partition["replicas"].values():
                ends = [
                    replica[name] for name in ("log_start", "last_stable_offset", "high_watermark", "log_end")
                ]
                assert ends == sorted(ends)
                assert replica["segments"]
    assert sum(one.lost for one in verdict("SC-40", "acks-one").values()) > 0
    assert sum(one.lost for one in verdict("SC-40", "acks-all").values()) == 0
    old = {step["refusal"]["error"] for step in steps("SC-33", "k20-expired") if step["refusal"]}
    new = {step["refusal"]["error"] for step in steps("SC-33", "k28-expired") if step["refusal"]}
    assert Error.UNKNOWN_PRODUCER_ID.name in old
    assert Error.UNKNOWN_PRODUCER_ID.name not in new


# -- coordinator ---------------------------------------------------------------------------------------


def transaction_of(view: dict[str, Any], name: str = "txn-1") -> dict[str, Any] | None:
    for broker in view["brokers"].values():
        found = broker.get("transactions", {}).get(name)
        if found is not None:
            return dict(found)
    return None


@pytest.mark.requirement("FND-8")
def test_the_chain_from_id_to_coordinator_is_shown() -> None:
    chains = [
        chain
        for view in views("SC-44", "k28")
        for broker in view["brokers"].values()
        for chain in broker.get("lookups", {}).values()
    ]
    assert chains
    for chain in chains:
        assert chain["key"] == "txn-1"
        assert chain["partition"] == abs(chain["hash"]) % 50
    assert any(chain["leader"] is not None for chain in chains)


@pytest.mark.requirement("TXC-24")
def test_state_pending_state_and_metadata_of_an_id_are_shown() -> None:
    table = machines()["transaction_states"]
    seen: list[str] = []
    for view in views("SC-44", "k28"):
        found = transaction_of(view)
        if found is None:
            continue
        assert found["state"] in table.states
        assert found["pending_state"] is None or found["pending_state"] in table.states
        assert {"producer_id", "producer_epoch", "timeout_ms", "partitions"} <= set(found)
        if not seen or seen[-1] != found["state"]:
            seen.append(found["state"])
    assert seen == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
    assert ever("SC-44", "k28", lambda view: (transaction_of(view) or {}).get("pending_state") is not None)
    assert all(
        any(name.startswith("__transaction_state-") for name in view["partitions"])
        for view in list(views("SC-44", "k28"))[-1:]
    )


@pytest.mark.requirement("CON-12")
def test_the_two_readers_differ_until_the_marker_and_after_an_abort() -> None:
    """Before the outcome, only the read_uncommitted consumer has the records. After an abort, it has records that
    never counted.
    """
    for reader in list(views("SC-46"))[-1]["consumers"].values():
        assert (reader["delivered_count"] == 0) == (reader["isolation"] == "read_committed")
    assert ever(
        "SC-44",
        "k28",
        lambda view: (
            view["consumers"]["c-uncommitted"]["delivered_count"] > 0
            and view["consumers"]["c-committed"]["delivered_count"] == 0
        ),
    )
    assert list(views("SC-44", "k28"))[-1]["consumers"]["c-committed"]["delivered_count"] == 2


@pytest.mark.requirement("FEN-8")
def test_epochs_of_both_instances_and_the_refused_numbers_are_shown() -> None:
    stale = {Error.PRODUCER_FENCED.name, Error.INVALID_PRODUCER_EPOCH.name}
    refused = [step["refusal"] for step in steps("SC-61", "k28") if step["refusal"]]
    fenced = [refusal for refusal in refused if refusal["error"] in stale]
    assert fenced
    assert all(len(refusal["compared"]) > 1 for refusal in fenced)
    epochs = [found["producer_epoch"] for view in views("SC-61", "k28") if (found := transaction_of(view))]
    assert epochs[-1] > epochs[0]
    last = list(views("SC-61", "k28"))[-1]["clients"]
    assert len({client["transaction_manager"]["producer_epoch"] for client in last.values()}) > 1
    old_coordinator = Error.TRANSACTION_COORDINATOR_FENCED.name
    assert any(
        step["refusal"] and step["refusal"]["error"] == old_coordinator for step in steps("SC-70", "check-on")
    )
    assert not any(
        step["refusal"] and step["refusal"]["error"] == old_coordinator
        for step in steps("SC-70", "check-off")
    )


@pytest.mark.requirement("UIV-1")
def test_one_cursor_moves_every_view_and_every_fate_of_a_message_can_be_drawn() -> None:
    """Each step of a run contains the changes of all components, and each message ends with one fate."""
    fates = set()
    changed = set()
    for name, variant in (("SC-08", "k28"), ("SC-88", "silent-for-a-while"), ("SC-58", "leader-moves")):
        open_messages: set[int] = set()
        for step, view in played(name, variant):
            changed |= {change["path"][0] for change in step["changes"]}
            for message in step["messages"]:
                fates.add(message["event"])
                if message["event"] == "sent":
                    open_messages.add(message["id"])
                elif message["event"] in ("delivered", "dropped", "lost"):
                    open_messages.discard(message["id"])
            for key, message in part(view, "network", "messages").items():
                assert int(key) in open_messages
                assert message["from"] and message["to"] and message["api"]
    assert fates >= {"sent", "delivered", "dropped", "delayed", "lost"}
    assert changed >= {
        "time",
        "applications",
        "clients",
        "consumers",
        "brokers",
        "partitions",
        "middleware",
        "network",
    }


def test_a_request_to_end_a_transaction_shows_which_way() -> None:
    shown = [
        message["fields"]["committed"]
        for view in views("SC-44", "k28")
        for message in view["network"]["messages"].values()
        if message["api"] == "EndTxn" and not message["is_response"]
    ]
    assert shown and all(shown)
