"""Verdicts on the real files, and on files that the tests cut or changed so that each verdict occurs."""

import json
import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_log_record import (
    TransactionLogValue,
    TransactionStatus,
    encode_key,
    encode_value,
)
from eosviz.pipeline.kafka_logs.case import Case, ReadingHere, read_case
from eosviz.pipeline.kafka_logs.coordinator import partition_of
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import find_directories
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document

LOG = f"{0:020}.log"
INTERNAL = KAFKA_LOGS / "_internal"
OPEN_SINCE = 1_795_252_734_084
PARTITIONS = (("hangopen", 0),)


def verdicts(case: Case, partition: str) -> list[dict[str, Any]]:
    return [one for one in document(case)["verdicts"] if one["partition"] == partition]


def only(case: Case, partition: str) -> dict[str, Any]:
    (verdict,) = verdicts(case, partition)
    return verdict


def value(status: TransactionStatus, epoch: int = 0, **changes: Any) -> TransactionLogValue:
    fields: dict[str, Any] = {
        "producer_id": 1022,
        "producer_epoch": epoch,
        "timeout_ms": 900_000,
        "status": status,
        "partitions": PARTITIONS,
        "last_update_ms": OPEN_SINCE,
        "start_ms": OPEN_SINCE,
    }
    return TransactionLogValue(**(fields | changes))


def coordinator_log(folder: Path, *values: TransactionLogValue | None) -> Path:
    """Write partitions of __transaction_state: one has `values` for the id tx, where None is a tombstone; another
    knows the producer whose markers are in hangopen-0.
    """
    committed = value(TransactionStatus.COMPLETE_COMMIT, producer_id=1021, partitions=())
    for name, written in (("tx", values), ("another", (committed,))):
        place = folder / partition_of(name, 4)
        place.mkdir()
        (place / LOG).write_bytes(b"".join(record(offset, name, one) for offset, one in enumerate(written)))
    return folder


def record(offset: int, name: str, one: TransactionLogValue | None) -> bytes:
    body = None if one is None else encode_value(one)
    return encode_batch(
        [Record(offset, OPEN_SINCE + offset, encode_key(name), body)],
        base_offset=offset,
        partition_leader_epoch=0,
    )


KNOWN = Declared(transaction_partitions=4, rest_empty=True, one_cluster=True)
"""What the person who copied the files declares, except for the time."""
STATED = replace(KNOWN, copied_after=OPEN_SINCE + 200_000)


def copied(source: Path, folder: Path, end: int | None = None, more: bytes = b"") -> Path:
    """Write the first `end` bytes of the log of `source`, followed by `more`, under the same name. Returns the copy."""
    place = folder / source.name
    place.mkdir()
    (place / LOG).write_bytes((source / LOG).read_bytes()[:end] + more)
    return place


HANGOPEN = KAFKA_LOGS / "h2_open" / "hangopen-0"


def test_a_transaction_that_the_coordinator_counts_as_ongoing_is_slow_but_alive() -> None:
    verdict = only(read_case([KAFKA_LOGS / "h2_open", INTERNAL]), "hangopen-0")
    assert (verdict["kind"], verdict["coordinator_state"]) == ("slow_but_alive", "Ongoing")
    assert (verdict["producer_id"], verdict["transactional_id"], verdict["first_offset"]) == (
        1022,
        "tx-open-public",
        2,
    )
    assert verdict["timeout_at"] == OPEN_SINCE + 900_000
    assert verdict["remedy"]["action"] == "wait"
    assert (verdict["remedy"]["last_stable_offset"], verdict["remedy"]["visible_read_committed"]) == (
        9,
        ((4, 4),),
    )


def test_past_its_timeout_the_coordinator_owes_the_marker() -> None:
    paths = [KAFKA_LOGS / "h2_open", INTERNAL]
    assert (
        only(read_case(paths, Declared(now=OPEN_SINCE + 900_000)), "hangopen-0")["kind"]
        == "coordinator_owes_marker"
    )
    assert (
        only(read_case(paths, Declared(now=OPEN_SINCE + 899_999)), "hangopen-0")["kind"] == "slow_but_alive"
    )


def test_without_the_coordinators_log_the_alternatives_are_named() -> None:
    verdict = only(read_case([KAFKA_LOGS / "h2_open"]), "hangopen-0")
    assert verdict["kind"] == "undecided"
    assert {"slow_but_alive", "orphan", "coordinator_owes_marker"} <= set(verdict["alternatives"])
    assert "evidence_deleted" not in verdict["alternatives"], "its records are in this log"
    assert verdict["would_change"]


@pytest.mark.parametrize(
    ("folder", "partition", "note", "marker"),
    [
        ("h_hang", "hang-0", "closed_by_newer_epoch", 7),
        ("h_hang", "hang-1", "closed_by_newer_epoch", 4),
        ("g_zombie", "zombie-0", "closed_by_newer_epoch", 4),
        ("h3_admin_abort", "hangadmin-0", "marker_without_decision", 2),
    ],
)
def test_healthy_now_and_how_it_became_so(folder: str, partition: str, note: str, marker: int) -> None:
    verdict = only(read_case([KAFKA_LOGS / folder, INTERNAL]), partition)
    assert verdict["kind"] == "healthy"
    assert [(one["kind"], one["marker_offset"]) for one in verdict["notes"]] == [(note, marker)]


def test_a_marker_newer_than_the_coordinators_copy_may_have_been_decided(tmp_path: Path) -> None:
    whole = INTERNAL / "__transaction_state-3"
    (decided,) = (
        row
        for row in SegmentReader().rows((whole / LOG).read_bytes())
        if isinstance(row, BatchRow) and row.header.base_offset == 24
    )
    older = copied(whole, tmp_path, end=decided.position)
    verdict = only(read_case([KAFKA_LOGS / "h3_admin_abort", older]), "hangadmin-0")
    assert (verdict["kind"], verdict["notes"]) == ("healthy", [])


COORDINATOR_SAYS = {
    "decided": (
        (value(TransactionStatus.ONGOING), value(TransactionStatus.PREPARE_ABORT, 1)),
        "coordinator_owes_marker",
    ),
    "commit decided": ((value(TransactionStatus.PREPARE_COMMIT),), "coordinator_owes_marker"),
    "another producer only": ((value(TransactionStatus.ONGOING, producer_id=5),), "orphan"),
    "id expired": ((value(TransactionStatus.ONGOING), None), "orphan"),
    "partition not in it": ((value(TransactionStatus.ONGOING, partitions=(("other", 0),)),), "orphan"),
    "epoch gone on": ((value(TransactionStatus.COMPLETE_ABORT, 1, partitions=()),), "fenced_writer"),
    "producer id gone on": (
        (value(TransactionStatus.ONGOING), value(TransactionStatus.EMPTY, producer_id=9, partitions=())),
        "fenced_writer",
    ),
}


@pytest.mark.parametrize(("says", "kind"), COORDINATOR_SAYS.values(), ids=COORDINATOR_SAYS)
def test_what_the_coordinator_says_decides(
    tmp_path: Path, says: tuple[TransactionLogValue | None, ...], kind: str
) -> None:
    case = read_case([HANGOPEN, coordinator_log(tmp_path, *says)], STATED)
    verdict = only(case, "hangopen-0")
    assert verdict["kind"] == kind
    action = verdict["remedy"]["action"]
    assert action == ("wait" if kind == "coordinator_owes_marker" else "abort")
    if action == "abort":
        assert verdict["remedy"]["command"].endswith("abort --topic hangopen --partition 0 --start-offset 2")


def test_evidence_that_no_coordinator_log_knows_the_producer_names_the_logs(tmp_path: Path) -> None:
    logs = coordinator_log(tmp_path, value(TransactionStatus.ONGOING, producer_id=5))
    verdict = only(read_case([HANGOPEN, logs], STATED), "hangopen-0")
    named = ", ".join(sorted(folder.name for folder in tmp_path.iterdir()))
    assert named in [one["place"] for one in verdict["evidence"]]


def test_real_files_cut_between_the_decision_and_its_marker(tmp_path: Path) -> None:
    """`hang-0` before its ABORT marker, and the coordinator's log just after PrepareAbort (offset 76)."""
    partition = copied(KAFKA_LOGS / "h_hang" / "hang-0", tmp_path, 484)
    (source,) = [
        one
        for one in find_directories([INTERNAL])
        if one.name.startswith("__transaction_state") and b"tx-hang-public" in (one.path / LOG).read_bytes()
    ]
    end = next(batch.position for batch in source.batches() if batch.base_offset == 77)
    cut = copied(source.path, tmp_path, end)
    verdict = only(read_case([partition, cut]), "hang-0")
    assert (verdict["kind"], verdict["coordinator_state"]) == ("coordinator_owes_marker", "PrepareAbort")
    assert only(read_case([partition, INTERNAL]), "hang-0")["kind"] == "undecided"
    assert only(read_case([partition, INTERNAL], STATED), "hang-0")["kind"] == "fenced_writer"


def late_batch(producer_id: int, offset: int, sequence: int) -> bytes:
    return encode_batch(
        [Record(offset, OPEN_SINCE, b"k", b"late")],
        base_offset=offset,
        partition_leader_epoch=0,
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=sequence,
        is_transactional=True,
    )


def test_a_write_behind_the_marker_of_a_newer_epoch(tmp_path: Path) -> None:
    partition = copied(KAFKA_LOGS / "h_hang" / "hang-0", tmp_path, more=late_batch(1004, 8, 2))
    verdict = only(read_case([partition, INTERNAL], STATED), "hang-0")
    assert (verdict["kind"], verdict["first_offset"]) == ("late_write_after_marker", 8)
    assert any("marker of epoch 1" in one["says"] for one in verdict["evidence"])


def test_a_write_behind_the_marker_of_its_own_epoch(tmp_path: Path) -> None:
    """With the older protocol the epoch stays, so only the coordinator knows that the transaction has ended."""
    partition = copied(HANGOPEN, tmp_path, more=late_batch(1021, 8, 3))
    ended = value(TransactionStatus.COMPLETE_ABORT, producer_id=1021, partitions=())
    both = verdicts(read_case([partition, coordinator_log(tmp_path, ended)], STATED), "hangopen-0")
    assert [(one["producer_id"], one["kind"]) for one in both] == [(1022, "orphan"), (1021, "undecided")]
    assert "first end the open transaction at offset 2" in both[1]["would_change"][0]
    with (partition / LOG).open("ab") as file:
        file.write(
            encode_marker(
                ControlType.ABORT,
                0,
                producer_id=1022,
                producer_epoch=0,
                timestamp=OPEN_SINCE + 100_000,
                base_offset=9,
                partition_leader_epoch=0,
            )
        )
    (left,) = verdicts(read_case([partition, tmp_path], STATED), "hangopen-0")
    assert (left["producer_id"], left["kind"]) == (1021, "late_write_after_marker")


def test_an_open_transaction_whose_data_retention_deleted(tmp_path: Path) -> None:
    place = tmp_path / "hangopen-0"
    place.mkdir()
    (place / f"{4:020}.log").write_bytes((HANGOPEN / LOG).read_bytes()[250:])
    shutil.copy(HANGOPEN / f"{8:020}.snapshot", place)
    verdict = only(read_case([place, INTERNAL]), "hangopen-0")
    assert verdict["kind"] == "evidence_deleted"
    assert "open from offset 2" in verdict["evidence"][0]["says"]
    assert verdict["remedy"]["action"] == "wait"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("logs", *arguments)
    return capsys.readouterr().out


def test_the_document_has_what_others_may_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    printed_case = json.loads(printed(capsys, str(KAFKA_LOGS / "h2_open"), str(INTERNAL), "--json"))
    (partition,) = [one for one in printed_case["partitions"] if one["name"] == "hangopen-0"]
    wanted = ("log_start", "high_watermark", "last_stable_offset", "batches", "records", "control_batches")
    assert [partition[name] for name in wanted] == [0, 8, 2, 7, 8, 3]
    assert partition["corrupt"] == 0
    assert printed_case["visible_read_uncommitted"]["hangopen-0"] == [[0, 0], [2, 4], [6, 6]]
    assert (
        printed_case["visible_read_committed"] | {"hangopen-0": []} == printed_case["visible_read_committed"]
    )
    mine = [one for one in printed_case["transactions"] if one["partition"] == "hangopen-0"]
    assert [(one["first_offset"], one["last_offset"], one["result"]) for one in mine] == [
        (0, 0, "aborted"),
        (2, 3, "open"),
        (4, 4, "committed"),
        (6, 6, "aborted"),
    ]
    assert {one["transactional_id"] for one in mine} == {"tx-open-public", "tx-other2-public"}


def test_the_same_partition_twice_is_one_and_the_other_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    printed_case = json.loads(printed(capsys, str(KAFKA_LOGS / "l_compact"), "--json"))
    assert [Path(one["path"]).parent.name for one in printed_case["partitions"]] == ["l_compact"]
    assert [Path(one["path"]).parent.name for one in printed_case["copies"]] == ["before"]


def test_the_text_says_verdict_evidence_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, str(KAFKA_LOGS / "h2_open"), str(INTERNAL))
    assert "hangopen-0: 0..8, LSO 2; 7 batches, 8 records, 4 transactions; slow_but_alive" in text
    assert "__transaction_state-3: offset 106: tx-open-public: Ongoing" in text
    assert "describe --transactional-id tx-open-public" in text


def test_a_path_that_is_no_log_is_an_error_that_helps(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        call_command("logs", str(tmp_path / "nothing"))


def damaged_copy(tmp_path: Path, alter: Callable[[bytearray], None]) -> Path:
    place = copied(HANGOPEN, tmp_path)
    data = bytearray((place / LOG).read_bytes())
    alter(data)
    (place / LOG).write_bytes(data)
    return place


def test_damage_is_reported_and_never_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def alter(data: bytearray) -> None:
        data[120] ^= 1

    text = printed(capsys, str(damaged_copy(tmp_path, alter)))
    assert f"damaged: hangopen-0/{LOG}: byte 100: checksum" in text


def test_a_damaged_log_without_an_open_transaction_is_not_called_healthy(tmp_path: Path) -> None:
    place = copied(KAFKA_LOGS / "h2_open" / "hangopen-1", tmp_path)
    data = bytearray((place / LOG).read_bytes())
    data[40] ^= 1
    (place / LOG).write_bytes(data)
    verdict = only(read_case([place, INTERNAL]), "hangopen-1")
    assert (verdict["kind"], verdict["remedy"]) == ("undecided", None)
    assert verdict["evidence"][0]["says"].startswith("1 damaged place:")


RESERVED = bytes(8192)


def end_with(place: Path, behind: bytes) -> int:
    """Append bytes to the log of `place`. Returns the position at which they begin."""
    size = (place / LOG).stat().st_size
    with (place / LOG).open("ab") as file:
        file.write(behind)
    return size


def test_space_that_is_reserved_is_no_damage_and_is_judged_as_without_it(tmp_path: Path) -> None:
    given = read_case([KAFKA_LOGS / "h2_open", INTERNAL])
    (tmp_path / "all").mkdir()
    places = [copied(path, tmp_path) for path in (HANGOPEN, KAFKA_LOGS / "h2_open" / "hangopen-1")]
    internal = tmp_path / "all" / "_internal"
    shutil.copytree(INTERNAL, internal)
    begins, *_ = [end_with(place, RESERVED) for place in (*places, *internal.glob("__*"))]
    case = read_case([*places, internal])
    assert (case.coordinator.damaged, case.groups.damaged) == (0, 0)
    partitions = {one["name"]: one for one in document(case)["partitions"]}
    assert partitions["hangopen-0"]["reserved"] == f"hangopen-0/{LOG}: byte {begins}"
    assert {one["corrupt"] for one in partitions.values()} == {0}
    for name in ("hangopen-0", "hangopen-1"):
        assert [one["kind"] for one in verdicts(case, name)] == [one["kind"] for one in verdicts(given, name)]
    deep = read_case([*places, internal], reading=ReadingHere(Depth.DEEP))
    assert document(deep)["partitions"] == document(case)["partitions"]


def test_zeros_where_something_was_written_are_damage(tmp_path: Path) -> None:
    place = copied(KAFKA_LOGS / "h2_open" / "hangopen-1", tmp_path)
    begins = end_with(place, RESERVED)
    (place / LOG).with_suffix(".index").write_bytes(struct.pack(">ii", 9, begins + 500))
    (one,) = document(read_case([place]))["partitions"]
    assert (one["corrupt"], one["reserved"]) == (1, None)
    assert f"offset index names a batch: expected {begins + 500}" in one["damage"][0]


@pytest.mark.parametrize("gap", [0, 3])
def test_a_segment_behind_zeros_goes_on_where_they_begin_or_something_is_lost(
    tmp_path: Path, gap: int
) -> None:
    place = copied(KAFKA_LOGS / "h2_open" / "hangopen-1", tmp_path)
    end = read_case([place]).partitions[0].partition.log_end
    begins = end_with(place, RESERVED)
    later = encode_batch([Record(end + gap, 5, None, b"v")], base_offset=end + gap)
    (place / f"{end + gap:020}.log").write_bytes(later)
    (one,) = document(read_case([place]))["partitions"]
    lost = f"hangopen-1/{LOG}: byte {begins}: base offset: expected {end}..{end}, found {end + gap}"
    assert one["damage"] == ([lost] if gap else [])
    assert (one["reserved"], one["high_watermark"]) == (None, end + gap + 1)
