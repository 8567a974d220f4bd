"""What real clients did to a real broker, done again in the engine (``kafka-logs/_transaction_version_0``).

The recordings are of Kafka 4.1 with the older transaction protocol and of librdkafka; the engine plays its 2.8
profile. The same actions in the same order must give the same offsets, control markers with the same epochs, the
same last stable offset at each view, the same records under both isolation levels, and the same group offsets.
Differences of version or client that a case allows are listed in :data:`ALLOWED`, by name.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from engine.codec.batch_message import message_of
from engine.codec.segment import SegmentReader
from engine.scenario.document import load
from engine.simulation import Simulation

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs" / "_transaction_version_0"
CASES = {"c_commit": "phase1", "d_abort": "phase1", "f_ctp": "phase2", "g_zombie": "phase2"}
ALLOWED = {
    "producer ids": "a real cluster hands out others; compared by the order in which they first write",
    "batching": "librdkafka cuts batches elsewhere; records are compared, not batches",
    "fatal at the producer": "librdkafka ends a producer that is fenced at a leader; 2.8's Java client may abort",
}
STEP_MS = 1000
"""One action a second: a scripted call waits for nobody else's."""
CALLS = {
    "init_transactions": "init_transactions",
    "begin_transaction": "begin_transaction",
    "commit_transaction": "commit_transaction",
    "abort_transaction": "abort_transaction",
    "flush": "flush",
}


def name_of(producer):
    return "p-" + producer.replace(".", "-")


def call_of(action, at):
    if action["action"] == "produce":
        return {"at": at, "do": "send", "partition": f"{action['topic']}-{action['partition']}"}
    if action["action"] == "send_offsets_to_transaction":
        offsets = {f"{topic}-{number}": offset for topic, number, offset in action["offsets"]}
        return {"at": at, "do": "send_offsets", "group": action["group"], "offsets": offsets}
    return {"at": at, "do": CALLS[action["action"]]}


def document_of(recording):
    """The recording as a scenario; returns it with the time at which each action's turn is over."""
    settings, calls, over = {}, {}, {}
    turns = groupby(recording["actions"], key=lambda found: (found["producer"], found["action"]))
    for number, ((producer, kind), actions) in enumerate(turns):
        at = (number + 1) * STEP_MS
        for action in actions:
            over[action["n"]] = at + STEP_MS - 1
            if kind == "new_producer":
                config = action["config"]
                settings[producer] = {"linger_ms": config["linger.ms"], "enable_idempotence": True}
                if "transactional.id" in config:
                    settings[producer] = {
                        "linger_ms": config["linger.ms"],
                        "transactional_id": config["transactional.id"],
                    }
            else:
                calls.setdefault(producer, []).append(call_of(action, at))
    return {
        "id": "recorded",
        "title": {"en": recording["about"], "zh-Hans": recording["about"]},
        "cluster": {"brokers": 1},
        "topics": [
            {"name": topic["topic"], "partitions": topic["partitions"], "replication": 1}
            for topic in recording["topics"]
        ],
        "producers": [{"name": name_of(found), "settings": given} for found, given in settings.items()],
        "consumers": [
            {"name": "committed", "isolation": "read_committed"},
            {"name": "uncommitted", "isolation": "read_uncommitted"},
        ],
        "applications": [
            {"name": f"app-{number}", "client": name_of(found), "calls": made}
            for number, (found, made) in enumerate(calls.items())
        ],
    }, over


def delivered(view, consumer, partition):
    stretches = view["consumers"][consumer]["lanes"][partition]["stretches"]
    return [
        offset for first, last, fate in stretches if fate == "delivered" for offset in range(first, last + 1)
    ]


def markers_of(batches):
    """(offset, type, epoch, producer by order of first appearance) of each control batch."""
    seen = list(dict.fromkeys(batch.producer_id for batch in batches))
    return [
        (batch.base_offset, batch.control_type, batch.producer_epoch, seen.index(batch.producer_id))
        for batch in batches
        if batch.is_control
    ]


@pytest.mark.parametrize("case", CASES)
def test_the_same_actions_give_the_same_logs_and_the_same_views(case):
    recording = json.loads((LOGS / case / f"{CASES[case]}.json").read_text(encoding="utf-8"))
    document, over = document_of(recording)
    simulation = Simulation(load(document))
    for recorded in recording["views"]:
        done = [action["n"] for action in recording["actions"] if action["t_ms"] <= recorded["t_ms"]]
        simulation.run(until=over[max(done)])
        view = simulation.view()
        for partition, expected in recorded["partitions"].items():
            log = view["partitions"][partition]["replicas"]["1"]
            place = f"{recorded['label']} {partition}"
            for name in ("log_start", "high_watermark", "last_stable_offset"):
                assert log[name] == expected[name], f"{place} {name}"
            everything = [record["offset"] for record in expected["read_uncommitted"]]
            assert delivered(view, "uncommitted", partition) == everything, place
            assert delivered(view, "committed", partition) == expected["read_committed_offsets"], place
    simulation.run()
    assert_markers(simulation, case, recording)
    assert_offsets(simulation, recording)
    assert simulation.judges.outcome_verdict().torn == 0
    assert not any(row.broken_at for row in simulation.judges.guarantees.values())


def assert_markers(simulation, case, recording):
    """Control batches are those of the recorded segment: offset, type, epoch, and whose they are."""
    broker = simulation.world.brokers["broker-1"]
    found = 0
    for partition in recording["views"][-1]["partitions"]:
        segment = (LOGS / case / partition / "00000000000000000000.log").read_bytes()
        real = [message_of(row, 0) for row in SegmentReader().rows(segment)]
        assert markers_of(broker.replicas[partition].log.batches) == markers_of(real), partition
        found += len(markers_of(real))
    assert found, "a recording without a marker proves nothing"


def assert_offsets(simulation, recording):
    """The offsets that the group was told at the end."""
    expected = recording.get("committed_offsets")
    if expected is None:
        return
    (group,) = simulation.world.brokers["broker-1"].groups.coordinator.groups.values()
    told = {name: group.committed(name) for name in group.visible}
    assert told == expected


def test_a_changed_recording_is_noticed():
    recording = json.loads((LOGS / "d_abort" / "phase1.json").read_text(encoding="utf-8"))
    last = recording["actions"][36]
    assert last["action"] == "flush"
    recording["actions"][37]["action"] = "abort_transaction"
    document, _ = document_of(recording)
    simulation = Simulation(load(document))
    simulation.run()
    with pytest.raises(AssertionError):
        assert_markers(simulation, "d_abort", recording)
