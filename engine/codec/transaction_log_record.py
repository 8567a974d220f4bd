"""A record of `__transaction_state`: the coordinator's metadata of one transactional id.

Source: KIP-98, KIP-890, Kafka's `TransactionLog` and `TransactionLogValue`. The key is version int16 and the
transactional id. The value is version int16, producer id int64, producer epoch int16, timeout int32, status
int8, partitions by topic, last update and start int64; all numbers are big endian.

Version 0 of the value is written and read. Version 1, which Kafka 4 writes if ``transaction.version`` is at level 1
or higher, has compact lengths and tagged fields (KIP-915). It is only read, and unknown tags are skipped, as in Kafka.
"""

import struct
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from engine.codec.damage import DamageKind, damaged
from engine.codec.field_cursor import FieldCursor
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

VERSION = 0
"""The version of key and value that is written."""
VALUE_VERSION_MAX = 1
KEYS_KEPT_MAX = 65_536
"""At most this many decoded transactional ids are cached by their bytes, because a log repeats each id
several times for every transaction."""
FORMS_KEPT_MAX = 4096
"""At most this many values are cached, without their numbers, so that a similar value need not be decoded again."""

_IDENTITY = struct.Struct(">qhib")
"""The fields in front of the partitions, which always have the same size: producer id, epoch, timeout, status."""
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
        """The name as Kafka and the vectors write it, for example `PrepareCommit`."""
        return "".join(word.capitalize() for word in self.name.split("_"))


_STATUS_BY_CODE = {int(status): status for status in TransactionStatus}
STATUS_BY_NAME = {status.kafka_name: status for status in TransactionStatus}


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionLogValue:
    """The value of a record. Times are milliseconds since 1970; -1 means none."""

    producer_id: int
    producer_epoch: int
    timeout_ms: int
    status: TransactionStatus
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) pairs; empty in state Empty, for which Kafka writes null."""
    last_update_ms: int
    start_ms: int
    previous_producer_id: int = NO_PRODUCER_ID
    """Only version 1 has this field and the next three."""
    next_producer_id: int = NO_PRODUCER_ID
    next_producer_epoch: int = NO_PRODUCER_EPOCH
    client_transaction_version: int = 0
    """2 if each transaction of the client has an epoch of its own (KIP-890)."""
    version: int = field(default=-1, compare=False)
    """The version of the bytes; -1: the value was not decoded from bytes."""


def encode_key(transactional_id: str) -> bytes:
    """The bytes of the key of a record about this transactional id. Raises ValueError when the id is longer
    than 32767 bytes of UTF-8."""
    return _LENGTH.pack(VERSION) + _text(transactional_id)


def encode_value(value: TransactionLogValue) -> bytes:
    """The bytes of `value`. Partitions are grouped by topic, in the given order. Raises ValueError for state
    Empty with partitions, and if a number does not fit its field."""
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


@lru_cache(maxsize=KEYS_KEPT_MAX)
def decode_key(data: bytes) -> str:
    """The transactional id. Raises DamagedError when `data` is not a key of version 0."""
    cursor = FieldCursor(data)
    _version(cursor, VERSION)
    transactional_id = cursor.text()
    cursor.end()
    return transactional_id


def decode_value(data: bytes) -> TransactionLogValue:
    """Decode the value of a record. Raises DamagedError when `data` is not a value of version 0 or 1."""
    return _decode_value(data)[0]


class ValueReader:
    """Decodes values one after the other, with the same results as `decode_value`. A value that differs from
    an earlier one in its numbers alone is not decoded again."""

    def __init__(self) -> None:
        self._times_at: dict[int, int] = {}
        """Dict of length of a value → position at which the times begin in the newest value with this
        length."""
        self._forms: dict[bytes, TransactionLogValue] = {}
        """Dict of bytes of a value without its numbers and times → decoded value."""

    def decode(self, data: bytes) -> TransactionLogValue:
        """Decode one value. Raises DamagedError, as `decode_value` does."""
        times_at = self._times_at.get(len(data))
        if times_at is not None:
            alike = self._forms.get(_form(data, times_at))
            if alike is not None:
                producer_id, producer_epoch, timeout_ms, code = _IDENTITY.unpack_from(data, _LENGTH.size)
                last_update_ms, start_ms = _TIMES.unpack_from(data, times_at)
                status = _STATUS_BY_CODE.get(code)
                if status is not None:
                    return TransactionLogValue(
                        producer_id=producer_id,
                        producer_epoch=producer_epoch,
                        timeout_ms=timeout_ms,
                        status=status,
                        partitions=alike.partitions,
                        last_update_ms=last_update_ms,
                        start_ms=start_ms,
                        previous_producer_id=alike.previous_producer_id,
                        next_producer_id=alike.next_producer_id,
                        next_producer_epoch=alike.next_producer_epoch,
                        client_transaction_version=alike.client_transaction_version,
                        version=alike.version,
                    )
        value, times_at = _decode_value(data)
        if len(self._forms) >= FORMS_KEPT_MAX:
            self._forms.clear()
        self._times_at[len(data)] = times_at
        self._forms[_form(data, times_at)] = value
        return value


def _form(data: bytes, times_at: int) -> bytes:
    return (
        data[: _LENGTH.size] + data[_LENGTH.size + _IDENTITY.size : times_at] + data[times_at + _TIMES.size :]
    )


def _decode_value(data: bytes) -> tuple[TransactionLogValue, int]:
    """The value, and the position at which its timestamps begin."""
    cursor = FieldCursor(data)
    version = _version(cursor, VALUE_VERSION_MAX)
    compact = version > 0
    producer_id, producer_epoch, timeout_ms, code = cursor.numbers(_IDENTITY)
    status = _STATUS_BY_CODE.get(code)
    if status is None:
        raise damaged(DamageKind.TRANSACTION_STATUS, cursor.position - 1, f"0..{max(_STATUS_BY_CODE)}", code)
    partitions = _decode_partitions(cursor, compact=compact)
    times_at = cursor.position
    last_update_ms, start_ms = cursor.numbers(_TIMES)
    tagged = cursor.tagged_fields() if compact else {}
    cursor.end()
    value = TransactionLogValue(
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        timeout_ms=timeout_ms,
        status=status,
        partitions=partitions,
        last_update_ms=last_update_ms,
        start_ms=start_ms,
        previous_producer_id=tagged[0].int64() if 0 in tagged else NO_PRODUCER_ID,
        next_producer_id=tagged[1].int64() if 1 in tagged else NO_PRODUCER_ID,
        client_transaction_version=tagged[2].int16() if 2 in tagged else 0,
        next_producer_epoch=tagged[3].int16() if 3 in tagged else NO_PRODUCER_EPOCH,
        version=version,
    )
    return value, times_at


def _decode_partitions(cursor: FieldCursor, *, compact: bool) -> tuple[tuple[str, int], ...]:
    partitions: list[tuple[str, int]] = []
    for _ in range(cursor.count(compact=compact)):
        topic = cursor.text(compact=compact)
        count = cursor.count(compact=compact, item_bytes_min=4)
        partitions.extend((topic, cursor.int32()) for _ in range(count))
        if compact:
            cursor.tagged_fields()
    return tuple(partitions)


def _version(cursor: FieldCursor, version_max: int) -> int:
    version = cursor.int16()
    if not 0 <= version <= version_max:
        expected = f"0..{version_max}" if version_max else 0
        raise damaged(DamageKind.VERSION, 0, expected, version)
    return version
