"""Compares a broker's bytes with the recorded ones: whole responses, and whole segments.

Some fields depend on more than the recording determines, for example on the broker's clock
(``wire_versions.OPEN``). Before the comparison these open fields get the recorded values, and each one that differed
is counted. A difference is reported by its field in the response or in the batch header, otherwise by the position
of the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from engine.codec.record_batch import HEADER_BYTES, BatchHeader, decode_header
from engine.codec.segment import BatchRow, SegmentReader
from engine.messages import RecordBatch
from engine.vectors.outcome import Failure
from engine.vectors.wire_versions import LOG_APPEND_TIME, MARKER_TIME, THROTTLE_TIME, Taken
from engine.wire.message import Message, decode_response, encode
from engine.wire.request import WireRequest

OPEN_FIELDS = frozenset((THROTTLE_TIME.name, LOG_APPEND_TIME.name))
"""The open fields of responses, as the message library names them."""


def compare_response(
    at: str, request: WireRequest, seen: bytes, wanted: bytes, taken: Taken
) -> Failure | None:
    """The first field of a response that differs; None when all bytes but those of open fields are equal."""
    if seen == wanted:
        return None
    made, recorded = (decode_response(data, request.key, request.version) for data in (seen, wanted))
    difference = next(_differences(made.header, recorded.header, "header"), None)
    filled = _filled(made.payload, recorded.payload, taken)
    if difference is None:
        difference = next(_differences(filled, recorded.payload, ""), None)
    if difference is not None:
        place, found, expected = difference
        return Failure(f"{at}: {place}", expected, found)
    if encode(Message(made.header, filled)) != wanted:
        return Failure(f"{at}: its bytes", wanted.hex(), seen.hex())
    return None


def _filled(made: Any, recorded: Any, taken: Taken) -> Any:
    """The response that the engine made, with the recorded values in ``OPEN_FIELDS``. ``taken`` counts them."""
    if isinstance(made, tuple) and isinstance(recorded, tuple):
        pairs = zip(made, recorded, strict=False)
        return tuple(_filled(one, other, taken) for one, other in pairs) + made[len(recorded) :]
    if not is_dataclass(made) or isinstance(made, type) or type(made) is not type(recorded):
        return made
    changed: dict[str, Any] = {}
    for item in fields(made):
        mine, theirs = getattr(made, item.name), getattr(recorded, item.name)
        if mine == theirs:
            continue
        if item.name in OPEN_FIELDS:
            taken[item.name] += 1
            changed[item.name] = theirs
        else:
            changed[item.name] = _filled(mine, theirs, taken)
    return replace(made, **changed) if changed else made


def _differences(seen: Any, wanted: Any, place: str) -> Iterator[tuple[str, object, object]]:
    if seen == wanted and type(seen) is type(wanted):
        return
    if isinstance(seen, tuple) and isinstance(wanted, tuple) and len(seen) == len(wanted):
        for number, (one, other) in enumerate(zip(seen, wanted, strict=True)):
            yield from _differences(one, other, f"{place}[{number}]")
        return
    if is_dataclass(seen) and type(seen) is type(wanted):
        for item in fields(seen):
            inner = f"{place}.{item.name}" if place else item.name
            yield from _differences(getattr(seen, item.name), getattr(wanted, item.name), inner)
        return
    yield place, _shown(seen), _shown(wanted)


def _shown(value: Any) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, int | str | tuple) else str(value)


# Segments -----------------------------------------------------------------------------------------


class RecordedLog:
    """The recorded segments of one partition, and the times that their markers show."""

    def __init__(self, partition: str, segments: Iterable[bytes]) -> None:
        self.partition = partition
        self.data = b"".join(segments)
        self.markers = {
            row.header.base_offset: row.header.max_timestamp
            for row in SegmentReader().rows(self.data)
            if isinstance(row, BatchRow) and row.header.is_control
        }
        """Dict of base offset of a control batch → the broker's time when the batch was written."""

    def clocked(self, batch: RecordBatch, taken: Taken | None = None) -> RecordBatch:
        """Return `batch`; a marker is returned with the time of the recorded marker at its offset."""
        at = self.markers.get(batch.base_offset)
        if not batch.is_control or at is None or at == batch.max_timestamp:
            return batch
        if taken is not None:
            taken[MARKER_TIME.name] += 1
        return replace(batch, max_timestamp=at)

    def compare(
        self, batches: Iterable[RecordBatch], bytes_of: Callable[[RecordBatch], bytes], taken: Taken
    ) -> Failure | None:
        """Compare the engine's log with the recorded bytes. Returns the first difference, or None."""
        position = 0
        for batch in batches:
            made = bytes_of(self.clocked(batch, taken))
            wanted = self.data[position : position + len(made)]
            if made != wanted:
                return self._differing(position, made, wanted)
            position += len(made)
        if position != len(self.data):
            return Failure(f"log of {self.partition}: bytes", len(self.data), position)
        return None

    def _differing(self, position: int, made: bytes, wanted: bytes) -> Failure:
        if len(wanted) >= HEADER_BYTES:
            mine, theirs = decode_header(made), decode_header(wanted)
            for item in fields(BatchHeader):
                one, other = getattr(mine, item.name), getattr(theirs, item.name)
                if one != other and item.name != "crc":
                    place = f"log of {self.partition}: {item.name} of the batch at {mine.base_offset}"
                    return Failure(place, other, one)
        byte = next((n for n, (a, b) in enumerate(zip(made, wanted, strict=False)) if a != b), len(wanted))
        return Failure(f"log of {self.partition}: byte {position + byte}", wanted.hex(), made.hex())
