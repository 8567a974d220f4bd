"""The order in which Kafka's accumulator visits its partitions (ACC-8).

Kafka keeps its queues in a copy-on-write Java hash map, so it visits them in the order of the map's buckets.
The order affects the next ready check delay, and the order in which batches of several partitions expire.
"""

from __future__ import annotations

from functools import lru_cache

from engine.java_hash import java_string_hash
from engine.topic_partition import topic_partition

DEFAULT_CAPACITY = 16
LOAD_FACTOR = 0.75


@lru_cache(maxsize=4096)
def spread_hash(partition: str) -> int:
    """``TopicPartition.hashCode`` with its high bits spread as ``HashMap`` does; an unsigned 32-bit number."""
    topic, number = topic_partition(partition)
    value = (31 * (31 + number) + java_string_hash(topic)) & 0xFFFFFFFF
    return value ^ (value >> 16)


def capacity(count: int) -> int:
    """Number of buckets of the map after its ``count``-th entry was put into a copy."""
    if count == 1:
        return DEFAULT_CAPACITY
    wanted = int((count - 1) / LOAD_FACTOR + 1)
    buckets = 1
    while buckets < wanted:
        buckets *= 2
    return buckets * 2 if count > LOAD_FACTOR * buckets else buckets


def with_partition(order: list[str], partition: str) -> list[str]:
    """The visit order after ``partition`` was added; partitions of one bucket keep their order."""
    grown = [*order, partition]
    mask = capacity(len(grown)) - 1
    grown.sort(key=lambda name: spread_hash(name) & mask)
    return grown
