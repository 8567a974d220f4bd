"""Requests of Kafka's protocol from their bytes, as the messages that simulated clients send (MSG-1).

Owns the layouts of the requests that transactional and idempotent producers, and readers of a group's offsets,
send to a broker. Source: Kafka's message definitions; KIP-482 for the flexible versions, whose strings and lists
carry their length plus one in as few bytes as it needs and whose structures end in tagged fields. A tagged field
is passed over: no version read here has one that matters.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.broker.sequence import increment
from engine.codec.damage import DamagedError
from engine.codec.record_batch import BatchHeader, decode_header
from engine.messages import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    CommittedOffset,
    EndTxnRequest,
    FetchRequest,
    InitProducerIdRequest,
    OffsetFetchRequest,
    ProduceRequest,
    RecordBatch,
    TxnOffsetCommitRequest,
)

_VARINT_BYTES_MAX = 5
READ_COMMITTED_LEVEL = 1


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as its bytes say it. ``body`` is a message of :mod:`engine.messages`."""

    api: str
    version: int
    correlation_id: int
    client: str
    body: Any


class Reader:
    """Big-endian fields one after the other; ``flexible`` says how strings, lists and bytes are measured.

    Every method raises ValueError with the byte where it went wrong.
    """

    __slots__ = ("data", "flexible", "position")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.flexible = False

    def number(self, layout: str) -> int:
        """One fixed-size number, ``layout`` as in :mod:`struct`."""
        start = self._take(struct.calcsize(layout))
        value: int = struct.unpack_from(layout, self.data, start)[0]
        return value

    def flag(self) -> bool:
        return self.number(">b") != 0

    def text(self) -> str | None:
        """A string; None where the bytes say null."""
        length = self._length(">h")
        if length < 0:
            return None
        start = self._take(length)
        try:
            return self.data[start : start + length].decode()
        except UnicodeDecodeError:
            raise ValueError(f"byte {start}: not UTF-8") from None

    def count(self) -> int:
        """How many entries a list has; -1 for null."""
        return self._length(">i")

    def blob(self) -> tuple[int, int]:
        """Where a field of bytes starts, and its size (-1 for null)."""
        size = self._length(">i")
        return self._take(max(size, 0)), size

    def tags(self) -> None:
        """The tagged fields at the end of a structure, passed over."""
        if not self.flexible:
            return
        for _ in range(self._varint()):
            self._varint()
            self._take(self._varint())

    def end(self) -> None:
        """Nothing may be left."""
        if self.position != len(self.data):
            raise ValueError(
                f"byte {self.position}: {len(self.data) - self.position} more than the request has"
            )

    def _length(self, layout: str) -> int:
        return self._varint() - 1 if self.flexible else self.number(layout)

    def _varint(self) -> int:
        start, raw = self.position, 0
        for step in range(_VARINT_BYTES_MAX):
            byte = self.data[self._take(1)]
            raw |= (byte & 0x7F) << 7 * step
            if byte < 0x80:
                return raw
        raise ValueError(f"byte {start}: a length of more than {_VARINT_BYTES_MAX} bytes")

    def _take(self, size: int) -> int:
        start = self.position
        if start + size > len(self.data):
            raise ValueError(f"byte {start}: {size} more expected, the request has {len(self.data)}")
        self.position = start + size
        return start


class Layout(NamedTuple):
    """How one request is read: in which versions, from which on they are flexible, and by what."""

    name: str
    versions: range
    flexible_from: int
    read: Callable[[Reader, int], Any]


def read_request(data: bytes) -> WireRequest:
    """One request. ValueError names the byte where it is not one that is read here."""
    reader = Reader(data)
    key, version = reader.number(">h"), reader.number(">h")
    layout = LAYOUTS.get(key)
    if layout is None or version not in layout.versions:
        named = f"api {key}" if layout is None else layout.name
        raise ValueError(f"byte 0: {named} version {version} is not read; known are {_known()}")
    correlation_id = reader.number(">i")
    client = reader.text() or ""
    reader.flexible = version >= layout.flexible_from
    reader.tags()
    body = layout.read(reader, version)
    reader.tags()
    reader.end()
    return WireRequest(layout.name, version, correlation_id, client, body)


def _known() -> str:
    return ", ".join(
        f"{found.name} {found.versions[0]} to {found.versions[-1]}" for found in LAYOUTS.values()
    )


def batch_of(header: BatchHeader) -> RecordBatch:
    """A batch's header as the message that simulated clients send."""
    has_sequence = header.base_sequence != NO_SEQUENCE
    return RecordBatch(
        record_count=header.record_count,
        last_offset_delta=header.last_offset_delta,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=increment(header.base_sequence, header.last_offset_delta)
        if has_sequence
        else NO_SEQUENCE,
        is_transactional=header.is_transactional,
        is_control=header.is_control,
        max_timestamp=header.max_timestamp,
        size=header.size,
    )


# One function per request -------------------------------------------------------------------------


def _partitions(reader: Reader) -> list[str]:
    """Topics with lists of partition numbers, as topic-partitions."""
    found = []
    for _ in range(reader.count()):
        topic = reader.text()
        found += [f"{topic}-{reader.number('>i')}" for _ in range(reader.count())]
        reader.tags()
    return found


def _produce(reader: Reader, version: int) -> ProduceRequest:
    transactional_id = reader.text()
    acks, timeout_ms = reader.number(">h"), reader.number(">i")
    batches = {}
    for _ in range(reader.count()):
        topic = reader.text()
        for _ in range(reader.count()):
            partition = f"{topic}-{reader.number('>i')}"
            batches[partition] = _one_batch(reader)
            reader.tags()
        reader.tags()
    return ProduceRequest(
        transactional_id=transactional_id, acks=acks, timeout_ms=timeout_ms, batches=batches
    )


def _one_batch(reader: Reader) -> RecordBatch:
    """Producers send one batch to a partition; a second one is refused, as brokers do from version 3 on."""
    start, size = reader.blob()
    try:
        header = decode_header(reader.data, start)
    except (DamagedError, struct.error) as error:
        raise ValueError(f"byte {start}: no record batch ({error})") from None
    if header.size != size:
        raise ValueError(f"byte {start}: a batch of {header.size} bytes in a field of {size}")
    return batch_of(header)


def _init_producer_id(reader: Reader, version: int) -> InitProducerIdRequest:
    transactional_id = reader.text()
    timeout_ms = reader.number(">i")
    producer_id, producer_epoch = NO_PRODUCER_ID, NO_PRODUCER_EPOCH
    if version >= 3:
        producer_id, producer_epoch = reader.number(">q"), reader.number(">h")
    return InitProducerIdRequest(
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
    )


def _add_partitions(reader: Reader, version: int) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(
        transactional_id=reader.text() or "",
        producer_id=reader.number(">q"),
        producer_epoch=reader.number(">h"),
        partitions=tuple(_partitions(reader)),
    )


def _add_offsets(reader: Reader, version: int) -> AddOffsetsToTxnRequest:
    return AddOffsetsToTxnRequest(
        transactional_id=reader.text() or "",
        producer_id=reader.number(">q"),
        producer_epoch=reader.number(">h"),
        group_id=reader.text() or "",
    )


def _end_transaction(reader: Reader, version: int) -> EndTxnRequest:
    return EndTxnRequest(
        transactional_id=reader.text() or "",
        producer_id=reader.number(">q"),
        producer_epoch=reader.number(">h"),
        committed=reader.flag(),
    )


def _transactional_offsets(reader: Reader, version: int) -> TxnOffsetCommitRequest:
    transactional_id, group_id = reader.text() or "", reader.text() or ""
    producer_id, producer_epoch = reader.number(">q"), reader.number(">h")
    generation_id, member_id, instance = -1, "", None
    if version >= 3:
        generation_id, member_id, instance = reader.number(">i"), reader.text() or "", reader.text()
    offsets = {}
    for _ in range(reader.count()):
        topic = reader.text()
        for _ in range(reader.count()):
            partition = f"{topic}-{reader.number('>i')}"
            offset = reader.number(">q")
            leader_epoch = reader.number(">i") if version >= 2 else -1
            offsets[partition] = CommittedOffset(
                offset=offset, leader_epoch=leader_epoch, metadata=reader.text() or ""
            )
            reader.tags()
        reader.tags()
    return TxnOffsetCommitRequest(
        transactional_id=transactional_id,
        group_id=group_id,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        offsets=offsets,
        generation_id=generation_id,
        member_id=member_id,
        group_instance_id=instance,
    )


def _offset_fetch(reader: Reader, version: int) -> OffsetFetchRequest:
    group_id = reader.text() or ""
    partitions = tuple(_partitions(reader))
    return OffsetFetchRequest(
        group_id=group_id, partitions=partitions, require_stable=version >= 7 and reader.flag()
    )


def _fetch(reader: Reader, version: int) -> FetchRequest:
    """A fetch of one partition, without a session to lean on."""
    for layout in (">i", ">i", ">i", ">i"):
        reader.number(layout)
    committed = reader.number(">b") == READ_COMMITTED_LEVEL
    reader.number(">i")
    reader.number(">i")
    found = []
    for _ in range(reader.count()):
        topic = reader.text()
        for _ in range(reader.count()):
            partition = f"{topic}-{reader.number('>i')}"
            reader.number(">i")
            found.append((partition, reader.number(">q")))
            reader.number(">q")
            reader.number(">i")
    for _ in range(reader.count()):
        reader.text()
        for _ in range(reader.count()):
            reader.number(">i")
    reader.text()
    if len(found) != 1:
        raise ValueError(f"byte {reader.position}: a Fetch of {len(found)} partitions; one is read")
    ((partition, offset),) = found
    isolation = "read_committed" if committed else "read_uncommitted"
    return FetchRequest(partition=partition, fetch_offset=offset, isolation=isolation)


LAYOUTS: dict[int, Layout] = {
    0: Layout("Produce", range(3, 13), 9, _produce),
    1: Layout("Fetch", range(11, 12), 12, _fetch),
    9: Layout("OffsetFetch", range(1, 8), 6, _offset_fetch),
    22: Layout("InitProducerId", range(6), 2, _init_producer_id),
    24: Layout("AddPartitionsToTxn", range(4), 3, _add_partitions),
    25: Layout("AddOffsetsToTxn", range(5), 3, _add_offsets),
    26: Layout("EndTxn", range(6), 3, _end_transaction),
    28: Layout("TxnOffsetCommit", range(6), 3, _transactional_offsets),
}
"""By api key. The bounds are where the layout changes in a way that is not read here."""
