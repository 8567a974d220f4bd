"""Logs that ordinary clusters have: with records of later group protocols, with unknown control records, with an
offset above 0 as their start, or beside files that the broker has not yet removed. Each partition gets its row in the
case, and nothing stops the reading.
"""

import struct
from pathlib import Path
from typing import Any

import pytest

from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker
from eosviz.pipeline.kafka_logs.case import Case, read_case
from tests.pipeline.kafka_logs.printed import document

FIRST = f"{0:020}.log"
FAR = 123_456_789_012


def batch(at: int, *pairs: tuple[bytes | None, bytes | None], producer_id: int = -1, **more: int) -> bytes:
    known = producer_id >= 0
    return encode_batch(
        [Record(at + index, 1000, key, value) for index, (key, value) in enumerate(pairs or [(b"k", b"v")])],
        base_offset=at,
        partition_leader_epoch=0,
        producer_id=producer_id,
        producer_epoch=more.get("epoch", 0 if known else -1),
        base_sequence=more.get("sequence", 0 if known else -1),
        is_transactional=known,
    )


def marker(control_type: ControlType, at: int, epoch: int = 0, producer_id: int = 7) -> bytes:
    return encode_marker(
        control_type, 0, producer_id=producer_id, producer_epoch=epoch, timestamp=1000, base_offset=at
    )


def control(at: int, type_code: int, producer_id: int = -1) -> bytes:
    """Return a control batch of any type, such as KRaft's own log contains."""
    return encode_batch(
        [Record(at, 1000, struct.pack(">hh", 0, type_code), bytes(6))],
        base_offset=at,
        producer_id=producer_id,
        is_control=True,
    )


def case_of(folder: Path, files: dict[str, bytes]) -> Case:
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return read_case([folder])


def row(case: Case, name: str) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [one for one in document(case)["partitions"] if one["name"] == name]
    return found


def test_records_of_later_group_protocols_stand_beside_offsets_and_harm_none(tmp_path: Path) -> None:
    """KIP-848, KIP-932 and KIP-1071 write keys with version 3 and higher."""
    offset = (b"\0\1\0\1g\0\1t" + bytes(4), b"\0\2" + struct.pack(">q", 5) + bytes(2) + struct.pack(">q", 9))
    later = [
        (struct.pack(">h", version) + b"\0\1g", value)
        for version in range(3, 40)
        for value in (None, b"\0\0x")
    ]
    case = case_of(tmp_path, {f"__consumer_offsets-0/{FIRST}": batch(0, *later, offset, *later)})
    assert [(one["group"], one["committed_offset"]) for one in document(case)["groups"]] == [("g", 5)]
    assert (row(case, "__consumer_offsets-0")["corrupt"], case.groups.damaged) == (0, 0)


def test_internal_topics_that_are_not_read_are_logs_like_others(tmp_path: Path) -> None:
    share = [(struct.pack(">h", version) + b"\0\1s" + bytes(20), b"\0\0\1") for version in range(8)]
    kraft = b"".join(control(at, code) for at, code in enumerate((2, 3, 4, 5, 6, 99)))
    case = case_of(
        tmp_path,
        {
            f"__share_group_state-0/{FIRST}": batch(0, *share),
            f"__cluster_metadata-0/{FIRST}": kraft + batch(6, (None, b"\1\0\0\1")),
            "__cluster_metadata-0/00000000000000000007-0000000003.checkpoint": control(0, 3),
            "__cluster_metadata-0/quorum-state": b"{}",
        },
    )
    assert row(case, "__share_group_state-0")["data_records"] == 8
    metadata = row(case, "__cluster_metadata-0")
    assert (metadata["control_batches"], metadata["corrupt"], metadata["last_stable_offset"]) == (6, 0, 7)
    assert document(case)["producers"] == []


@pytest.mark.parametrize("type_code", [2, 3, 7, 127, -1, 32767])
def test_a_control_record_that_is_no_marker_ends_no_transaction(tmp_path: Path, type_code: int) -> None:
    log = batch(0, producer_id=7) + control(1, type_code, producer_id=7)
    found = row(case_of(tmp_path, {f"t-0/{FIRST}": log}), "t-0")
    assert (found["control_batches"], found["corrupt"], found["last_stable_offset"]) == (1, 0, 0)


def test_a_marker_without_a_producer_ends_no_transaction(tmp_path: Path) -> None:
    log = marker(ControlType.COMMIT, 0, epoch=-1, producer_id=-1) + batch(1)
    case = case_of(tmp_path, {f"t-0/{FIRST}": log})
    assert document(case)["producers"] == []
    assert document(case)["visible_read_committed"] == {"t-0": ((1, 1),)}


@pytest.mark.parametrize(("start", "stable"), [(0, 0), (3, 3), (6, 6)])
def test_what_is_left_of_an_open_transaction_holds_the_log_from_its_start(
    tmp_path: Path, start: int, stable: int
) -> None:
    """DeleteRecords removed the first part of the transaction: the last stable offset is never below the log start."""
    log = b"".join(batch(at, producer_id=7, sequence=at) for at in range(6))
    checkpoint = f"0\n1\nt 0 {start}\n".encode()
    case = case_of(tmp_path, {f"t-0/{FIRST}": log, "log-start-offset-checkpoint": checkpoint})
    found = row(case, "t-0")
    assert (found["log_start"], found["last_stable_offset"]) == (start, stable)
    assert found["held_by"]["first_offset"] == 0


def test_a_log_may_begin_far_above_zero_or_be_empty(tmp_path: Path) -> None:
    far = f"{FAR:020}.log"
    log = batch(FAR, producer_id=7, sequence=55) + marker(ControlType.ABORT, FAR + 1)
    case = case_of(
        tmp_path, {f"far-0/{far}": log, f"empty-0/{far}": b"", "tiered-0/leader-epoch-checkpoint": b"0\n0\n"}
    )
    for name, end in (("far-0", FAR + 2), ("empty-0", FAR)):
        found = row(case, name)
        assert (found["log_start"], found["last_stable_offset"], found["corrupt"]) == (FAR, end, 0)
    assert [one["result"] for one in document(case)["transactions"]] == ["aborted"]
    assert document(case)["visible_read_committed"] == {"far-0": (), "empty-0": ()}


def test_what_a_broker_has_not_cleared_away_yet_is_not_read(tmp_path: Path) -> None:
    other = batch(0, producer_id=9)
    leftovers = {
        f"t-0/{name}{ending}": other
        for name in (FIRST, "00000000000000000000.index", "00000000000000000000.txnindex")
        for ending in (".deleted", ".cleaned", ".swap")
    }
    aside = {f"t-0.{5:032x}-{ending}/{FIRST}": other for ending in ("delete", "stray", "future")}
    log = batch(0, producer_id=7) + marker(ControlType.COMMIT, 1)
    case = case_of(tmp_path, {f"t-0/{FIRST}": log, **leftovers, **aside})
    found = document(case)
    assert [one["producer_id"] for one in found["producers"]] == [7]
    assert [Path(one).name[-6:] for one in found["left_out"]] == ["delete", "-stray"]
    assert [one["name"] for one in found["copies"]] == ["t-0"], "what moves to another disk is a copy"


def test_with_transaction_version_2_every_marker_raises_the_epoch(tmp_path: Path) -> None:
    """KIP-890: the marker of data with epoch n has epoch n + 1, with which the next transaction writes."""
    kinds = (ControlType.COMMIT, ControlType.ABORT, ControlType.COMMIT)
    log = b"".join(
        batch(2 * epoch, producer_id=7, epoch=epoch) + marker(kind, 2 * epoch + 1, epoch + 1)
        for epoch, kind in enumerate(kinds)
    )
    case = case_of(tmp_path, {f"t-0/{FIRST}": log})
    found = document(case)
    assert [one["result"] for one in found["transactions"]] == ["committed", "aborted", "committed"]
    assert found["visible_read_committed"] == {"t-0": ((0, 0), (4, 4))}
    assert [(one["epoch"], one["gaps"], one["duplicates"]) for one in found["producers"]] == [(3, 0, 0)]
    assert {one["kind"] for one in found["verdicts"]} == {"healthy"}
