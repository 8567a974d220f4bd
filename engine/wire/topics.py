"""Converts between Kafka's partitions, which are grouped by topic, and the engine's topic-partitions, which
are names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.topic_partition import partition_name, topic_partition
from engine.wire.wire_error import WireError


def checked_name(topic: str, number: int) -> str:
    """The name `t-0`. Raises WireError for a negative number: `t--1` would be read as partition 1 of `t-`."""
    if number < 0:
        raise WireError(f"topic {topic!r}", f"partition {number}", "partitions are numbered from 0")
    return partition_name(topic, number)


def once(names: Iterable[str]) -> Iterator[str]:
    """Yield the names. Raises WireError for a name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise WireError(f"partition {name}", "named twice in one request", "name each partition once")
        seen.add(name)
        yield name


def by_topic(
    rows: Iterable[tuple[str, dict[str, Any]]],
    *,
    topic_field: str = "name",
    number_field: str = "partition_index",
    partitions_field: str = "partitions",
) -> list[dict[str, Any]]:
    """The partitions with their values, grouped by topic, in the order in which the topics first appear."""
    topics: dict[str, list[dict[str, Any]]] = {}
    for partition, values in rows:
        topic, number = topic_partition(partition)
        topics.setdefault(topic, []).append({number_field: number, **values})
    return [{topic_field: topic, partitions_field: found} for topic, found in topics.items()]
