"""A coordinator's metadata of one transactional id, and its image in the log (TXC-2, TXC-23)."""

from __future__ import annotations

from engine.coordinator.transaction_states import COMPLETED, TRANSACTION_STATES
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, RAISING_VERSION, SHORT_MAX
from engine.value import value

EPOCH_EXHAUSTED = SHORT_MAX - 1
"""From this epoch on InitProducerId takes a new PID; the last epoch is reserved for fencing (TXC-9, CTR-23)."""


@value
class Image:
    """The state to which a transition of an id leads (``TxnTransitMetadata``, TXC-2). ``last_*`` and
    ``next_producer_id`` are not written to the log (``TransactionLog.valueToBytes``), so a reload loses them.
    ``client_version``: the transaction version of the last request that changed the id."""

    state: str
    producer_id: int
    last_producer_id: int
    producer_epoch: int
    last_producer_epoch: int
    timeout_ms: int
    partitions: frozenset[str]
    start_ms: int
    last_update_ms: int
    next_producer_id: int = NO_PRODUCER_ID
    """The producer id that the completion will install, if the decision used up the epochs (KIP-890)."""
    client_version: int = 0


class TransactionMetadata:
    """One transactional id in the cache. ``pending_state``: the state that is being written, or None."""

    __slots__ = (
        "client_version",
        "failed_epoch_fence",
        "last_producer_epoch",
        "last_producer_id",
        "last_update_ms",
        "next_producer_id",
        "partitions",
        "pending_state",
        "producer_epoch",
        "producer_id",
        "start_ms",
        "state",
        "timeout_ms",
        "transactional_id",
    )

    def __init__(self, transactional_id: str, producer_id: int, timeout_ms: int, now: int) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.last_producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.last_producer_epoch = NO_PRODUCER_EPOCH
        self.timeout_ms = timeout_ms
        self.state = TRANSACTION_STATES.initial
        self.pending_state: str | None = None
        self.partitions: frozenset[str] = frozenset()
        self.start_ms = -1
        self.last_update_ms = now
        self.failed_epoch_fence = False
        self.next_producer_id = NO_PRODUCER_ID
        self.client_version = 0

    @classmethod
    def loaded(cls, transactional_id: str, image: Image) -> TransactionMetadata:
        """The metadata from the log, which lacks the transient fields (TXC-22)."""
        metadata = cls(transactional_id, image.producer_id, image.timeout_ms, image.last_update_ms)
        metadata.state = image.state
        metadata.producer_epoch = image.producer_epoch
        metadata.partitions = image.partitions
        metadata.start_ms = image.start_ms
        metadata.client_version = image.client_version
        return metadata

    @property
    def epoch_exhausted(self) -> bool:
        return self.producer_epoch >= EPOCH_EXHAUSTED

    def accepts(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether an InitProducerId with this producer id and epoch comes from the present or the previous producer
        of this transactional id (TXC-7, TXC-9, ``isValidProducerId``). Before the first epoch: True."""
        return (
            self.producer_epoch == NO_PRODUCER_EPOCH
            or producer_id == self.producer_id
            or (producer_id == self.last_producer_id and producer_epoch >= EPOCH_EXHAUSTED)
        )

    def rotates(self, expected: int | None) -> bool:
        """Whether an InitProducerId gets a new producer id (TXC-9). ``expected``: the epoch in the request,
        or None."""
        return self.epoch_exhausted and expected in (None, self.producer_epoch)

    def is_this(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether this is the id's present identity."""
        return producer_id == self.producer_id and producer_epoch == self.producer_epoch

    def is_repeated(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether an EndTxn of transaction version 2 with this identity is about the transaction that was
        decided last (``retryOnEpochBump``, ``retryOnOverflow``)."""
        if producer_id == self.producer_id:
            return producer_epoch == self.producer_epoch - 1
        return self.took_over(producer_id, producer_epoch)

    def took_over(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether a new producer id has just replaced this identity."""
        return (
            producer_id == self.last_producer_id
            and producer_epoch == EPOCH_EXHAUSTED
            and self.producer_epoch == 0
        )

    def next_epoch(self, expected: int | None) -> tuple[int, int] | None:
        """(``producer_epoch``, ``last_producer_epoch``) after an InitProducerId; None: the client gets no
        epoch (TXC-9). ``expected``: the epoch that the client sends as its present one, or None. A repeated
        request does not raise the epoch again."""
        if self.epoch_exhausted:
            return None
        if expected is None:
            return self.producer_epoch + 1, NO_PRODUCER_EPOCH
        if self.producer_epoch == NO_PRODUCER_EPOCH or expected == self.producer_epoch:
            return self.producer_epoch + 1, self.producer_epoch
        if expected == self.last_producer_epoch:
            return self.producer_epoch, self.last_producer_epoch
        return None

    def image(self, now: int, state: str, **changed: object) -> Image:
        """The image of this id with ``state``, the update time ``now`` (ms) and the fields in ``changed``."""
        fields: dict[str, object] = {
            "producer_id": self.producer_id,
            "last_producer_id": self.producer_id,
            "producer_epoch": self.producer_epoch,
            "last_producer_epoch": self.last_producer_epoch,
            "timeout_ms": self.timeout_ms,
            "partitions": self.partitions,
            "start_ms": self.start_ms,
            "last_update_ms": now,
            "next_producer_id": self.next_producer_id,
            "client_version": self.client_version,
        }
        return Image(state=state, **{**fields, **changed})  # type: ignore[arg-type]

    def install(self, image: Image) -> None:
        """Make a durable image the present state (TXC-5)."""
        self.pending_state = None
        self.state = image.state
        self.producer_id = image.producer_id
        self.producer_epoch = image.producer_epoch
        self.last_producer_epoch = image.last_producer_epoch
        self.timeout_ms = image.timeout_ms
        self.partitions = image.partitions
        if image.state == TRANSACTION_STATES.initial:
            # When an id becomes Empty again, Kafka keeps the start time of the last transaction in memory. It
            # sets the previous producer id, with which ``accepts`` recognises a repeated InitProducerId.
            self.last_producer_id = image.last_producer_id
        else:
            self.start_ms = image.start_ms
        if image.client_version >= RAISING_VERSION and image.state in COMPLETED:
            self.last_producer_id = image.last_producer_id
        self.next_producer_id = image.next_producer_id
        self.client_version = image.client_version
        self.last_update_ms = image.last_update_ms
