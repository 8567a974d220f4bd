"""A record of `__transaction_state`: what the transaction coordinator remembers of one transactional id.

Source: KIP-98, Kafka's `TransactionLog`; key and value in version 0, which Kafka wrote up to 3.x. Later
versions are recognised by their number and not read yet. The key is version int16 and the transactional id;
the value is version int16, producer id int64, producer epoch int16, timeout int32, status int8, partitions
by topic, last update int64 and start int64, all big endian.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from engine.codec.damage import DamageKind, damaged

VERSION = 0

_IDENTITY = struct.Struct(">qhib")
"""Producer id, epoch, timeout, status."""
_COUNT = struct.Struct(">i")
_LENGTH = struct.Struct(">h")
_TIMES = struct.Struct(">qq")


class TransactionStatus(IntEnum):
    """Kafka's `TransactionState` ids, under its names."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def kafka_name(self) -> str:
        """`PrepareCommit`, as Kafka and the vectors write it."""
        return "".join(word.capitalize() for word in self.name.split("_"))


STATUS_BY_NAME = {status.kafka_name: status for status in TransactionStatus}


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionLogValue:
    """The value. Times are milliseconds since 1970, -1 = none."""

    producer_id: int
    producer_epoch: int
    timeout_ms: int
    status: TransactionStatus
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) pairs; empty in state Empty, where Kafka writes null."""
    last_update_ms: int
    start_ms: int


def encode_key(transactional_id: str) -> bytes:
    """The key. Raises ValueError when the id is longer than 32767 bytes of UTF-8."""
    return _LENGTH.pack(VERSION) + _text(transactional_id)


def encode_value(value: TransactionLogValue) -> bytes:
    """The value; partitions are grouped by topic, both in the order given. Kafka's own order is a hash map's.

    Raises ValueError for state Empty with partitions, which Kafka refuses to write too, and when a number
    does not fit its field.
    """
    if value.status is TransactionStatus.EMPTY and value.partitions:
        raise ValueError("a transaction in state Empty has no partitions")
    try:
        identity = _IDENTITY.pack(value.producer_id, value.producer_epoch, value.timeout_ms, value.status)
        head = _LENGTH.pack(VERSION) + identity
        times = _TIMES.pack(value.last_update_ms, value.start_ms)
        return head + _encode_partitions(value) + times
    except struct.error as error:
        raise ValueError(f"a number does not fit its field: {error}") from None


def _encode_partitions(value: TransactionLogValue) -> bytes:
    if value.status is TransactionStatus.EMPTY:
        return _COUNT.pack(-1)
    groups: dict[str, list[int]] = {}
    for topic, partition in value.partitions:
        groups.setdefault(topic, []).append(partition)
    body = b"".join(
        _text(topic) + _COUNT.pack(len(numbers)) + struct.pack(f">{len(numbers)}i", *numbers)
        for topic, numbers in groups.items()
    )
    return _COUNT.pack(len(groups)) + body


def _text(text: str) -> bytes:
    raw = text.encode("utf-8")
    try:
        return _LENGTH.pack(len(raw)) + raw
    except struct.error:
        raise ValueError(f"{len(raw)} bytes do not fit a string of at most 32767") from None


class _Cursor:
    """Reads fields one behind the other; every read checks what is left."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    @property
    def left(self) -> int:
        return len(self._data) - self.position

    def take(self, size: int) -> bytes:
        if not 0 <= size <= self.left:
            raise damaged(DamageKind.FIELD_LENGTH, self.position, f"0..{self.left}", size)
        self.position += size
        return self._data[self.position - size : self.position]

    def numbers(self, layout: struct.Struct) -> tuple[int, ...]:
        return layout.unpack(self.take(layout.size))

    def text(self) -> str:
        start = self.position
        (length,) = self.numbers(_LENGTH)
        try:
            return self.take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(DamageKind.TEXT, start + _LENGTH.size + error.start, "UTF-8", "?") from None

    def end(self) -> None:
        if self.left:
            raise damaged(DamageKind.TRAILING_BYTES, self.position, "0 B", f"{self.left} B")


def decode_key(data: bytes) -> str:
    """The transactional id. Raises DamagedError when `data` is not a key of version 0."""
    cursor = _Cursor(data)
    _check_version(cursor)
    transactional_id = cursor.text()
    cursor.end()
    return transactional_id


def decode_value(data: bytes) -> TransactionLogValue:
    """The value. Raises DamagedError when `data` is not a value of version 0."""
    cursor = _Cursor(data)
    _check_version(cursor)
    producer_id, producer_epoch, timeout_ms, code = cursor.numbers(_IDENTITY)
    if not 0 <= code <= max(TransactionStatus):
        expected = f"0..{max(TransactionStatus)}"
        raise damaged(DamageKind.TRANSACTION_STATUS, cursor.position - 1, expected, code)
    partitions: list[tuple[str, int]] = []
    (topic_count,) = cursor.numbers(_COUNT)
    for _ in range(topic_count):
        topic = cursor.text()
        (count,) = cursor.numbers(_COUNT)
        numbers = cursor.take(4 * count)
        partitions.extend((topic, number) for (number,) in struct.iter_unpack(">i", numbers))
    last_update_ms, start_ms = cursor.numbers(_TIMES)
    cursor.end()
    return TransactionLogValue(
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        timeout_ms=timeout_ms,
        status=TransactionStatus(code),
        partitions=tuple(partitions),
        last_update_ms=last_update_ms,
        start_ms=start_ms,
    )


def _check_version(cursor: _Cursor) -> None:
    (version,) = cursor.numbers(_LENGTH)
    if version != VERSION:
        raise damaged(DamageKind.VERSION, 0, VERSION, version)
