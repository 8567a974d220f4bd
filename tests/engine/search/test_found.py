"""Faults of the engine that the search has found: each is the short run that showed it. A docstring says what went
wrong before the fix.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.broker.validation import Origin
from engine.client.configuration import resolve
from engine.client.transaction_manager import IllegalTransition, TransactionManager
from engine.coordinator.transaction_coordinator import TransactionCoordinator
from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.coordinator.transaction_states import ONGOING
from engine.events import PartitionsRegistered
from engine.judge.bench import Bench
from engine.messages import RecordBatch
from engine.profiles import K20, K28
from engine.recording import Judged
from engine.scenario.document import load
from engine.simulation import Simulation
from engine.switches import Switches
from engine.watching import Part, Watch
from tests.engine.narrowing import present
from tests.engine.search.folding import Folded
from tests.engine.search.watched import Watched

WORDS = {"en": "Found", "zh-Hans": "找到"}


def played(**document: Any) -> Simulation:
    simulation = Simulation(load({"id": "FOUND", "title": WORDS, **document}))
    simulation.run()
    assert simulation.finished == "complete"
    return simulation


def test_a_restarted_consumer_reads_again_a_log_that_no_producer_appends_to() -> None:
    """Before the fix, a restarted consumer waited until a partition changed, and so never read those without new
    records.
    """
    simulation = played(
        producers=[{"name": "p1"}],
        consumers=[{"name": "r1", "partitions": ["t-0"]}],
        applications=[{"name": "a", "client": "p1", "calls": [{"at": 10, "do": "send", "partition": "t-0"}]}],
        faults=[{"at": 500, "action": "crash", "actor": "r1", "for_ms": 50}],
    )
    assert simulation.view()["consumers"]["r1"]["positions"] == {"t-0": 1}


def test_an_answer_that_comes_while_a_consumer_rewinds_is_not_read() -> None:
    """Before the fix, the loop got records beyond the group's offset before those to which it was sent back."""
    sends = [{"at": 10 + 15 * index, "do": "send", "partition": "t-0"} for index in range(12)]
    slow = [
        {"match": {"api": "Fetch", "response": True, "to": "c1", "nth": nth}, "action": "delay", "by_ms": 40}
        for nth in (2, 3)
    ]
    simulation = played(
        producers=[{"name": "p1"}, {"name": "l1", "settings": {"transactional_id": "txn"}}],
        consumers=[{"name": "c1", "partitions": ["t-0"], "isolation": "read_committed", "group": "g"}],
        topics=[{"name": "t", "partitions": 1}, {"name": "out", "partitions": 1}],
        applications=[{"name": "a", "client": "p1", "calls": sends}],
        loops=[
            {"name": "l", "producer": "l1", "consumer": "c1", "output": ["out-0"], "batch": 2}
            | {"abort_rounds": [1, 2], "every": 5}
        ],
        faults=slow,
    )
    loop = simulation.world.loops["l"]
    taken = [offset for _, offset in loop.outputs]
    assert taken == sorted(taken) == list(range(12))
    assert [verdict.duplicates for verdict in simulation.verdicts()] == [0, 0]


@pytest.mark.parametrize("acks", [-1, 0])
@pytest.mark.parametrize("actor", ["broker-1", "p1"])
def test_a_crash_in_the_middle_of_a_senders_pass(actor: str, acks: int) -> None:
    """Before the fix, a request on a connection that had just ended was failed again and again without time passing,
    and a crashed client finished its pass.
    """
    calls = [{"at": 10, "do": "send", "partition": "t-0"}, {"at": 800, "do": "send", "partition": "t-0"}]
    document = {
        "id": "FOUND",
        "title": WORDS,
        "producers": [{"name": "p1", "settings": {"acks": acks, "retries": 9, "request_timeout_ms": 200}}],
        "applications": [{"name": "a", "client": "p1", "calls": calls}],
    }
    simulation = Watched(load(document))
    while (step := simulation.step()) is not None and not step.key.startswith("client.drained"):
        pass
    simulation.intervene({"action": "crash", "actor": actor})
    simulation.step()
    following = simulation.step()
    assert actor != "p1" or following is None or following.actor != "p1"
    simulation.run(until=600)
    simulation.intervene({"action": "restart", "actor": actor})
    simulation.run()
    assert simulation.finished == "complete"
    expected = {("broker-1", -1): 2, ("broker-1", 0): 0}.get((actor, acks), 1)
    assert simulation.verdicts()[0].stored == expected


def test_a_pause_holds_up_the_rest_of_a_pass() -> None:
    document = {
        "id": "FOUND",
        "title": WORDS,
        "producers": [{"name": "p1"}],
        "applications": [
            {"name": "a", "client": "p1", "calls": [{"at": 10, "do": "send", "partition": "t-0"}]},
            {"name": "b", "client": "p1", "calls": [{"at": 500, "do": "flush"}]},
        ],
        "faults": [{"at": 300, "action": "resume", "actor": "p1"}],
    }
    simulation = Simulation(load(document))
    while (step := simulation.step()) is not None and not step.key.startswith("client.drained"):
        pass
    simulation.intervene({"action": "pause", "actor": "p1"})
    simulation.step()
    acted = []
    while (step := simulation.step()) is not None:
        acted += [step.at] if step.actor == "p1" and step.kind == "sender_phase" else []
    assert min(acted) == 300
    assert simulation.verdicts()[0].stored == 1


def test_a_replica_that_read_its_log_again_shows_when_its_markers_are_known_as_stable() -> None:
    """Before the fix, the advance of the last stable offset was not reported, because the high watermark did not
    move.
    """
    shown = []

    class Seen(Watch):
        def touch(self, part: Part) -> None:
            shown.append(part)

    class Shown:
        path = ("partitions", "t-0")

        def view(self) -> dict[str, Any]:
            return {}

    log = PartitionLog(
        "t-0",
        1,
        profile=K20,
        switches=Switches(),
        configuration=BrokerConfiguration(),
        watch=Seen(recording=True),
        part=Shown(),
    )
    of: dict[str, Any] = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True, "record_count": 1}
    data = RecordBatch(**of, last_offset_delta=0, base_sequence=0, last_sequence=0)
    marker = RecordBatch(
        **of, last_offset_delta=0, is_control=True, control_type="COMMIT", coordinator_epoch=0
    )
    plain = RecordBatch(record_count=1, last_offset_delta=0)
    log.append_as_leader([data], 1, leader_epoch=0)
    log.append_as_leader([marker], 2, leader_epoch=0, origin=Origin.COORDINATOR)
    log.append_as_leader([plain], 3, leader_epoch=0)
    log.set_high_watermark(2)
    log.truncate(2, 4)
    assert log.last_stable_offset == 0
    shown.clear()
    assert not log.set_high_watermark(2)
    assert log.last_stable_offset == 2
    assert log.part in shown


def test_a_call_that_returns_in_the_middle_of_a_pass_is_seen_to_return() -> None:
    """Before the fix, the loop that had made the call was shown as blocked until the pass was over."""
    document = {
        "id": "FOUND",
        "title": WORDS,
        "producers": [{"name": "p1"}, {"name": "l1", "settings": {"transactional_id": "txn"}}],
        "consumers": [{"name": "c1", "partitions": ["t-0"], "group": "g"}],
        "topics": [{"name": "t", "partitions": 1}, {"name": "out", "partitions": 1}],
        "applications": [
            {"name": "a", "client": "p1", "calls": [{"at": 10, "do": "send", "partition": "t-0"}]}
        ],
        "loops": [{"name": "l", "producer": "l1", "consumer": "c1", "output": ["out-0"]}],
        "faults": [{"at": 1, "action": "deny", "operation": "Write", "resource": "topic:out"}],
    }
    simulation = Simulation(load(document))
    folded = Folded(simulation)
    returned = 0
    while simulation.number < 600 and (step := simulation.step()) is not None:
        list(folded.take(step))
        returned += step.kind == "sender_phase" and any(
            note["key"] == "client.call_returns" for note in step.notes
        )
        assert list(folded.differences()) == []
    assert returned


def test_a_new_coordinator_tells_what_it_finds_registered() -> None:
    """Before the fix, records of a transaction seemed to hang for ever if the coordinator that had registered it
    crashed before it reported that.
    """
    registered: list[Any] = []

    class Judging(Judged):
        def fact(self, fact: object) -> None:
            registered.append(fact)

    coordinator = TransactionCoordinator(
        "broker-1",
        profile=K20,
        watch=Judging(Bench()),
        producer_ids=SimpleNamespace(take=lambda: 1),
        partition_count=1,
    )
    known = TransactionMetadata("txn", 7, 1000, 0)
    image = known.image(5, ONGOING, partitions=frozenset({"t-1", "t-0"}), start_ms=5)
    coordinator.elect(0, 1, {"txn": image}, 9)
    assert registered == [PartitionsRegistered(producer_id=7, partitions=("t-0", "t-1"), coordinator_epoch=1)]


def test_a_coordinator_that_is_elected_again_shows_that_it_knows_nothing_yet() -> None:
    """Before the fix, the coordinator's ids stayed in the view until it had read the log."""
    document = {
        "id": "FOUND",
        "title": WORDS,
        "cluster": {"broker": {"transaction_state_partitions": 1}},
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn"}}],
        "applications": [{"name": "a", "client": "x1", "calls": [{"at": 10, "do": "init_transactions"}]}],
        "faults": [{"at": 300, "action": "change_leader", "partition": "__transaction_state-0", "broker": 1}],
    }
    simulation = Simulation(load(document))
    folded = Folded(simulation)
    led = 0
    while (step := simulation.step()) is not None:
        list(folded.take(step))
        led += step.key == "controller.leader_moved"
        assert list(folded.differences()) == []
    assert led == 1


def test_a_transaction_that_cannot_be_fenced_is_looked_at_again_by_the_next_scan() -> None:
    """Before the fix, the scan was repeated at the same moment without end."""
    calls = [
        {"at": 10, "do": "init_transactions"},
        {"at": 100, "do": "begin_transaction"},
        {"at": 101, "do": "send", "partition": "t-0"},
    ]
    log = "__transaction_state-0"
    document = {
        "id": "FOUND",
        "title": WORDS,
        "cluster": {"broker": {"transaction_state_partitions": 1, "transaction_scan_interval_ms": 1000}},
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn", "transaction_timeout_ms": 700}}],
        "applications": [{"name": "a", "client": "x1", "calls": calls}],
        "faults": [
            {"at": 500, "action": "shrink_isr", "partition": log, "broker": broker} for broker in (2, 3)
        ]
        + [{"at": 4500, "action": "restore_isr", "partition": log, "broker": broker} for broker in (2, 3)],
    }
    simulation = Watched(load(document))
    scanned = []
    while (step := simulation.step()) is not None:
        scanned += [step.at] if step.key == "coordinator.transaction_timed_out" else []
    assert scanned == [1000, 2000, 3000, 4000, 5000]
    assert present(simulation.judges.outcome_verdict()).aborted == 1


def test_a_loop_notices_that_its_consumer_started_again_though_it_never_saw_it_down() -> None:
    """The loop was waiting for its producer when its consumer restarted. Before the fix, it then took records from
    the new consumer that it already had.
    """
    sends = [{"at": 10 + index, "do": "send", "partition": "t-0"} for index in range(4)]
    document = {
        "id": "FOUND",
        "title": WORDS,
        "producers": [{"name": "p1"}, {"name": "l1", "settings": {"transactional_id": "txn"}}],
        "consumers": [{"name": "c1", "partitions": ["t-0"], "isolation": "read_committed", "group": "g"}],
        "topics": [{"name": "t", "partitions": 1}, {"name": "out", "partitions": 1}],
        "applications": [{"name": "a", "client": "p1", "calls": sends}],
        "loops": [{"name": "l", "producer": "l1", "consumer": "c1", "output": ["out-0"], "batch": 2}],
        "faults": [
            {"match": {"api": "Produce", "from": "l1", "response": True}, "action": "delay", "by_ms": 900}
        ],
    }
    simulation = Simulation(load(document))
    while (step := simulation.step()) is not None and step.key != "client.commit_transaction":
        pass
    for action in ("crash", "restart"):
        simulation.intervene({"action": action, "actor": "c1"})
        simulation.step()
    said = []
    while (step := simulation.step()) is not None:
        said.append(step.key)
    assert "loop.restarts" in said
    verdicts = {verdict.partition: verdict for verdict in simulation.verdicts()}
    assert (verdicts["out-0"].stored, verdicts["out-0"].duplicates) == (4, 0)


def test_a_marker_decides_what_lies_below_the_log_start_in_a_replica_that_read_its_log_again() -> None:
    """Before the fix, no transaction was known to be open there, so 2.8 did not show that the batch was committed."""
    calls = [
        {"at": 10, "do": "init_transactions"},
        {"at": 100, "do": "begin_transaction"},
        {"at": 101, "do": "send", "partition": "t-0"},
        {"at": 900, "do": "commit_transaction"},
    ]
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k28",
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn"}}],
        "applications": [{"name": "a", "client": "x1", "calls": calls}],
        "faults": [
            {"at": 500, "action": "delete_head", "partition": "t-0"},
            {"at": 600, "action": "crash", "actor": "broker-2", "for_ms": 50},
        ],
    }
    simulation = Simulation(load(document))
    folded = Folded(simulation)
    while (step := simulation.step()) is not None:
        list(folded.take(step))
        assert list(folded.differences()) == []
    replica = simulation.view()["partitions"]["t-0"]["replicas"]["2"]
    assert (replica["log_start"], replica["batches"]["0"]["outcome"]) == (1, "committed")


def test_a_loop_whose_calls_return_at_once_lets_time_pass_between_them() -> None:
    """Before the fix, a loop with max_block_ms 0 called commitTransaction() without end at one moment."""
    calls = [{"at": 10, "do": "send", "partition": "t-0"}]
    document = {
        "id": "FOUND",
        "title": WORDS,
        "switches": {"offsets_in_transaction": False},
        "producers": [
            {"name": "p1"},
            {"name": "l1", "settings": {"transactional_id": "txn", "max_block_ms": 0}},
        ],
        "consumers": [{"name": "c1", "partitions": ["t-0"], "isolation": "read_committed", "group": "g"}],
        "topics": [{"name": "t", "partitions": 1}, {"name": "out", "partitions": 1}],
        "applications": [{"name": "a", "client": "p1", "calls": calls}],
        "loops": [{"name": "l", "producer": "l1", "consumer": "c1", "output": ["out-0"], "rounds": 1}],
    }
    simulation = Watched(load(document))
    paused = []
    while (step := simulation.step()) is not None:
        paused += [step.at] if step.key == "loop.pauses" else []
    assert simulation.finished == "complete"
    assert len(paused) == len(set(paused)) > 1
    assert {verdict.partition: verdict.stored for verdict in simulation.verdicts()}["out-0"] == 1


def test_an_offsets_partition_that_joined_before_its_topic_was_created_takes_its_marker() -> None:
    """No request had used the partition since its topic was created. Before the fix, the leader therefore did not
    know it, and the marker was sent again and again.
    """
    calls = [
        {"at": 20, "do": "init_transactions"},
        {"at": 200, "do": "begin_transaction"},
        {"at": 200, "do": "send_offsets", "group": "h", "offsets": {"t-0": 2}},
    ]
    document = {
        "id": "FOUND",
        "title": WORDS,
        "cluster": {
            "internal_topics": False,
            "broker": {"transaction_state_partitions": 2, "offsets_partitions": 2},
        },
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn", "transaction_timeout_ms": 700}}],
        "consumers": [{"name": "c1", "partitions": ["t-0"], "group": "g"}],
        "applications": [{"name": "a", "client": "x1", "calls": calls}],
        "faults": [
            {"match": {"api": "FindCoordinator", "from": "c1", "nth": 1}, "action": "delay", "by_ms": 240},
            {"match": {"api": "AddOffsetsToTxn", "response": True}, "action": "crash", "actor": "x1"},
        ],
    }
    simulation = Simulation(load(document))
    said = []
    while simulation.number < 3000 and (step := simulation.step()) is not None:
        said.append(step.key)
    assert simulation.finished == "complete"
    assert present(simulation.judges.outcome_verdict()).aborted == 1


def test_a_commit_that_another_batch_failed_beside_has_its_answer_thrown_away() -> None:
    """Before the fix, the table had no row for EndTxn's response in ABORTABLE_ERROR, so the run broke (SC-78 shows
    the rest).
    """
    manager = TransactionManager(
        "p1",
        resolve({"transactional_id": "txn"}, K28, Switches()),
        K28,
        Switches(),
        Watch(),
    )
    manager.state = "ABORTABLE_ERROR"
    with pytest.raises(IllegalTransition):
        manager.end_transaction()
    assert manager.state == "ABORTABLE_ERROR"


def test_a_partition_held_back_for_one_batch_is_let_go_after_it_whatever_was_set_meanwhile() -> None:
    """A setting allows more requests in flight meanwhile. Before the fix, nothing released the partition then, and
    its waiting batches were never sent.
    """
    calls = [{"at": 50, "do": "send", "partition": "t-0", "records": 2, "every": 5}]
    simulation = played(
        producers=[{"name": "p1", "settings": {"max_in_flight": 1}}],
        applications=[{"name": "a", "client": "p1", "calls": calls}],
        faults=[
            {"match": {"api": "Produce", "response": True}, "action": "delay", "by_ms": 200},
            {"at": 100, "action": "set", "path": "clients.p1.max_in_flight", "value": 3},
        ],
    )
    assert simulation.verdicts()[0].stored == 2


def test_a_follower_that_is_to_count_again_holds_the_high_watermark_back() -> None:
    """Before the fix, while the leader's request was under way, other followers raised the high watermark above this
    follower's log end.
    """
    calls = [{"at": 50, "do": "send", "partition": "t-0", "records": 30, "every": 3, "size": 16000}]
    simulation = Simulation(
        load(
            {
                "id": "FOUND",
                "title": WORDS,
                "cluster": {"latency_ms": 12, "broker": {"replica_fetch_batches_max": 1}},
                "producers": [{"name": "p1", "settings": {"acks": 1}}],
                "applications": [{"name": "a", "client": "p1", "calls": calls}],
                "faults": [
                    {"at": 90, "action": "shrink_isr", "partition": "t-0", "broker": 3},
                    {"at": 100, "action": "restore_isr", "partition": "t-0", "broker": 3},
                ],
            }
        )
    )
    expanded = 0
    while (step := simulation.step()) is not None:
        expanded += step.key == "controller.isr_expanded"
        partition = simulation.view()["partitions"]["t-0"]
        replicas, leader = partition["replicas"], str(partition["leader"])
        for replica in partition["isr"]:
            assert replicas[str(replica)]["log_end"] >= replicas[leader]["high_watermark"]
    assert expanded


def test_kafka_20_stores_a_resend_again_whose_producer_went_with_the_deleted_head() -> None:
    """Kafka 2.0 itself does this (LOG-11): 2.8 remembers the producer and recognises the resent batch."""
    calls = [
        {"at": 20, "do": "init_transactions"},
        {"at": 100, "do": "begin_transaction"},
        {"at": 100, "do": "send", "partition": "t-0"},
        {"at": 100, "do": "commit_transaction"},
    ]
    duplicates = {}
    for profile in ("k20", "k28"):
        simulation = played(
            profile=profile,
            producers=[{"name": "x1", "settings": {"transactional_id": "txn", "request_timeout_ms": 300}}],
            applications=[{"name": "a", "client": "x1", "calls": calls}],
            faults=[
                {"match": {"api": "Produce", "response": True, "nth": 1}, "action": "drop"},
                {"at": 300, "action": "delete_head", "partition": "t-0"},
            ],
        )
        duplicates[profile] = simulation.verdicts()[0].duplicates
    assert duplicates == {"k20": 1, "k28": 0}


def test_deleted_records_are_not_lost_when_a_replica_leads_that_never_copied_them() -> None:
    """Before the fix, the replica began at the raised log start, and every record that it had never had counted as
    lost.
    """
    simulation = played(
        profile="k41",
        producers=[{"name": "p1"}],
        applications=[
            {"name": "a", "client": "p1", "calls": [{"at": 12000, "do": "send", "partition": "t-0"}]}
        ],
        faults=[
            {"at": 50, "action": "crash", "actor": "broker-2", "for_ms": 14000},
            {"at": 13000, "action": "delete_head", "partition": "t-0"},
            {"at": 20000, "action": "crash", "actor": "broker-3"},
            {"at": 40000, "action": "crash", "actor": "broker-1"},
        ],
    )
    partition = simulation.view()["partitions"]["t-0"]
    assert partition["leader"] == 2 and not partition["replicas"]["2"].get("batches")
    assert (simulation.verdicts()[0].stored, simulation.verdicts()[0].lost) == (0, 0)


@pytest.mark.parametrize(
    ("profile", "peer", "again"),
    [
        ("k010", "zookeeper", "broker.writes_isr_again"),
        ("k20", "zookeeper", "broker.writes_isr_again"),
        ("k28", "controller", "broker.asks_isr_again"),
    ],
)
def test_a_leader_whose_request_for_a_replica_is_lost_sends_it_again(
    profile: str, peer: str, again: str
) -> None:
    """Before the fix, the leader waited for ever, and the replica stayed out of sync as long as the leader led."""
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": profile,
        "faults": [
            {"at": 90, "action": "shrink_isr", "partition": "t-0", "broker": 3},
            {"at": 100, "action": "restore_isr", "partition": "t-0", "broker": 3},
        ],
    }
    simulation = Simulation(load(document))
    keys = []
    while (step := simulation.step()) is not None:
        keys.append(step.key)
        if step.key.endswith("s_isr_back"):
            (request,) = simulation.world.network.under_way.values()
            assert request.destination == peer
            simulation.intervene({"action": "drop_message", "message": request.id})
    assert keys.count(again) == 1
    assert simulation.view()["partitions"]["t-0"]["isr"] == [1, 2, 3]


def test_a_change_that_follows_from_an_answer_waits_until_the_whole_answer_is_read() -> None:
    """Before the fix, the leader sent the change at once, together with changes that the same response settled a
    moment later, and could not handle the second response to these.
    """
    partitions = ("t-0", "t-1", "t-2")
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k41",
        "topics": [{"name": "t", "partitions": 3, "leaders": [1, 1, 1]}],
        "faults": [
            *({"at": 90, "action": "shrink_isr", "partition": name, "broker": 3} for name in partitions),
            *({"at": 300, "action": "restore_isr", "partition": name, "broker": 3} for name in partitions),
            {"match": {"api": "AlterPartition", "response": True, "nth": 4}, "action": "delay", "by_ms": 20},
            {"at": 321, "action": "shrink_isr", "partition": "t-1", "broker": 3},
        ],
    }
    simulation = Simulation(load(document))
    simulation.run()
    shown = simulation.view()["partitions"]
    assert [shown[name]["isr"] for name in partitions] == [[1, 2, 3], [1, 2], [1, 2, 3]]


def test_offsets_of_a_topic_that_is_deleted_while_they_are_verified_leave_no_empty_batch() -> None:
    """Before the fix, the next batch got the same offset as the empty one, and the replicas of the group's partition
    differed.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k41",
        "cluster": {"broker": {"offsets_partitions": 1}},
        "topics": [{"name": "t", "partitions": 1}, {"name": "out", "partitions": 1}],
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn", "max_block_ms": 200}}],
        "applications": [
            {
                "name": "a",
                "client": "x1",
                "calls": [
                    {"at": 10, "do": "init_transactions"},
                    {"at": 100, "do": "begin_transaction"},
                    {"at": 100, "do": "send_offsets", "group": "g", "offsets": {"t-0": 1}},
                    {"at": 400, "do": "abort_transaction"},
                ],
            }
        ],
        "faults": [{"at": 256, "action": "delete_topic", "topic": "t"}],
    }
    simulation = Simulation(load({**document, "limits": {"time_ms": 3000}}))
    at: dict[str, int] = {}
    while (step := simulation.step()) is not None:
        at.setdefault(step.key, step.at)
    assert (
        at["broker.has_coordinator_add"]
        < at["fault.topic_deleted"]
        < at["coordinator.transaction_begins_by_leader"] + 5
    )
    for broker in simulation.world.brokers.values():
        batches = broker.replicas["__consumer_offsets-0"].log.batches
        assert all(batch.last_offset >= batch.base_offset for batch in batches)


def test_a_producer_that_may_not_abort_closes_by_force() -> None:
    """Before the fix, the exception of the call, which ``Sender.run`` catches since 3.4, counted as an error of the
    engine.
    """
    calls = [
        {"at": 10, "do": "init_transactions"},
        {"at": 200, "do": "begin_transaction"},
        {"at": 200, "do": "send", "partition": "t-0"},
        {"at": 210, "do": "commit_transaction"},
        {"at": 900, "do": "close"},
    ]
    settings = {
        "transactional_id": "txn",
        "max_block_ms": 150,
        "batch_expiry_ms": 300,
        "request_timeout_ms": 100,
    }
    simulation = Simulation(
        load(
            {
                "id": "FOUND",
                "title": WORDS,
                "profile": "k39",
                "producers": [{"name": "x1", "settings": settings}],
                "applications": [{"name": "a", "client": "x1", "calls": calls}],
                "faults": [{"match": {"api": "Produce", "times": 50}, "action": "drop"}],
            }
        )
    )
    said = set()
    while (step := simulation.step()) is not None:
        said |= {step.key, *(note["key"] for note in step.notes)}
    assert {"client.close_cannot_abort", "client.closed"} <= said
    assert simulation.finished == "complete"


def test_a_topic_that_is_due_while_no_controller_is_active_is_created_by_the_next_one() -> None:
    """Before the fix, the creation of the topic was due again and again at one moment."""
    simulation = Watched(
        load(
            {
                "id": "FOUND",
                "title": WORDS,
                "profile": "k39",
                "cluster": {"internal_topics": False, "broker": {"controller_failover_ms": 200}},
                "producers": [{"name": "x1", "settings": {"transactional_id": "txn"}}],
                "applications": [
                    {"name": "a", "client": "x1", "calls": [{"at": 0, "do": "init_transactions"}]}
                ],
                "faults": [{"at": 25, "action": "fail_controller"}],
            }
        )
    )
    at: dict[str, int] = {}
    while (step := simulation.step()) is not None:
        at.setdefault(step.key, step.at)
    assert at["controller.topic_creation_begins"] < 25
    assert at["controller.topic_created"] == at["quorum.controller_elected"] == 225
    assert simulation.finished == "complete"


def test_a_broker_that_was_away_applies_what_it_reads_as_one_change() -> None:
    """Before the fix, the broker applied each state of the partition in turn, and so led again for a moment with an
    old state: with its in-sync replicas it raised a high watermark, and its coordinator took a record for replicated.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k41",
        "faults": [
            {"at": 90, "action": "pause", "actor": "broker-3", "for_ms": 60},
            {"at": 100, "action": "change_leader", "partition": "t-0", "broker": 3},
            {"at": 110, "action": "change_leader", "partition": "t-0", "broker": 2},
        ],
    }
    simulation = Simulation(load(document))
    led = set()
    while (step := simulation.step()) is not None:
        led |= {note["params"]["broker"] for note in step.notes if note["key"] == "broker.became_leader"}
    assert led == {"broker-2"}
    assert simulation.view()["partitions"]["t-0"]["isr"] == [1, 2, 3]


def test_markers_that_wait_behind_a_request_are_sent_when_its_connection_ends() -> None:
    """The same broker is elected again while its markers are under way. Before the fix, the markers of the new
    election waited behind the old request, and nothing sent them when that request timed out.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k39",
        "cluster": {"broker": {"marker_request_timeout_ms": 100, "loading_ms": 20}},
        "producers": [{"name": "x1", "settings": {"transactional_id": "txn-1"}}],
        "applications": [
            {
                "name": "a",
                "client": "x1",
                "calls": [
                    {"at": 0, "do": "init_transactions"},
                    {"at": 150, "do": "begin_transaction"},
                    {"at": 150, "do": "send", "partition": "t-0"},
                    {"at": 220, "do": "commit_transaction"},
                ],
            }
        ],
        "faults": [
            {"match": {"api": "WriteTxnMarkers", "nth": 1}, "action": "delay", "by_ms": 1_000},
            {"at": 250, "action": "change_leader", "partition": "__transaction_state-10", "broker": 2},
        ],
    }
    simulation = Simulation(load(document))
    said = []
    while (step := simulation.step()) is not None:
        said += [step.key, *(note["key"] for note in step.notes)]
    assert said.index("markers.cancelled") > said.index("coordinator.resumes_markers")
    assert "coordinator.all_markers_acknowledged" in said


def test_a_broker_that_reads_late_of_an_internal_partition_in_use_leads_it() -> None:
    """The coordinator was looked up while it was paused and did not know yet that the partition exists. Before the
    fix, it never learned of the first use, and answered NOT_COORDINATOR without end.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k39",
        "cluster": {"internal_topics": False, "broker": {"offsets_partitions": 2}},
        "consumers": [{"name": "c1", "partitions": ["t-0"], "group": "g"}],
        "faults": [{"at": 20, "action": "pause", "actor": "broker-2", "for_ms": 250}],
    }
    simulation = Simulation(load(document))
    said = []
    while simulation.number < 3000 and (step := simulation.step()) is not None:
        said += [step.key, *(note["key"] for note in step.notes)]
    assert simulation.finished == "complete"
    assert simulation.view()["partitions"]["__consumer_offsets-1"]["leader"] == 2
    assert "broker.became_leader" in said


def test_a_follower_that_caught_up_while_another_left_is_in_sync_again() -> None:
    """The controller removed broker-3 first, so it refused the pending request for broker-2 as outdated. Before the
    fix, the leader never tried again, because broker-2 had no record to fetch.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k41",
        "cluster": {"broker": {"session_timeout_ms": 100}},
        "producers": [{"name": "p1"}],
        "applications": [
            {"name": "a", "client": "p1", "calls": [{"at": 10, "do": "send", "partition": "t-0"}]}
        ],
        "faults": [
            {"at": 60, "action": "crash", "actor": "broker-2", "for_ms": 300},
            {"match": {"api": "AlterPartition", "nth": 1}, "action": "delay", "by_ms": 600},
            {"at": 420, "action": "crash", "actor": "broker-3"},
        ],
    }
    simulation = Simulation(load(document))
    said = []
    while (step := simulation.step()) is not None:
        said += [step.key, *(note["key"] for note in step.notes)]
    assert "quorum.partition_epoch_old" in said
    assert simulation.view()["partitions"]["t-0"]["isr"] == [1, 2]


def test_a_follower_that_stopped_while_another_was_refused_as_ineligible_is_removed() -> None:
    """broker-2 stopped while the leader's request for broker-3 was pending. Before the fix, the leader never tried to
    remove broker-2 after that request was refused.
    """
    document = {
        "id": "FOUND",
        "title": WORDS,
        "profile": "k41",
        "cluster": {"broker": {"session_timeout_ms": 200}},
        "faults": [
            {"at": 90, "action": "shrink_isr", "partition": "t-0", "broker": 3},
            {"at": 300, "action": "restore_isr", "partition": "t-0", "broker": 3},
            {"match": {"api": "AlterPartition", "nth": 2}, "action": "delay", "by_ms": 600},
            {"at": 320, "action": "crash", "actor": "broker-3"},
            {"at": 400, "action": "shrink_isr", "partition": "t-0", "broker": 2},
        ],
    }
    simulation = Simulation(load(document))
    said = []
    while (step := simulation.step()) is not None:
        said.append(step.key)
    assert "quorum.replica_ineligible" in said
    assert simulation.view()["partitions"]["t-0"]["isr"] == [1]
