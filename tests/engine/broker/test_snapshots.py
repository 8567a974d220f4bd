"""Producer snapshots of a log: where they are written, and what a log that was cut or opened remembers because of
them.

Expected values follow ``Log.rebuildProducerState`` and ``ProducerStateManager`` of Kafka 2.0 and 2.8.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.vectors.producer_state import LogCase

VERSIONS = pytest.mark.parametrize("version", ["2.0", "2.8"])


def play(version: str, *operations: dict[str, Any], **config: int) -> LogCase:
    case = LogCase(config, version)
    for operation in operations:
        assert case.do(operation)["result"] == "OK", operation
    return case


def append(sequence: int, count: int = 1, pid: int = 7, txn: bool = False, **more: int) -> dict[str, Any]:
    return {"op": "append", "pid": pid, "epoch": 0, "seq": sequence, "n": count, "txn": txn, **more}


def cached(case: LogCase, pid: int = 7) -> list[tuple[int, int]]:
    (entry,) = [found for found in case.state()["producers"] if found["pid"] == pid]
    return [(first, last) for first, last, *_ in entry["batches"]]


FOUR = [append(sequence) for sequence in range(4)]


@VERSIONS
def test_a_cut_writes_a_snapshot_that_the_next_cut_starts_from(version: str) -> None:
    case = play(version, *FOUR, {"op": "truncate", "to": 2})
    assert cached(case) == [(0, 0), (1, 1)], "without a snapshot everything is read again"
    for operation in (append(2), append(3), {"op": "truncate", "to": 3}):
        case.do(operation)
    assert cached(case) == [(1, 1), (2, 2)], "the snapshot at 2 kept the newest batch alone"


@pytest.mark.parametrize(("version", "kept"), [("2.0", [(1, 1), (2, 2)]), ("2.8", [(0, 0), (1, 1), (2, 2)])])
def test_opening_drops_snapshots_between_segments_since_2_8(
    version: str, kept: list[tuple[int, int]]
) -> None:
    """The snapshot at offset 2 belongs to no segment: 2.8 deletes it when the log is opened (KAFKA-9393)."""
    case = play(version, *FOUR, {"op": "truncate", "to": 2}, append(2), append(3))
    case.log.close(clean=True)
    case.log.reopen(case.clock, clean=True)
    assert cached(case) == [(3, 3)]
    case.do({"op": "truncate", "to": 3})
    assert cached(case) == kept


@VERSIONS
def test_a_snapshot_at_the_log_start_is_not_used(version: str) -> None:
    """A producer that wrote only below the log start is unknown after the log was opened."""
    case = play(version, append(0, 6), {"op": "delete_records", "to": 6}, auto_hw=True)
    case.log.close(clean=True)
    case.log.reopen(case.clock, clean=True)
    assert case.state()["producers"] == []


@VERSIONS
def test_a_batch_that_the_log_start_lies_in_is_read_as_a_whole(version: str) -> None:
    operations: list[dict[str, Any]] = [
        append(0, 3),
        {"op": "delete_records", "to": 2},
        append(3, 2),
        {"op": "truncate", "to": 3},
    ]
    assert cached(play(version, *operations, auto_hw=True)) == [(0, 2)]


@VERSIONS
def test_what_is_appended_at_once_stays_in_one_segment(version: str) -> None:
    """The first of the two batches would still fit into the segment, but Kafka checks the size of the whole append
    (``Log.maybeRoll``).
    """
    two = {"op": "append", "batches": [append(1, 3), append(4, 3)], "origin": "replication"}
    case = play(version, append(0), two, auto_hw=True, segment_bytes=200)
    assert case.log.segments == [0, 1]
    read = case.do({"op": "read", "from": 1, "isolation": "read_uncommitted"})
    assert [batch["base_offset"] for batch in read["batches"]] == [1, 4]


@pytest.mark.parametrize(("version", "stable"), [("2.0", 0), ("2.8", 2)])
def test_a_cut_above_the_high_watermark_and_the_last_stable_offset(version: str, stable: int) -> None:
    """The replayed transaction is replicated already; 2.8 notices this at once, 2.0 at the next fetch."""
    marker = {"op": "marker", "pid": 7, "epoch": 0, "type": "COMMIT", "coordinator_epoch": 0}
    operations: list[dict[str, Any]] = [
        append(0, txn=True),
        marker,
        append(1),
        append(2),
        {"op": "hw", "offset": 2},
    ]
    case = play(version, *operations, {"op": "truncate", "to": 3})
    assert case.state()["lso"] == stable
    case.do({"op": "hw", "offset": 2})
    assert case.state()["lso"] == 2


@VERSIONS
@pytest.mark.parametrize("offset", [0, 5])
def test_reads_outside_the_log_are_refused(version: str, offset: int) -> None:
    case = play(version, append(0, 4), {"op": "delete_records", "to": 2}, auto_hw=True)
    read = case.do({"op": "read", "from": offset, "isolation": "read_committed"})
    assert read == {"result": "OFFSET_OUT_OF_RANGE"}
    assert case.do({"op": "delete_records", "to": 5}) == {"result": "OFFSET_OUT_OF_RANGE"}


@pytest.mark.parametrize(("version", "segments"), [("2.0", [0]), ("2.8", [0, 6])])
def test_a_duplicate_closes_a_full_segment_since_it_is_closed_first(
    version: str, segments: list[int]
) -> None:
    """2.8 rolls the segment before it looks for duplicates, 2.0 afterwards (``Log.append``)."""
    case = LogCase({"segment_bytes": 200}, version)
    for operation in (append(0, 3), append(3, 3)):
        assert case.do(operation)["result"] == "OK"
    assert case.do(append(3, 3))["result"] == "DUPLICATE"
    assert case.log.segments == segments


@VERSIONS
def test_without_the_brokers_checkpoints_a_log_begins_at_its_first_segment(version: str) -> None:
    """Records were deleted, but their segment still exists: log start and high watermark begin at 0 again, and a
    producer that wrote only below the log start is known again.
    """
    operations: list[dict[str, Any]] = [
        append(0),
        {"op": "roll"},
        append(0, pid=8),
        {"op": "hw", "offset": 2},
    ]
    case = play(version, *operations, {"op": "delete_records", "to": 1}, {"op": "reopen"})
    shown = case.state()
    assert (shown["log_start"], shown["hw"], shown["lso"]) == (0, 0, 0)
    assert (cached(case), cached(case, 8)) == ([(0, 0)], [(0, 0)])


@VERSIONS
def test_a_log_that_is_recovered_keeps_no_snapshot_within_a_segment(version: str) -> None:
    """After a crash, the newest segment is read from its start, and its snapshots are deleted; a later cut inside it
    finds none.
    """
    case = play(version, *FOUR, {"op": "truncate", "to": 2}, append(2), append(3))
    case.log.close(clean=False)
    case.log.reopen(case.clock, clean=False)
    assert cached(case) == [(3, 3)], "of the snapshot that the recovery wrote at the log end"
    case.do({"op": "truncate", "to": 3})
    assert cached(case) == [(0, 0), (1, 1), (2, 2)]


@VERSIONS
def test_recovery_makes_the_aborted_index_again(version: str) -> None:
    ends = [
        {"op": "marker", "pid": pid, "epoch": 0, "type": "ABORT", "coordinator_epoch": 0} for pid in (7, 8)
    ]
    operations: list[dict[str, Any]] = [
        append(0, txn=True),
        append(0, pid=8, txn=True),
        {"op": "roll"},
        *ends,
    ]
    case = play(version, *operations, auto_hw=True)
    before = case.state()["aborted_index"]
    case.log.close(clean=False)
    case.log.reopen(case.clock, clean=False, recovery_point=0)
    assert case.state()["aborted_index"] == before == [[7, 0, 2, 1], [8, 1, 3, 4]]


@pytest.mark.parametrize(("version", "stable"), [("2.0", 0), ("2.8", 1)])
def test_a_marker_read_again_holds_the_last_stable_offset_until_the_mark_moves(
    version: str, stable: int
) -> None:
    """2.0 counts a COMMIT that ends nothing as a transaction of its own. After a cut, this transaction has been
    decided, but 2.0 passes it only when the high watermark moves again.
    """
    commit = {"op": "marker", "pid": 8, "epoch": 0, "type": "COMMIT", "coordinator_epoch": 0}
    operations: list[dict[str, Any]] = [
        commit,
        append(0, txn=True),
        append(1, txn=True),
        {"op": "truncate", "to": 2},
    ]
    case = play(version, *operations, auto_hw=True)
    assert (case.state()["hw"], case.state()["lso"]) == (2, stable)
    case.do(append(1, txn=True))
    assert (case.state()["hw"], case.state()["lso"]) == (3, 1)


@VERSIONS
def test_a_follower_takes_several_batches_at_their_own_offsets(version: str) -> None:
    batches = [append(0, 2, base_offset=4), append(0, 1, pid=8, base_offset=9), append(0, 2, base_offset=10)]
    case = play(version, {"op": "append", "origin": "replication", "batches": batches}, auto_hw=True)
    assert (case.state()["leo"], cached(case), cached(case, 8)) == (12, [(0, 1), (0, 1)], [(0, 0)])
