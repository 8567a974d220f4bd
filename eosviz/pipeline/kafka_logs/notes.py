"""Notes about transactions that have ended, but were not ended by their own producer.

Source: KIP-890. With transaction version 2 each end of a transaction raises the producer's epoch by one, and
the marker has the new epoch; fencing and timeouts raise the epoch once more. In earlier versions, while a
transaction is open, only fencing and timeouts raise the epoch.
"""

from dataclasses import dataclass
from enum import StrEnum

from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.evidence import Evidence, entry_sentence, marker_sentence
from eosviz.pipeline.kafka_logs.partition import Marker, Partition, Transaction
from eosviz.pipeline.kafka_logs.words import words

NOTES_MAX = 10_000
"""About this many notes of one partition are kept: those about its first transactions. The others are
counted."""
_VERSION_2 = 2


class NoteKind(StrEnum):
    """How a transaction was ended."""

    NEWER_EPOCH = "closed_by_newer_epoch"
    """The coordinator ended it: the producer was fenced, or the transaction timed out."""
    NO_DECISION = "marker_without_decision"
    """An administrator wrote the marker: the coordinator had not decided this outcome before."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note about a transaction that was not ended by its own producer."""

    kind: NoteKind
    producer_id: int
    epoch: int
    first_offset: int
    marker_offset: int
    evidence: tuple[Evidence, ...]


def notes_of(partition: Partition, coordinator: Coordinator) -> tuple[tuple[Note, ...], int]:
    """The notes about a partition's transactions, at most about NOTES_MAX, and the number of further ones."""
    notes: list[Note] = []
    left_out = 0
    raised = _epochs_that_an_end_raises(partition, coordinator)
    for transaction in partition.transactions:
        marker = transaction.marker
        if marker is None:
            continue
        found: list[NoteKind] = []
        if _is_of_newer_epoch(transaction, marker, raised):
            found.append(NoteKind.NEWER_EPOCH)
        entry = coordinator.undecided_at(transaction.producer_id, marker.result, marker.timestamp)
        if entry is not None and marker.result != "ended":
            found.append(NoteKind.NO_DECISION)
        if not found or len(notes) >= NOTES_MAX:
            left_out += len(found)
            continue
        evidence = [Evidence(transaction.place, words("evidence.first_batch"))]
        evidence.append(Evidence(marker.place, marker_sentence(marker)))
        if NoteKind.NO_DECISION in found and entry is not None:
            evidence.append(Evidence(entry.place, entry_sentence(entry)))
        places = (transaction.producer_id, transaction.epoch, transaction.first_offset, marker.offset)
        notes.extend(Note(kind, *places, tuple(evidence)) for kind in found)
    return tuple(notes), left_out


def _epochs_that_an_end_raises(partition: Partition, coordinator: Coordinator) -> dict[int, int]:
    """Dict of producer id → by how much an end of its transaction raises the epoch: 1 with transaction
    version 2, else 0."""
    return {
        one: int(producer.has_version_2 or coordinator.newest_version.get(one, 0) >= _VERSION_2)
        for one, producer in partition.producers.items()
    }


def _is_of_newer_epoch(transaction: Transaction, marker: Marker, raised: dict[int, int]) -> bool:
    if marker.result == "committed":
        # Fencing and timeouts abort. So if a COMMIT marker has a newer epoch, transaction version 2 is the
        # reason.
        return False
    return marker.epoch > transaction.newest_epoch + raised.get(transaction.producer_id, 0)
