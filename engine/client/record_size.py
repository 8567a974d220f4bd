"""How many bytes a record and a batch take, as Kafka's client estimates before it writes them (format v2).

The client decides *full* from these estimates, so they must agree with Kafka's to the byte. Writing the
bytes is the codec's work.
"""

from __future__ import annotations

from functools import lru_cache

BATCH_OVERHEAD = 61
"""Header of a record batch v2 (``DefaultRecordBatch.RECORD_BATCH_OVERHEAD``)."""
RECORD_OVERHEAD_MAX = 21
"""The most bytes that a record's length, attributes and two deltas take (``DefaultRecord.MAX_RECORD_OVERHEAD``)."""
NULL_LENGTH = -1
"""The length −1 that is written for a null key; it takes one byte."""


@lru_cache(maxsize=65_536)
def varint_size(value: int) -> int:
    """Bytes of a zigzag varint (``ByteUtils.sizeOfVarint`` and ``sizeOfVarlong``)."""
    raw = value << 1 if value >= 0 else (-value << 1) - 1
    return (raw.bit_length() + 6) // 7 or 1


@lru_cache(maxsize=4_096)
def payload_size(key_bytes: int, value_bytes: int) -> int:
    """Bytes of key, value and an empty header list, with their lengths (``DefaultRecord.sizeOf``). Length −1:
    null."""
    size = varint_size(key_bytes) + varint_size(value_bytes) + 1
    if key_bytes > 0:
        size += key_bytes
    if value_bytes > 0:
        size += value_bytes
    return size


def record_size(payload: int, offset_delta: int, timestamp_delta: int) -> int:
    """Bytes of a record inside a batch (``DefaultRecord.sizeInBytes``); ``payload`` from :func:`payload_size`."""
    body = 1 + varint_size(offset_delta) + varint_size(timestamp_delta) + payload
    return body + varint_size(body)


def batch_size_upper_bound(payload: int) -> int:
    """The most bytes of a batch with one record (``AbstractRecords.estimateSizeInBytesUpperBound``)."""
    return BATCH_OVERHEAD + RECORD_OVERHEAD_MAX + payload
