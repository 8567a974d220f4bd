"""The evidence for a verdict or a note: facts, each with its place and a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from eosviz.pipeline.kafka_logs.coordinator import CoordinatorEntry
from eosviz.pipeline.kafka_logs.partition import Marker, Transaction
from eosviz.pipeline.kafka_logs.words import Words, moment, words

PARTITIONS_NAMED_MAX = 50
"""A sentence names at most this many partitions of one transaction, and counts the others."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact, with its place and its sentence."""

    place: str
    """Where the fact was found, for example a file and a byte of it, or a partition and an offset."""
    says: Words


def transaction_sentence(transaction: Transaction) -> Words:
    """The sentence that says what an open transaction has written."""
    who = {"producer_id": transaction.producer_id, "epoch": transaction.epoch}
    if transaction.last_offset < transaction.first_offset:
        return words("evidence.open", first_offset=transaction.first_offset, **who)
    if transaction.last_offset == transaction.first_offset:
        return words("evidence.wrote_one", offset=transaction.first_offset, **who)
    offsets = {"first_offset": transaction.first_offset, "last_offset": transaction.last_offset}
    return words("evidence.wrote", **offsets, **who)


def marker_sentence(marker: Marker) -> Words:
    """The sentence that describes a marker."""
    epochs = {"epoch": marker.epoch, "coordinator_epoch": marker.coordinator_epoch}
    return words("evidence.marker", type=marker.type, offset=marker.offset, **epochs)


def entry_sentence(entry: CoordinatorEntry) -> Words:
    """The sentence that says what a record of the coordinator states."""
    value = entry.value
    if value is None:
        return words("evidence.tombstone", transactional_id=entry.transactional_id)
    return words(
        "evidence.coordinator",
        transactional_id=entry.transactional_id,
        state=value.status.kafka_name,
        producer_id=value.producer_id,
        epoch=value.producer_epoch,
        partitions=_named(value.partitions) or "–",
        start=moment(value.start_ms),
        timeout=value.timeout_ms,
    )


def _named(partitions: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    named = [f"{topic}-{number}" for topic, number in partitions[:PARTITIONS_NAMED_MAX]]
    more = len(partitions) - len(named)
    return (*named, f"… (+{more})") if more else tuple(named)
