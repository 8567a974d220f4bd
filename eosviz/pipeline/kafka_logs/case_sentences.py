"""Sentences about a whole case, which are the same on the command line, in a report and on the page: what was
given, against which time timeouts are measured, which transaction version wrote the logs, and what blocks
groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.codec.written_by import WrittenBy
from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.copy_proofs import Copies
from eosviz.pipeline.kafka_logs.partition import Partition
from eosviz.pipeline.kafka_logs.words import Words, moment, words

Row = dict[str, Any]


def now_sentence(now: int, copies: Copies) -> Words:
    """The sentence that states the time against which timeouts are measured. `now`: this time in milliseconds
    since 1970; -1 if it is unknown."""
    if now < 0:
        return words("now.unknown")
    return words("now.set" if copies.declared.now is not None else "now.newest", now=moment(now))


def coordinator_sentence(coordinator: Coordinator, copies: Copies, is_needed: bool) -> Words:
    """The sentence that says how much of `__transaction_state` was given. ``is_needed``: whether a verdict
    needs it, because some partition is not healthy."""
    count = copies.transaction_partitions
    given = len(coordinator.logs)
    if not coordinator.sources and not coordinator.latest:
        return words("given.nothing" if is_needed else "given.not_needed")
    if not given:
        return words("given.asked")
    if count is None:
        return words("given.of_unknown", count=given)
    return words("given.of", count=given, all=count)


def written_sentence(coordinator: Coordinator, partitions: Iterable[Partition]) -> Words:
    """The sentence that says which transaction version wrote the logs, and by whose rules they are judged."""
    written = WrittenBy()
    written.merge(coordinator.written)
    for partition in partitions:
        if partition.raised_at >= 0:
            written.merge(WrittenBy(marker_place=f"{partition.name}: {partition.raised_at}"))
    return Words(*written.sentence())


def group_sentences(row: Row) -> tuple[Words, ...]:
    """The sentences that say what a group waits for in this partition, or how far it is behind. There may be
    none. ``row``: a row of `case.group_rows`."""
    # Cases that earlier releases stored have neither a lag nor a pending offset.
    lag, pending_of = row.get("lag"), row.get("pending_producer_id")
    who = {"group": row["group"], "partition": row["partition"]}
    found = []
    if row["held_up"]:
        found.append(
            words("group.held_up", offset=row["committed_offset"], lag="?" if lag is None else lag, **who)
        )
    if pending_of is not None:
        offset = row.get("pending_offset")
        found.append(
            words("group.pending", producer_id=pending_of, offset="–" if offset is None else offset, **who)
        )
    if not found and lag:
        found.append(words("group.lag", offset=row["committed_offset"], lag=lag, **who))
    return tuple(found)
