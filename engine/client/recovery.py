"""How a producer recovers sequence numbers that may be lost: two strategies. The version chooses one.

2.0 drops its producer id and requests another (TXM-15). Since 2.5 the client raises the epoch and keeps the
id (TXM-16, KIP-360). The strategies also differ in which identities a numbering may have, which responses
still change it, and what happens to the numbers of a failed batch (SND-9, 11 to 13).
"""

from __future__ import annotations

from typing import Protocol

from engine.client.batch import Batch
from engine.client.partition_sequences import PartitionSequences
from engine.client.produce_reactions import DECISIONS, reaction_to
from engine.errors import Error
from engine.happenings.batches import AfterFailure


class Numbers(Protocol):
    """The part of a producer's identity and numberings that recovery uses."""

    @property
    def is_transactional(self) -> bool: ...

    @property
    def has_fatal_error(self) -> bool: ...

    def entry(self, partition: str) -> PartitionSequences: ...

    def is_current(self, batch: Batch) -> bool: ...

    def request_bump(self, partition: str) -> None: ...

    def reset_identity(self) -> None: ...

    def forget_numbering(self, partition: str) -> None: ...


class Recovery(Protocol):
    """A strategy of recovery. ``raises_epoch``: whether the client recovers lost numbers by a higher epoch.
    ``knows_older``: whether the response to a batch of a replaced identity still changes the numbering."""

    @property
    def raises_epoch(self) -> bool: ...

    @property
    def knows_older(self) -> bool: ...

    def waits_for_older(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        """Whether new numbers have to wait while batches of an older identity are in flight."""
        ...

    def renumbers(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        """Whether the numbering restarts with this identity."""
        ...

    def failed(self, numbers: Numbers, batch: Batch, error: Error, adjust: bool) -> AfterFailure | None:
        """Settle the numbers of a batch that has failed. ``adjust``: whether later batches may get its
        numbers. Returns what happened to the numbers; None: nothing."""
        ...


class RaiseEpoch:
    __slots__ = ()
    raises_epoch = True
    knows_older = True

    def waits_for_older(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        return bool(entry.in_flight) and not entry.numbered_under(producer_id, epoch)

    def renumbers(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        return not entry.in_flight and not entry.numbered_under(producer_id, epoch)

    def failed(self, numbers: Numbers, batch: Batch, error: Error, adjust: bool) -> AfterFailure | None:
        entry = numbers.entry(batch.partition)
        entry.untrack(batch)
        if numbers.has_fatal_error:
            return None
        sequence_error = reaction_to(error).does in DECISIONS
        if sequence_error and not numbers.is_transactional:
            numbers.request_bump(batch.partition)
            return AfterFailure.BUMP_REQUESTED_UNCERTAIN
        if error is Error.UNKNOWN_PRODUCER_ID:
            numbers.forget_numbering(batch.partition)
            return AfterFailure.NUMBERING_FORGOTTEN
        if not adjust:
            return None
        if not numbers.is_transactional:
            numbers.request_bump(batch.partition)
            return AfterFailure.BUMP_REQUESTED
        entry.close_gap(batch)
        return AfterFailure.GAP_CLOSED


class ResetIdentity:
    __slots__ = ()
    raises_epoch = False
    knows_older = False

    def waits_for_older(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        return False

    def renumbers(self, entry: PartitionSequences, producer_id: int, epoch: int) -> bool:
        return False

    def failed(self, numbers: Numbers, batch: Batch, error: Error, adjust: bool) -> AfterFailure | None:
        if not numbers.is_current(batch):
            return None
        if reaction_to(error).does in DECISIONS and not numbers.is_transactional:
            numbers.reset_identity()
            return AfterFailure.IDENTITY_RESET
        entry = numbers.entry(batch.partition)
        entry.untrack(batch)
        if not adjust or numbers.has_fatal_error:
            return None
        entry.close_gap(batch)
        return AfterFailure.GAP_CLOSED


RAISE_EPOCH, RESET_IDENTITY = RaiseEpoch(), ResetIdentity()
