"""An idempotent producer's state of one topic-partition: its numbering and its batches in flight (TXM-2,
SEQ-6, ORD-4), and renumbering (TXM-16, TXM-17)."""

from __future__ import annotations

from engine.broker.sequence import decrement, increment
from engine.client.batch import Batch
from engine.client.in_flight_order import BY_BATCH, InFlightOrder
from engine.events import NumbersInDoubt
from engine.happenings.batches import OtherBatchUntracked, WrapStraddled
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from engine.shapes.clients import SequencesView
from engine.watching import Watch

STRADDLE = 1 << 30
"""If two sequences in flight differ by more than this, the sequence numbers have wrapped between them."""


class PartitionSequences:
    """The numbering of one topic-partition. ``next_sequence``: the number of the next new record.
    ``unresolved``: None, or the sequence number after the last batch that expired although it may be stored
    (TXM-14)."""

    __slots__ = (
        "adopts_identity",
        "client",
        "gone",
        "in_flight",
        "last_acked_offset",
        "last_acked_sequence",
        "next_sequence",
        "order",
        "partition",
        "path",
        "producer_epoch",
        "producer_id",
        "unresolved",
        "watch",
    )

    def __init__(self, partition: str, client: str, watch: Watch, order: InFlightOrder = BY_BATCH) -> None:
        self.partition = partition
        self.client = client
        self.order = order
        self.next_sequence = 0
        self.last_acked_sequence = NO_SEQUENCE
        self.last_acked_offset = -1
        self.in_flight: list[Batch] = []
        """Batches that were drained and are neither acknowledged nor failed, ordered by base sequence. This
        includes requeued batches."""
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.unresolved: int | None = None
        self.adopts_identity = False
        """Whether the numbering was preset (GEN-7), so that it takes the identity that the producer gets."""
        self.gone = False
        """Whether the state was removed, so that the view no longer shows it."""
        self.path = ("clients", client, "transaction_manager", "partitions", partition)
        self.watch = watch

    def view(self) -> SequencesView | None:
        if self.gone:
            return None
        return {
            "next_sequence": self.next_sequence,
            "last_acked_sequence": None if self.last_acked_sequence < 0 else self.last_acked_sequence,
            "last_acked_offset": None if self.last_acked_offset < 0 else self.last_acked_offset,
            "in_flight": [batch.id for batch in self.in_flight],
            "unresolved": self.unresolved,
        }

    def numbered_under(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether the numbering belongs to this identity."""
        return self.producer_id == producer_id and self.producer_epoch == producer_epoch

    def preset(self, next_sequence: int) -> None:
        """Start the numbering at another sequence than 0 (GEN-7), as if all earlier ones had been acknowledged."""
        self.next_sequence = next_sequence
        self.last_acked_sequence = decrement(next_sequence, 1) if next_sequence else NO_SEQUENCE
        self.adopts_identity = True
        self.watch.touch(self)

    def number(self, batch: Batch, producer_id: int, producer_epoch: int, is_transactional: bool) -> None:
        """Assign the next sequences to a batch and track it (SEQ-5)."""
        batch.set_identity(producer_id, producer_epoch, self.next_sequence, is_transactional)
        self.next_sequence = increment(self.next_sequence, batch.record_count)
        self._track(batch)
        self.watch.touch(self)

    def _track(self, batch: Batch) -> None:
        in_flight = self.in_flight
        if not self.order.has_place(in_flight, batch):
            return
        position = len(in_flight)
        while position and in_flight[position - 1].base_sequence > batch.base_sequence:
            position -= 1
        in_flight.insert(position, batch)
        if position < len(in_flight) - 1 and in_flight[-1].base_sequence - batch.base_sequence > STRADDLE:
            self.watch.emit(WrapStraddled, self.partition, batch.base_sequence, in_flight[-1].base_sequence)

    def untrack(self, batch: Batch) -> None:
        """Stop tracking a batch that was acknowledged or has failed (ORD-4)."""
        found = self.order.found(self.in_flight, batch)
        if found is None:
            return
        self.in_flight.remove(found)
        self.watch.touch(self)
        if found is not batch:
            number = batch.base_sequence
            self.watch.emit(OtherBatchUntracked, self.client, self.partition, batch.id, found.id, number)
            self.watch.emit(NumbersInDoubt, producer=self.client, partition=self.partition, thrown=True)

    def first_in_flight(self) -> int:
        """The lowest base sequence in flight; −1 when there is none."""
        return self.in_flight[0].base_sequence if self.in_flight else NO_SEQUENCE

    def acknowledge(self, batch: Batch, base_offset: int) -> None:
        """Raise the last acknowledged sequence and offset to those of this batch, if these are higher, and stop
        tracking it (TXM-12)."""
        if batch.last_sequence > self.last_acked_sequence:
            self.last_acked_sequence = batch.last_sequence
        if base_offset >= 0:
            last_offset = base_offset + batch.record_count - 1
            if last_offset > self.last_acked_offset:
                self.last_acked_offset = last_offset
        self.untrack(batch)
        self.watch.touch(self)

    def comes_next(self, sequence: int) -> bool:
        """Whether ``sequence`` follows the last acknowledged one. Like Kafka, this compares plain numbers and
        ignores the wrap."""
        return sequence - self.last_acked_sequence == 1

    def restart(self, producer_id: int, producer_epoch: int) -> list[Batch]:
        """Number all batches in flight from 0 with this identity (TXM-16); returns the renumbered batches."""
        sequence = 0
        for batch in self.in_flight:
            batch.renumber(producer_id, producer_epoch, sequence)
            sequence += batch.record_count
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.next_sequence = sequence
        self.last_acked_sequence = NO_SEQUENCE
        self.watch.touch(self)
        return self.in_flight

    def close_gap(self, failed: Batch) -> None:
        """Let the later batches take over the sequence numbers of a failed batch, as if it had not been
        stored (SND-13)."""
        self.next_sequence = decrement(self.next_sequence, failed.record_count)
        for batch in self.in_flight:
            if batch.base_sequence >= failed.base_sequence:
                batch.renumber(
                    batch.producer_id, batch.producer_epoch, batch.base_sequence - failed.record_count
                )
        self.in_flight = self.order.kept(self.in_flight)
        self.watch.touch(self)

    def mark_unresolved(self, batch: Batch) -> None:
        """Note that a sent and requeued batch expired: the client cannot know whether its sequence numbers
        were used (TXM-14)."""
        following = batch.last_sequence + 1
        if self.unresolved is None or following > self.unresolved:
            self.unresolved = following
        self.watch.touch(self)

    def resolve(self) -> None:
        self.unresolved = None
        self.watch.touch(self)
