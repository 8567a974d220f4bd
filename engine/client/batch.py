"""One batch of records on its way through the producer (ACC-3, ACC-6, ACC-7, ACC-17).

This module owns the records' serials, the byte estimate, the identity (PID, epoch, first sequence) and the
state of the batch. It does not decide when and where it is sent.
"""

from __future__ import annotations

from engine.broker.sequence import increment
from engine.client.batch_states import CLOSE, DRAIN, MACHINE, OVER, REQUEUE, TAKES_RECORDS
from engine.client.record_size import BATCH_OVERHEAD, record_size
from engine.errors import EngineError
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, BatchContent, RecordBatch
from engine.shapes.clients import ClientBatchView
from engine.watching import Watch


class Batch:
    """A batch of records, with the fields of ACC-6. ``capacity``: the bytes that the pool lent to it; they
    are also the limit for appends."""

    __slots__ = (
        "attempts",
        "base_sequence",
        "bytes",
        "capacity",
        "closed",
        "created_at",
        "drained_at",
        "drained_renumbered",
        "error",
        "id",
        "is_transactional",
        "keys",
        "last_append_at",
        "last_attempt_at",
        "partition",
        "path",
        "producer_epoch",
        "producer_id",
        "resequenced",
        "serials",
        "shown",
        "state",
        "watch",
    )

    def __init__(
        self, batch_id: str, partition: str, capacity: int, now: int, client: str, watch: Watch
    ) -> None:
        self.id = batch_id
        self.partition = partition
        self.capacity = capacity
        self.bytes = BATCH_OVERHEAD
        self.serials: list[int] = []
        self.keys: dict[int, str] = {}
        """Dict of serial → the record's key, for records with a key."""
        self.created_at = now
        self.last_append_at = now
        self.last_attempt_at = now
        self.drained_at: int | None = None
        self.attempts = 0
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.base_sequence = NO_SEQUENCE
        self.is_transactional = False
        self.closed = False
        """Whether the bytes are written, so that the identity can no longer change (ACC-17)."""
        self.resequenced = False
        self.drained_renumbered = False
        """Whether the newest drain was the first one after a renumbering."""
        self.state = MACHINE.initial
        self.error: str | None = None
        self.shown = True
        """Whether the view shows the batch. It shows a finished batch until the next pass of the Sender."""
        self.path = ("clients", client, "batches", batch_id)
        self.watch = watch

    # -- records ---------------------------------------------------------------------------------------

    @property
    def record_count(self) -> int:
        return len(self.serials)

    @property
    def full(self) -> bool:
        return bool(self.serials) and self.capacity <= self.bytes

    def try_append(self, serial: int, payload: int, now: int) -> bool:
        """Append a record if the batch takes records and has room. Returns whether it was appended; if not,
        the batch takes no record any more.

        The first record always fits. ``payload``: the result of :func:`record_size.payload_size`, in bytes.
        """
        if self.state not in TAKES_RECORDS:
            return False
        count = len(self.serials)
        size = record_size(payload, count, now - self.created_at)
        if count and (self.capacity <= self.bytes or self.capacity < self.bytes + size):
            self.move(CLOSE)
            return False
        self.serials.append(serial)
        self.bytes += size
        self.last_append_at = now
        self.watch.touch(self)
        return True

    # -- identity --------------------------------------------------------------------------------------

    @property
    def has_sequence(self) -> bool:
        """Whether an identity was assigned: the base sequence is not −1; 0 is a sequence, too (CTR-17)."""
        return self.base_sequence != NO_SEQUENCE

    @property
    def last_sequence(self) -> int:
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment(self.base_sequence, len(self.serials) - 1)

    def set_identity(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Give the batch its PID, epoch and first sequence (SEQ-5). Raises EngineError for a batch whose bytes
        are written (ACC-17)."""
        if self.closed:
            raise EngineError(
                f"{self.id} of {self.partition} is written with sequence {self.base_sequence}: marking it "
                f"again with {base_sequence} could store it twice"
            )
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self.is_transactional = is_transactional

    def renumber(self, producer_id: int, producer_epoch: int, base_sequence: int) -> None:
        """Reopen a written batch with new numbers (TXM-16, TXM-17); it is marked as renumbered until the next
        drain. Raises EngineError for a sequence below 0."""
        if base_sequence < 0:
            raise EngineError(
                f"{self.id} of {self.partition}: sequence {base_sequence} lies below 0 (TXM-17)"
            )
        self.closed = False
        self.set_identity(producer_id, producer_epoch, base_sequence, self.is_transactional)
        self.resequenced = True
        self.watch.touch(self)

    # -- state -----------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.state in OVER

    def move(self, on: str) -> None:
        """Change the state by the row for (state, ``on``). Raises EngineError if there is no such row."""
        try:
            row = MACHINE.take(self.state, on, None)
        except EngineError as broken:
            raise EngineError(f"{self.id} of {self.partition}: {broken}") from broken
        self.state = row.target or self.state
        self.watch.touch(self)

    def drain(self, now: int) -> None:
        """Note that the Sender has removed the batch from its queue to send it."""
        if self.state in TAKES_RECORDS:
            self.move(CLOSE)
        self.move(DRAIN)
        self.closed = True
        self.drained_renumbered = self.resequenced
        self.resequenced = False
        self.drained_at = now

    def requeue(self, now: int) -> None:
        self.attempts += 1
        self.last_attempt_at = now
        self.move(REQUEUE)

    # -- others ----------------------------------------------------------------------------------------

    def to_message(self) -> RecordBatch:
        """The batch as part of a Produce request (MSG-2)."""
        count = len(self.serials)
        return RecordBatch(
            record_count=count,
            last_offset_delta=count - 1,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            base_sequence=self.base_sequence,
            last_sequence=self.last_sequence,
            is_transactional=self.is_transactional,
            max_timestamp=self.last_append_at,
            size=self.bytes,
            serials=tuple(self.serials),
            content=self._content() if self.keys else None,
        )

    def _content(self) -> BatchContent:
        return BatchContent(keys=tuple(self.keys.get(serial) for serial in self.serials))

    def view(self) -> ClientBatchView | None:
        if not self.shown:
            return None
        identified = self.base_sequence != NO_SEQUENCE
        return {
            "partition": self.partition,
            "state": self.state,
            "serials": list(self.serials),
            "record_count": len(self.serials),
            "bytes": self.bytes,
            "capacity": self.capacity,
            "full": self.full,
            "created_at": self.created_at,
            "last_append_at": self.last_append_at,
            "last_attempt_at": self.last_attempt_at,
            "drained_at": self.drained_at,
            "attempts": self.attempts,
            "producer_id": self.producer_id if identified else None,
            "producer_epoch": self.producer_epoch if identified else None,
            "first_sequence": self.base_sequence if identified else None,
            "last_sequence": self.last_sequence if identified else None,
            "resequenced": self.resequenced,
            "error": self.error,
        }
