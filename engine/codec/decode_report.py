"""What `python -m engine decode` prints: the batches of segments and partition folders, as text or as JSON
Lines.

It converts bytes to lines and opens no file: the caller reads the files. Positions and sizes are bytes,
timestamps milliseconds since 1970. Every object of the JSON Lines has a `kind`: `segment`, `batch`, `legacy`,
`damaged`, `not_read` or, last, `totals`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from engine.codec.buffers import Buffer
from engine.codec.damage import Damage
from engine.codec.partition_folder import (
    PartitionFolder,
    SegmentFile,
    UnreadFile,
    partition_folders,
    shown_name,
)
from engine.codec.record import Record
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Records, Row, SegmentReader

EXIT_OK = 0
EXIT_NOT_A_LOG = 2
EXIT_DAMAGED = 3

REMEDY = "give a Kafka segment (NNNNNNNNNNNNNNNNNNNN.log) or the folder of a partition"

Write = Callable[[str], object]
"""A function that takes one line without its line end."""


@dataclass(slots=True)
class Totals:
    """The counts that the last line prints."""

    segments: int = 0
    batches: int = 0
    records: int = 0
    compressed: int = 0
    legacy: int = 0
    damaged_places: int = 0
    files_not_read: int = 0

    def add(self, row: Row) -> None:
        self.damaged_places += len(row.damage)
        if isinstance(row, LegacyRow):
            self.legacy += 1
        if isinstance(row, BatchRow):
            self.batches += 1
            self.records += row.records_read
            self.compressed += row.codec_not_read is not None


class Lines(Protocol):
    """One of the two output formats."""

    def segment(self, segment: SegmentFile) -> None: ...

    def row(self, segment: SegmentFile, row: Row) -> None: ...

    def unread(self, file: UnreadFile) -> None: ...

    def totals(self, totals: Totals) -> None: ...


def decode_command(
    files: Mapping[str, Buffer], as_jsonl: bool, out: Write, reader: SegmentReader | None = None
) -> int:
    """Print every batch of `files` (path → bytes; paths with `/`) to `out`, line by line. Returns the exit
    code: 0 if nothing is damaged, 2 if no file is a segment, 3 if a place is damaged; the readable rest is
    printed."""
    reader = replace(reader or SegmentReader(), records=Records.KEEP if as_jsonl else Records.CHECK)
    folders = partition_folders(files)
    if not any(folder.segments for folder in folders):
        out(_nothing_to_read(files, reader))
        return EXIT_NOT_A_LOG
    lines: Lines = JsonLines(out) if as_jsonl else TextLines(out)
    totals = Totals()
    for folder in folders:
        _decode_folder(folder, reader, lines, totals)
    lines.totals(totals)
    return EXIT_DAMAGED if totals.damaged_places else EXIT_OK


def _decode_folder(folder: PartitionFolder, reader: SegmentReader, lines: Lines, totals: Totals) -> None:
    segment = None
    for item in folder.rows(reader):
        if isinstance(item, SegmentFile):
            segment = item
            totals.segments += 1
            lines.segment(segment)
        elif segment is not None:
            totals.add(item)
            lines.row(segment, item)
    for unread in folder.not_read:
        totals.files_not_read += 1
        lines.unread(unread)


def _nothing_to_read(files: Mapping[str, Buffer], reader: SegmentReader) -> str:
    """One line that says why nothing could be read, and what to give instead."""
    if not files:
        return f"not a log: no file was given; {REMEDY}"
    folders = partition_folders(files)
    if len(files) > 1:
        return f"not a log: none of the {len(files)} files is a segment; {REMEDY}"
    path = next(iter(files))
    for row in reader.rows(files[path]):
        if row.damage:
            return f"not a log: {_name(path)}: {row.damage[0]}; {REMEDY}"
    return f"not a log: {_name(path)}: {folders[0].not_read[0].kind.value}; {REMEDY}"


def _name(path: str) -> str:
    return shown_name(path, characters_max=None)


class TextLines:
    """Writes one line for each batch, for people and for grep."""

    def __init__(self, out: Write) -> None:
        self._out = out

    def segment(self, segment: SegmentFile) -> None:
        self._out(f"segment {_name(segment.path)} size {len(segment.data)}")

    def row(self, segment: SegmentFile, row: Row) -> None:
        if isinstance(row, BatchRow):
            self._out(_batch_text(row))
        elif isinstance(row, LegacyRow):
            place = f"position {row.position} size {row.size}"
            self._out(f"offset {row.base_offset} magic {row.magic}: {row.format_name}, not read yet {place}")
        for damage in row.damage:
            self._out(f"damaged {_name(segment.path)}: {damage}")

    def unread(self, file: UnreadFile) -> None:
        self._out(f"file {_name(file.path)}: {file.kind.value}")

    def totals(self, totals: Totals) -> None:
        counts = [
            (totals.batches, "batch", "batches", True),
            (totals.records, "record", "records", True),
            (totals.segments, "segment", "segments", True),
            (totals.compressed, "compressed batch not read yet", "compressed batches not read yet", False),
            (totals.legacy, "old message not read yet", "old messages not read yet", False),
            (totals.files_not_read, "file not read", "files not read", False),
            (totals.damaged_places, "damaged place", "damaged places", True),
        ]
        said = [
            f"{count} {one if count == 1 else many}" for count, one, many, always in counts if count or always
        ]
        self._out(", ".join(said))


def _batch_text(row: BatchRow) -> str:
    header = row.header
    parts = [
        f"offset {header.base_offset}..{header.last_offset}",
        f"pid {header.producer_id} epoch {header.producer_epoch}",
        f"sequence {header.base_sequence}..{header.last_sequence}",
        "transactional" if header.is_transactional else "not transactional",
    ]
    if row.control is not None:
        parts.append(f"control {row.control.type_name}")
        if row.control.coordinator_epoch is not None:
            parts.append(f"coordinator epoch {row.control.coordinator_epoch}")
    elif header.is_control:
        parts.append("control without a readable record")
    parts.append(f"records {header.record_count}")
    if row.codec_not_read is not None:
        parts.append(f"codec {row.codec_not_read} not read yet")
    parts.append("crc ok" if row.crc_ok else "crc bad")
    parts.append(f"position {row.position} size {header.size}")
    return " ".join(parts)


class JsonLines:
    """Writes one JSON object on each line; the object of a batch contains its records."""

    def __init__(self, out: Write) -> None:
        self._out = out

    def segment(self, segment: SegmentFile) -> None:
        self._put(kind="segment", path=segment.path, base_offset=segment.base_offset, size=len(segment.data))

    def row(self, segment: SegmentFile, row: Row) -> None:
        damage = [damage_object(damage) for damage in row.damage]
        if isinstance(row, BatchRow):
            self._put(kind="batch", path=segment.path, **batch_object(row), damage=damage)
        elif isinstance(row, LegacyRow):
            fields = {"base_offset": row.base_offset, "magic": row.magic, "not_read": row.format_name}
            place = {"position": row.position, "size": row.size}
            self._put(kind="legacy", path=segment.path, **fields, **place, damage=damage)
        elif isinstance(row, DamageRow):
            place = {"position": row.position, "size": row.size}
            self._put(kind="damaged", path=segment.path, **place, damage=damage)

    def unread(self, file: UnreadFile) -> None:
        self._put(kind="not_read", path=file.path, file_kind=file.kind.name.lower(), what=file.kind.value)

    def totals(self, totals: Totals) -> None:
        self._put(
            kind="totals",
            segments=totals.segments,
            batches=totals.batches,
            records=totals.records,
            compressed_not_read=totals.compressed,
            legacy_not_read=totals.legacy,
            files_not_read=totals.files_not_read,
            damaged_places=totals.damaged_places,
        )

    def _put(self, **fields: object) -> None:
        self._out(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))


def batch_object(row: BatchRow) -> dict[str, object]:
    """A batch as JSON: the header, the result of the checksum, the content of a control record, the records."""
    header, control = row.header, row.control
    return {
        "base_offset": header.base_offset,
        "last_offset": header.last_offset,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "last_sequence": header.last_sequence,
        "is_transactional": header.is_transactional,
        "is_control": header.is_control,
        "control_type": None if control is None else control.type_name,
        "coordinator_epoch": None if control is None else control.coordinator_epoch,
        "record_count": header.record_count,
        "crc": header.crc,
        "crc_ok": row.crc_ok,
        "position": row.position,
        "size": header.size,
        "magic": header.magic,
        "partition_leader_epoch": header.partition_leader_epoch,
        "codec": header.codec,
        "codec_not_read": row.codec_not_read,
        "timestamp_type": header.timestamp_type,
        "base_timestamp": header.base_timestamp,
        "max_timestamp": header.max_timestamp,
        "delete_horizon_ms": header.delete_horizon_ms,
        "records": [record_object(record) for record in row.records],
    }


def record_object(record: Record) -> dict[str, object]:
    """A record as JSON. Each header is a pair, because Kafka allows the same key several times."""
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": bytes_object(record.key),
        "value": bytes_object(record.value),
        "headers": [[bytes_object(header.key), bytes_object(header.value)] for header in record.headers],
    }


def bytes_object(field: bytes | None) -> dict[str, str] | None:
    """`{"text": …}` when the bytes are UTF-8, otherwise `{"hex": …}`; None for Kafka's null."""
    if field is None:
        return None
    try:
        return {"text": field.decode("utf-8")}
    except UnicodeDecodeError:
        return {"hex": field.hex()}


def damage_object(damage: Damage) -> dict[str, object]:
    """A damaged place as JSON."""
    return {
        "kind": damage.kind.name.lower(),
        "position": damage.position,
        "expected": damage.expected,
        "found": damage.found,
        "ends_file": damage.ends_file,
    }
