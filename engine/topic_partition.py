"""A topic-partition: topic and number, written as one name, ``t-0``.

In a run, only this module makes and parses such names. Messages, tables and documents hold the name, because
a text is quick to compare, hash and sort, and is what readers see.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class TopicPartition(NamedTuple):
    """Partition ``number`` of ``topic``. The name of a topic may contain dashes."""

    topic: str
    number: int
    """-1 when the text names no partition."""

    def __str__(self) -> str:
        return partition_name(self.topic, self.number)


def partition_name(topic: str, number: int) -> str:
    """The name of a partition, such as ``t-0``."""
    return f"{topic}-{number}"


@lru_cache(maxsize=4096)
def topic_partition(name: str) -> TopicPartition:
    """Parse the name of a partition, such as ``t-0``."""
    topic, _, number = name.rpartition("-")
    return TopicPartition(topic, int(number) if number.isdecimal() else -1)


def topic_of(name: str) -> str:
    return topic_partition(name).topic


def is_internal(name: str) -> bool:
    """Whether a topic or a partition is internal: one of Kafka's own, by its name."""
    return name.startswith("__")
