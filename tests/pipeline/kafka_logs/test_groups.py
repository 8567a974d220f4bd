"""The offsets that groups committed, inside and outside of transactions, and which groups wait."""

from pathlib import Path

from engine.codec.consumer_offsets_record import OffsetKey
from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker
from engine.codec.segment import Row, SegmentReader
from eosviz.pipeline.kafka_logs.case import group_rows, read_case
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from tests.engine.codec.kafka_dump import KAFKA_LOGS

HANGOPEN = KAFKA_LOGS / "h2_open" / "hangopen-0"
KEY = OffsetKey("g", "hangopen", 0)


def commit(offset: int, at: int, producer_id: int = -1, value: bytes | None = b"") -> bytes:
    """Return a batch with one offset of KEY, in the layout of OffsetCommitKey (1) and OffsetCommitValue (version 2)."""
    key = b"\0\1\0\1g\0\x08hangopen" + bytes(4)
    if value is not None:
        value = b"\0\2" + offset.to_bytes(8, "big") + bytes(2) + (99).to_bytes(8, "big")
    return encode_batch(
        [Record(at, 1000, key, value)],
        base_offset=at,
        producer_id=producer_id,
        producer_epoch=0 if producer_id >= 0 else -1,
        base_sequence=0 if producer_id >= 0 else -1,
        is_transactional=producer_id >= 0,
    )


def marker(control_type: ControlType, at: int) -> bytes:
    return encode_marker(control_type, 0, producer_id=7, producer_epoch=0, timestamp=1000, base_offset=at)


def read(*batches: bytes) -> GroupOffsets:
    rows: list[Row] = list(SegmentReader().rows(b"".join(batches)))
    groups = GroupOffsets()
    groups.read("__consumer_offsets-1", rows)
    assert groups.damaged == 0
    return groups


def offset_of(groups: GroupOffsets) -> int | None:
    return groups.committed[KEY].offset if KEY in groups.committed else None


def test_an_offset_in_a_transaction_counts_once_it_is_committed() -> None:
    plain, inside = commit(1, 0), commit(5, 1, 7)
    assert (offset_of(read(plain, inside)), read(plain, inside).pending_of(KEY)) == (1, 7)
    committed = read(plain, inside, marker(ControlType.COMMIT, 2))
    assert (offset_of(committed), committed.pending_of(KEY)) == (5, None)
    aborted = read(plain, inside, marker(ControlType.ABORT, 2))
    assert (offset_of(aborted), aborted.pending_of(KEY)) == (1, None)
    assert offset_of(read(plain, commit(0, 1, value=None))) is None


def test_the_offsets_of_a_real_group() -> None:
    rows = group_rows(read_case([KAFKA_LOGS / "f_ctp", KAFKA_LOGS / "_internal"]))
    ends = {(row["partition"], row["committed_offset"], row["held_up"]) for row in rows}
    assert ends == {("ctp-in-0", 9, False), ("ctp-in-1", 9, False)}


def test_a_group_that_cannot_get_past_an_open_transaction(tmp_path: Path) -> None:
    place = tmp_path / "__consumer_offsets-1"
    place.mkdir()
    for offset, held_up in ((1, False), (2, True), (7, True), (8, False)):
        (place / f"{0:020}.log").write_bytes(commit(offset, 0))
        (row,) = group_rows(read_case([HANGOPEN, place]))
        assert (row["committed_offset"], row["held_up"]) == (offset, held_up)
