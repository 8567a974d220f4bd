"""The transactions found in the files are compared with what the clients did, and with what a broker answered step by
step.
"""

import json
from pathlib import Path

import pytest

from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.directories import find_directories
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.test_partition import folded, offsets, view_id

ENDS = {"commit_transaction": "committed", "abort_transaction": "aborted"}
KILLED = "begin+produce+flush"
"""The action of a client that was killed after its flush; the client does not know how its transaction ended."""

Written = tuple[str, str | None, tuple[int, ...]]
"""Transactional id, result (None if the client does not know it), offsets in one partition."""


def scenarios() -> list[Path]:
    """Return the folders whose clients used transactions, but for `l_compact`, where compaction has removed data."""
    found = sorted({path.parent for path in KAFKA_LOGS.rglob("phase*.json")})
    return [one for one in found if one.name != "l_compact" and client_transactions(one)]


def client_transactions(scenario: Path) -> dict[str, list[Written]]:
    """Return partition → what each transaction of each client wrote there."""
    done: dict[str, list[Written]] = {}
    ids: dict[str, str] = {}
    open_now: dict[str, dict[str, list[int]]] = {}

    def end(producer: str, transactional_id: str, result: str | None) -> None:
        for partition, numbers in open_now.pop(producer, {}).items():
            done.setdefault(partition, []).append((transactional_id, result, tuple(sorted(numbers))))

    for path in sorted(scenario.glob("phase*.json")):
        for action in json.loads(path.read_text())["actions"]:
            producer, what = action["producer"], action["action"]
            if what == "new_producer" and "transactional.id" in action["config"]:
                ids[producer] = action["config"]["transactional.id"]
            elif what == "begin_transaction" and action["ok"]:
                open_now[producer] = {}
            elif what == "produce" and producer in open_now and action.get("offset") is not None:
                partition = f"{action['topic']}-{action['partition']}"
                open_now[producer].setdefault(partition, []).append(action["offset"])
            elif what in ENDS:
                # A client that could not end its transaction was fenced, and the coordinator aborted the transaction.
                end(producer, ids[producer], ENDS[what] if action["ok"] else "aborted")
            elif what == KILLED:
                for number, offset in action["partition_offsets"]:
                    partition = f"{action['topic']}-{number}"
                    open_now.setdefault(producer, {}).setdefault(partition, []).append(offset)
                end(producer, action["transactional_id"], None)
    for producer in list(open_now):
        end(producer, ids[producer], None)
    return done


def coordinator_of(scenario: Path) -> Coordinator:
    coordinator = Coordinator()
    for directory in find_directories([scenario.parent / "_internal"]):
        if directory.name.startswith("__transaction_state-"):
            coordinator.read(directory.name, directory.rows(segment_reader()))
    return coordinator


@pytest.mark.parametrize("scenario", scenarios(), ids=view_id)
def test_transactions_are_what_the_clients_did(scenario: Path) -> None:
    coordinator = coordinator_of(scenario)
    assert coordinator.damaged == 0
    for partition, wanted in client_transactions(scenario).items():
        seen = {}
        for one in folded(scenario / partition).transactions:
            entry = coordinator.latest_of(one.producer_id)
            assert entry is not None
            seen[tuple(offsets(tuple(one.ranges)))] = (entry.transactional_id, one.result)
        by_offsets = {written: (name, result) for name, result, written in wanted}
        assert set(seen) == set(by_offsets), partition
        for written, (name, result) in by_offsets.items():
            assert seen[written] == (name, result or seen[written][1]), (partition, written)


def test_the_clients_did_enough() -> None:
    counted = [one for path in scenarios() for many in client_transactions(path).values() for one in many]
    assert len(counted) > 60
    assert {result for _, result, _ in counted} == {"committed", "aborted", None}


RECORDINGS = sorted(
    path for path in KAFKA_LOGS.rglob("wire/*.json") if "fetch" in json.loads(path.read_text())
)


@pytest.mark.parametrize("path", RECORDINGS, ids=view_id)
def test_a_recorded_broker_step_by_step(path: Path) -> None:
    recording = json.loads(path.read_text())
    for number in range(recording["partitions"]):
        folder = path.parent / f"{recording['topic']}-{number}"
        if not folder.exists():
            continue
        moments = {
            (step["after"]["high_watermark"][number], step["after"]["last_stable_offset"][number])
            for step in recording["steps"]
        }
        for high_watermark, last_stable_offset in sorted(moments):
            assert folded(folder, cut=high_watermark).last_stable_offset() == last_stable_offset
        partition = folded(folder)
        for fetch in recording["fetch"]:
            if fetch["partition"] != number:
                continue
            assert partition.high_watermark == fetch["high_watermark"]
            assert partition.last_stable_offset() == fetch["last_stable_offset"]
            assert partition.log_start == fetch["log_start_offset"]
            if fetch["isolation_level"] == "read_committed":
                answered = {
                    (one["producer_id"], one["first_offset"]) for one in fetch["aborted_transactions"] or ()
                }
                # The broker answers for everything that it could have sent: here the whole log, even beyond the LSO.
                assert {one[:2] for one in partition.aborted_index} == answered
