"""The partition that a producer chooses for a record with a key: Kafka's default partitioner.

Kafka: ``Utils.murmur2`` and ``DefaultPartitioner.partition``; since 3.3
``BuiltInPartitioner.partitionForKey``, which chooses the same partition.
"""

from __future__ import annotations

_WORD = 0xFFFFFFFF
_SEED = 0x9747B28C
_FACTOR = 0x5BD1E995
_SHIFT = 24


def murmur2(data: bytes) -> int:
    """MurmurHash2 with Kafka's seed, as a signed 32-bit number."""
    result = (_SEED ^ len(data)) & _WORD
    whole = len(data) & ~3
    for place in range(0, whole, 4):
        word = int.from_bytes(data[place : place + 4], "little") * _FACTOR & _WORD
        word = (word ^ word >> _SHIFT) * _FACTOR & _WORD
        result = result * _FACTOR & _WORD ^ word
    if whole < len(data):
        result = (result ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _WORD
    result = (result ^ result >> 13) * _FACTOR & _WORD
    result ^= result >> 15
    return result - (1 << 32) if result >> 31 else result


def partition_of_key(key: str, partitions: int) -> int:
    """The number of the partition, from 0, for a key in a topic with ``partitions`` partitions. The key is hashed as
    UTF-8."""
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions
