"""The codec is compared with Kafka's own dump, for every batch and every record of each oracle segment."""

import zlib
from pathlib import Path

import pytest

from engine.codec.record import Record
from engine.codec.segment import BatchRow, SegmentReader
from tests.engine.codec.kafka_dump import (
    KAFKA_LOGS,
    DumpedBatch,
    DumpedRecord,
    dumped_segments,
    parse_dump,
)

SEQUENCES = 2**31
INTERNAL = ("__transaction_state-", "__consumer_offsets-")
"""Topics whose records were dumped through a decoder, so that only their sizes can be compared."""


def name(log: Path) -> str:
    return log.relative_to(KAFKA_LOGS).as_posix()


def read(log: Path, reader: SegmentReader | None = None) -> list[BatchRow]:
    rows = list((reader or SegmentReader()).rows(log.read_bytes(), int(log.stem)))
    assert all(isinstance(row, BatchRow) for row in rows)
    return [row for row in rows if isinstance(row, BatchRow)]


def header_words(row: BatchRow) -> dict[str, str]:
    """Return the decoded header as texts, as the dump has them."""
    header = row.header
    horizon = header.delete_horizon_ms
    return {
        "base_offset": str(header.base_offset),
        "last_offset": str(header.last_offset),
        "count": str(header.record_count),
        "base_sequence": str(header.base_sequence),
        "last_sequence": str(header.last_sequence),
        "producer_id": str(header.producer_id),
        "producer_epoch": str(header.producer_epoch),
        "leader_epoch": str(header.partition_leader_epoch),
        "transactional": str(header.is_transactional).lower(),
        "control": str(header.is_control).lower(),
        "delete_horizon": ".empty" if horizon is None else f"[{horizon}]",
        "position": str(row.position),
        "timestamp_type": header.timestamp_type,
        "max_timestamp": str(header.max_timestamp),
        "size": str(header.size),
        "magic": str(header.magic),
        "codec": header.codec,
        "crc": str(header.crc),
        "valid": str(row.crc_ok).lower(),
    }


def size_of(field: bytes | None) -> int:
    return -1 if field is None else len(field)


def printed(field: bytes) -> str:
    """Return the field as the dump shows it. The dump was stored in text mode, in which each carriage return became a
    line feed.
    """
    return field.decode(errors="replace").replace("\r", "\n")


def record_words(row: BatchRow, record: Record, dumped: DumpedRecord, internal: bool) -> DumpedRecord:
    """Return the decoded record as the dump shows it."""
    rest = dumped.rest
    if row.control is not None:
        rest = f" endTxnMarker: {row.control.type_name} coordinatorEpoch: {row.control.coordinator_epoch}"
    elif not internal:
        rest = "" if record.key is None else f" key: {printed(record.key)}"
        rest += "" if record.value is None else f" payload: {printed(record.value)}"
    sequence = row.header.base_sequence
    if sequence != -1:
        sequence = (sequence + record.offset - row.header.base_offset) % SEQUENCES
    return DumpedRecord(
        offset=record.offset,
        timestamp=record.timestamp,
        key_size=size_of(record.key),
        value_size=size_of(record.value),
        sequence=sequence,
        header_keys=",".join(header.key.decode() for header in record.headers),
        rest=rest,
    )


def compare_records(row: BatchRow, dumped: DumpedBatch, internal: bool) -> None:
    assert len(row.records) == len(dumped.records) == row.header.record_count
    for record, expected in zip(row.records, dumped.records, strict=True):
        assert record_words(row, record, expected, internal) == expected


@pytest.mark.parametrize("log", dumped_segments(), ids=name)
def test_every_batch_is_as_kafka_dumped_it(log: Path) -> None:
    rows, dumped = read(log), parse_dump(log)
    assert [header_words(row) for row in rows] == [batch.header for batch in dumped]
    for row, batch in zip(rows, dumped, strict=True):
        assert row.damage == ()
        if row.codec_not_read is None:
            compare_records(row, batch, internal=log.parent.name.startswith(INTERNAL))
        else:
            assert row.codec_not_read == batch.header["codec"]
            assert row.records == ()


def test_the_oracles_cover_what_the_reader_claims() -> None:
    folders = {name(log).split("/")[0] for log in dumped_segments()}
    assert {"a_plain", "b_idem", "c_commit", "d_abort", "i_compression", "l_compact"} <= folders
    batches = [batch for log in dumped_segments() for batch in parse_dump(log)]
    assert len(batches) == 1319
    assert {batch.header["codec"] for batch in batches} == {"none", "gzip", "snappy", "lz4", "zstd"}
    assert any(batch.header["count"] == "0" for batch in batches), "a batch that the cleaner emptied"
    assert any(batch.header["delete_horizon"] != ".empty" for batch in batches)


def test_segments_without_a_dump_are_whole_too() -> None:
    others = sorted(set(KAFKA_LOGS.rglob("*.log")) - set(dumped_segments()))
    assert len(others) == 28
    for log in others:
        assert [row.damage for row in read(log) if row.damage] == []


def gunzip(data: bytes, size_max: int) -> bytes:
    decompressor = zlib.decompressobj(wbits=31)
    try:
        plain = decompressor.decompress(data, size_max)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not decompressor.eof:
        raise ValueError("cut short or too large")
    return plain


def test_a_decompressor_that_is_passed_in_is_used() -> None:
    log = KAFKA_LOGS / "i_compression" / "comp-gzip-0" / "00000000000000000000.log"
    rows, dumped = read(log, SegmentReader(decompressors={"gzip": gunzip})), parse_dump(log)
    assert sum(batch.header["codec"] == "gzip" for batch in dumped) == 4
    for row, batch in zip(rows, dumped, strict=True):
        assert row.codec_not_read is None
        assert row.damage == ()
        compare_records(row, batch, internal=False)
