"""Two strategies to find a batch among its partition's batches in flight. The version chooses one (ORD-4).

2.3 to 3.0.1 and 3.1.0 keep these batches in a set that is ordered and compared by first sequence number alone
(``TopicPartitionEntry.inflightBatchesBySequence``). So a finished batch can be confused with another one that
now has its number. All other versions compare the batches themselves.
"""

from __future__ import annotations

from typing import Protocol

from engine.client.batch import Batch


class InFlightOrder(Protocol):
    """How the client finds a batch among the tracked ones. ``throws_untracked``: whether the Sender throws an
    exception when it has to resend a batch while none of the partition's batches is tracked."""

    @property
    def throws_untracked(self) -> bool: ...

    def has_place(self, in_flight: list[Batch], batch: Batch) -> bool:
        """Whether the batch can be added to the tracked batches."""
        ...

    def found(self, in_flight: list[Batch], batch: Batch) -> Batch | None:
        """The batch in flight that this strategy takes for ``batch``; None: there is none."""
        ...

    def kept(self, in_flight: list[Batch]) -> list[Batch]:
        """The batches that are still tracked after some of them got new sequence numbers."""
        ...


class ByBatch:
    __slots__ = ()
    throws_untracked = False

    def has_place(self, in_flight: list[Batch], batch: Batch) -> bool:
        return True

    def found(self, in_flight: list[Batch], batch: Batch) -> Batch | None:
        return batch if batch in in_flight else None

    def kept(self, in_flight: list[Batch]) -> list[Batch]:
        return in_flight


class ByNumber:
    __slots__ = ()
    throws_untracked = True

    def has_place(self, in_flight: list[Batch], batch: Batch) -> bool:
        return self.found(in_flight, batch) is None

    def found(self, in_flight: list[Batch], batch: Batch) -> Batch | None:
        number = batch.base_sequence
        return next((known for known in in_flight if known.base_sequence == number), None)

    def kept(self, in_flight: list[Batch]) -> list[Batch]:
        firsts = {batch.base_sequence: batch for batch in reversed(in_flight)}
        return [batch for batch in in_flight if firsts[batch.base_sequence] is batch]


BY_BATCH, BY_NUMBER = ByBatch(), ByNumber()
