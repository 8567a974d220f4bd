"""The transaction coordinator of one broker (sections 12 and 13 of the specification).

Owns the cache of transactional ids whose log partitions this broker leads, and every change of one. The new
state is pending first, and its image is written; once the image is durable, the state is installed (TXC-5).
The coordinator knows no connections and no logs: ``outbox`` holds its responses, the images to write and the
markers to send, and the broker calls ``written`` and ``all_markers_acknowledged`` with the results.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from engine.coordinator.coordinator_effects import Answer, Completed, SendMarkers, Write
from engine.coordinator.log_owner import APPEND_ERRORS, LogOwner
from engine.coordinator.transaction_metadata import Image, TransactionMetadata
from engine.coordinator.transaction_states import (
    ABORT,
    ABORT_FENCED,
    ABORT_FENCED_RAISING,
    ABORT_RAISING,
    ADD,
    COMMIT,
    COMMIT_RAISING,
    COMMITS,
    COMPLETED,
    DECIDED,
    EXPIRE,
    EXPIRING,
    INIT,
    MARKED,
    OPEN,
    TIME_OUT,
    TRANSACTION_STATES,
    settled,
)
from engine.errors import NO_ERROR, EngineError, Error
from engine.events import (
    IdentityGiven,
    MarkersGivenUp,
    OutcomeDecided,
    PartitionsRegistered,
    TransactionCompleted,
)
from engine.happenings.transactions import (
    ClaimRefused,
    DecisionStands,
    DecisionWithoutMarkers,
    EmptyId,
    EpochRefused,
    EpochRises,
    FenceNotWritten,
    FencePrepared,
    FenceStands,
    Identity,
    IdentityChosen,
    IdMoved,
    MarkersResumed,
    NoIdentityYet,
    NotHere,
    TimeoutOutOfRange,
    UnknownMapping,
)
from engine.machine import Row
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, RAISING_VERSION
from engine.profile import Profile
from engine.watching import Watch

INIT_WRITE, ADD_WRITE, DECISION_WRITE, FENCE_WRITE, COMPLETION_WRITE, TOMBSTONE_WRITE = (
    "init",
    "add",
    "decision",
    "fence",
    "completion",
    "tombstone",
)


class ProducerIds(Protocol):
    """The source of new producer ids."""

    def take(self) -> int: ...


class Features(Protocol):
    """The source of the cluster's level of ``transaction.version``."""

    transaction_version: int


class Level:
    """A constant level of ``transaction.version``."""

    __slots__ = ("transaction_version",)

    def __init__(self, transaction_version: int = 0) -> None:
        self.transaction_version = transaction_version


class Change:
    """One event of one transactional id, as the guards and effects of its row read it. ``to``: the request to
    respond to; None: the coordinator itself caused the event. ``claimed``: producer id and epoch in the
    request. ``reply``: the error for the client after a fence was written. ``keeps_epoch``: whether, in this
    version, a fence does not raise the epoch again if the write of an earlier fence failed. ``version``: the
    transaction version of the sender, or None. ``scan_ms``: the interval in ms of the scan that found the
    event; None: no scan found it."""

    __slots__ = (
        "claimed",
        "keeps_epoch",
        "metadata",
        "now",
        "partitions",
        "reply",
        "scan_ms",
        "timeout_ms",
        "to",
        "version",
    )

    def __init__(
        self,
        metadata: TransactionMetadata,
        to: object | None,
        now: int,
        *,
        claimed: tuple[int, int] | None = None,
        partitions: frozenset[str] = frozenset(),
        timeout_ms: int = 0,
        keeps_epoch: bool = False,
        version: int | None = None,
    ) -> None:
        self.metadata = metadata
        self.to = to
        self.now = now
        self.claimed = claimed
        self.partitions = partitions
        self.timeout_ms = timeout_ms
        self.keeps_epoch = keeps_epoch
        self.version = version
        self.scan_ms: int | None = None
        self.reply = ""

    @property
    def by_leader(self) -> bool:
        """Whether a leader adds the partitions, for a client of transaction version 2."""
        return bool(self.partitions) and self.version == RAISING_VERSION

    @property
    def expected(self) -> int | None:
        return None if self.claimed is None else self.claimed[1]


@dataclass(slots=True)
class _Writing:
    """An image whose append has not ended. ``arrived_epoch``: the epoch in the request. ``raises``: whether
    the change follows transaction version 2."""

    kind: str
    transactional_id: str
    image: Image
    coordinator_epoch: int
    to: object | None
    reply: str
    arrived_epoch: int
    raises: bool


class TransactionCoordinator(LogOwner[_Writing]):
    """The transaction coordinator of one broker. ``partition_count``: the number of partitions of
    ``__transaction_state``. Times are virtual ms."""

    append_errors: ClassVar[dict[Error, Error]] = {
        **APPEND_ERRORS,
        Error.REQUEST_TIMED_OUT: Error.COORDINATOR_NOT_AVAILABLE,
        Error.MESSAGE_TOO_LARGE: Error.UNKNOWN_SERVER_ERROR,
        Error.RECORD_LIST_TOO_LARGE: Error.UNKNOWN_SERVER_ERROR,
    }
    """Dict of error of the failed append of an image → error that the client gets (TXC-5)."""

    def __init__(
        self,
        name: str,
        *,
        profile: Profile,
        watch: Watch,
        producer_ids: ProducerIds,
        features: Features | None = None,
        partition_count: int = 50,
        max_timeout_ms: int = 900_000,
        id_expiration_ms: int = 604_800_000,
    ) -> None:
        super().__init__(partition_count)
        self.name = name
        self.end_passes_newer_epoch = profile.end_txn_accepts_newer_epoch
        """Whether an EndTxn with a higher epoch than the id's passes the first check; with a lower epoch it never
        does (TXC-14)."""
        self.fenced_error = (
            Error.PRODUCER_FENCED if profile.coordinator_answers_fenced else Error.INVALID_PRODUCER_EPOCH
        )
        """The error for a request with a wrong epoch (CTR-44)."""
        self._keeps_epoch = profile.failed_fence_keeps_epoch
        """Whether the raised epoch stays after the write of a fence failed (TXC-11)."""
        self._writing_goes_first = profile.waits_before_identity
        """Whether AddPartitionsToTxn is refused while a change is being written, before the identity in the
        request is compared (KAFKA-18660)."""
        self.features: Features = Level() if features is None else features
        self.watch = watch
        self.producer_ids = producer_ids
        self.max_timeout_ms = max_timeout_ms
        self.id_expiration_ms = id_expiration_ms
        self.metadata: dict[str, TransactionMetadata] = {}
        self.completions: dict[str, Image] = {}
        """Dict of transactional id → the image that completes its decided transaction; the entry stays until
        this image is durable."""
        self.completions_to_retry: list[str] = []
        self.outbox: list[Answer | Write | SendMarkers | Completed] = []

    # -- the ids of this coordinator -------------------------------------------------------------------

    def forget(self, partition: int) -> None:
        """Forget the ids of this partition and their completions, because another broker coordinates them or
        their log will be read anew (TXC-22)."""
        for transactional_id in self._ids_of(partition):
            del self.metadata[transactional_id]
            self.completions.pop(transactional_id, None)
        # After a new election this broker sends the markers again. A completion from before the election must
        # not be written ahead of them.
        self.completions_to_retry = [name for name in self.completions_to_retry if name in self.completions]

    def elect(self, partition: int, coordinator_epoch: int, images: dict[str, Image], now: int) -> None:
        """Serve a partition whose log was read. ``images``: the newest image of each transactional id. The
        markers of decided transactions are sent again (TXC-22)."""
        self.own(partition, coordinator_epoch)
        for transactional_id, image in images.items():
            self.metadata[transactional_id] = TransactionMetadata.loaded(transactional_id, image)
        for transactional_id in images:
            metadata = self.metadata[transactional_id]
            if metadata.state in DECIDED:
                self.watch.emit(
                    MarkersResumed,
                    self.name,
                    transactional_id,
                    metadata.state,
                    metadata.pending_state,
                    metadata.producer_id,
                    metadata.producer_epoch,
                )
                self._emit_decided(metadata, found=True)
                self._send_markers(metadata, now)
            elif metadata.state in COMPLETED:
                self._emit_completed(metadata)
            elif metadata.state in OPEN:
                self._emit_registered(metadata)

    def needs_producer_id(self, transactional_id: str) -> bool:
        """True when InitProducerId may take a new producer id: the transactional id is unknown, or its epochs
        are used up."""
        if self.lookup(transactional_id) is not NO_ERROR:
            return False
        metadata = self.metadata.get(transactional_id)
        return metadata is None or (metadata.pending_state is None and metadata.epoch_exhausted)

    def needs_producer_id_to_end(self, transactional_id: str, claimed: tuple[int, int]) -> bool:
        """True if an EndTxn of transaction version 2 would need a new producer id. ``claimed``: producer id
        and epoch in the request."""
        if self.lookup(transactional_id) is not NO_ERROR:
            return False
        metadata = self.metadata.get(transactional_id)
        return (
            metadata is not None
            and metadata.pending_state is None
            and metadata.epoch_exhausted
            and metadata.is_this(*claimed)
        )

    def crash(self) -> None:
        super().crash()
        self.metadata.clear()
        self.completions.clear()
        self.completions_to_retry.clear()
        self.outbox.clear()

    def _ids_of(self, partition: int) -> list[str]:
        return [name for name in self.metadata if self.partition_of(name) == partition]

    # -- requests --------------------------------------------------------------------------------------

    def init_producer_id(
        self,
        to: object,
        transactional_id: str | None,
        timeout_ms: int,
        now: int,
        expected: tuple[int, int] | None = None,
    ) -> None:
        """Handle InitProducerId (TXC-7 to TXC-11). ``expected``: the producer id and epoch that the client
        sends as its present ones, or None."""
        if transactional_id is None:
            self._answer(to, NO_ERROR, self.producer_ids.take(), 0)
            return
        if transactional_id == "":
            self._reject_empty(to, "TXC-7")
            return
        if not 0 < timeout_ms <= self.max_timeout_ms:
            error = Error.INVALID_TRANSACTION_TIMEOUT
            self.watch.emit(
                TimeoutOutOfRange, self.name, error, transactional_id, timeout_ms, self.max_timeout_ms
            )
            self._answer_error(to, error)
            return
        if self._not_here(to, transactional_id):
            return
        metadata = self.metadata.get(transactional_id)
        if metadata is None:
            metadata = TransactionMetadata(transactional_id, self.producer_ids.take(), timeout_ms, now)
            self.metadata[transactional_id] = metadata
        change = self._own(metadata, to, now, claimed=expected, timeout_ms=timeout_ms)
        if expected is not None and settled(change) and not metadata.accepts(*expected):
            self.watch.emit(
                ClaimRefused,
                self.name,
                transactional_id,
                metadata.state,
                metadata.pending_state,
                metadata.producer_id,
                metadata.producer_epoch,
                expected,
            )
            self._answer(to, Error.PRODUCER_FENCED)
            return
        self._take(INIT, change)

    def _own(
        self,
        metadata: TransactionMetadata,
        to: object | None,
        now: int,
        *,
        claimed: tuple[int, int] | None = None,
        timeout_ms: int = 0,
    ) -> Change:
        """Make the :class:`Change` for an InitProducerId, or for a timeout (``to`` None)."""
        return Change(
            metadata,
            to,
            now,
            claimed=claimed,
            timeout_ms=timeout_ms,
            keeps_epoch=self._keeps_epoch,
        )

    def add_partitions(
        self,
        to: object,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        partitions: frozenset[str],
        now: int,
        version: int = 0,
    ) -> None:
        """Handle AddPartitionsToTxn, or AddOffsetsToTxn, which adds the group's partition (TXC-12, TXC-13).
        ``version`` 2: a leader sends the request, for a client of transaction version 2."""
        by_leader = version == RAISING_VERSION
        metadata = self._known(to, transactional_id, producer_id, by_leader)
        if metadata is None:
            return
        claimed = (producer_id, producer_epoch)
        change = Change(metadata, to, now, claimed=claimed, partitions=partitions, version=version)
        waits = self._writing_goes_first and metadata.pending_state is not None
        if not waits and (
            self._unmapped(to, metadata, producer_id)
            or self._refuse_addition(to, metadata, producer_epoch, by_leader)
        ):
            return
        self._take(ADD, change)

    def _refuse_addition(
        self, to: object, metadata: TransactionMetadata, arrived: int, by_leader: bool
    ) -> bool:
        """Answer with an error if the epoch differs or is missing. Returns True if it has answered
        (``prepareTransitionTo``)."""
        if arrived != metadata.producer_epoch:
            self._fenced(to, metadata, arrived, by_leader)
        elif arrived == NO_PRODUCER_EPOCH and metadata.pending_state is None:
            error = Error.UNKNOWN_SERVER_ERROR
            self.watch.emit(NoIdentityYet, self.name, error, metadata.transactional_id, arrived)
            self._answer_error(to, error)
        else:
            return False
        return True

    def end_transaction(
        self,
        to: object,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        commit: bool,
        now: int,
        version: int = 0,
    ) -> None:
        """Handle a client's EndTxn, first phase: write the decision (TXC-14, TXC-15). ``version``: the client's
        transaction version."""
        metadata = self._known(to, transactional_id, producer_id)
        if metadata is None:
            return
        claimed = (producer_id, producer_epoch)
        if version >= RAISING_VERSION:
            if metadata.took_over(*claimed) or not self._unmapped(to, metadata, producer_id):
                change = Change(metadata, to, now, claimed=claimed, version=version)
                self._take(COMMIT_RAISING if commit else ABORT_RAISING, change)
            return
        if self._unmapped(to, metadata, producer_id):
            return
        if producer_epoch < metadata.producer_epoch or (
            producer_epoch != metadata.producer_epoch and not self.end_passes_newer_epoch
        ):
            self._fenced(to, metadata, producer_epoch)
            return
        self._take(COMMIT if commit else ABORT, Change(metadata, to, now, claimed=claimed, version=version))

    def _known(
        self, to: object, transactional_id: str | None, arrived: int, by_leader: bool = False
    ) -> TransactionMetadata | None:
        """The id's metadata; None if the request was answered with an error."""
        if not transactional_id:
            self._reject_empty(to, "TXC-12")
            return None
        if self._not_here(to, transactional_id, by_leader):
            return None
        metadata = self.metadata.get(transactional_id)
        if metadata is None:
            self._refuse_mapping(to, transactional_id, arrived, None)
        return metadata

    def _unmapped(self, to: object, metadata: TransactionMetadata, arrived: int) -> bool:
        """Answer with an error if the producer id is not that of the transactional id. Returns True if it has
        answered."""
        if arrived == metadata.producer_id:
            return False
        self._refuse_mapping(to, metadata.transactional_id, arrived, metadata.producer_id)
        return True

    def _refuse_mapping(self, to: object, transactional_id: str, arrived: int, known: int | None) -> None:
        error = Error.INVALID_PRODUCER_ID_MAPPING
        self.watch.emit(UnknownMapping, self.name, error, transactional_id, arrived, known)
        self._answer_error(to, error)

    def _not_here(self, to: object, transactional_id: str, by_leader: bool = False) -> bool:
        """Answer with an error if this broker cannot serve the id (TXC-6). Returns True if it has
        answered."""
        error = self.lookup(transactional_id)
        if error is NO_ERROR:
            return False
        self.watch.emit(
            NotHere,
            self.name,
            error,
            transactional_id,
            self.partition_of(transactional_id),
            tuple(sorted(self.owned)),
            by_leader,
        )
        self._answer_error(to, error)
        return True

    def _fenced(
        self, to: object, metadata: TransactionMetadata, arrived: int, by_leader: bool = False
    ) -> None:
        """Answer a request that has a wrong epoch with the fencing error (FEN-2)."""
        error = self.fenced_error
        self.watch.emit(
            EpochRefused,
            self.name,
            metadata.transactional_id,
            arrived,
            metadata.producer_epoch,
            error,
            by_leader,
        )
        self._answer(to, error)

    def _reject_empty(self, to: object, spec: str) -> None:
        self.watch.emit(EmptyId, self.name, Error.INVALID_REQUEST, spec)
        self._answer_error(to, Error.INVALID_REQUEST)

    # -- answering -------------------------------------------------------------------------------------

    def _answer(
        self,
        to: object,
        error: Error,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
    ) -> None:
        self.outbox.append(Answer(to=to, error=error, producer_id=producer_id, producer_epoch=producer_epoch))

    def _answer_error(self, to: object, error: Error) -> None:
        """Answer with an error. UNKNOWN_SERVER_ERROR means that Kafka throws an exception here."""
        self.outbox.append(Answer(to=to, error=error, thrown=error is Error.UNKNOWN_SERVER_ERROR))

    # -- taking a row ----------------------------------------------------------------------------------

    def _take(self, on: str, change: Change) -> None:
        metadata = change.metadata
        row = TRANSACTION_STATES.take(metadata.state, on, change)
        self.watch.emit(
            IdMoved,
            self.name,
            metadata.transactional_id,
            metadata.state,
            metadata.pending_state,
            metadata.producer_id,
            metadata.producer_epoch,
            row,
            change.claimed,
            change.by_leader,
            len(change.partitions - metadata.partitions),
            change.scan_ms,
        )
        effects = _EFFECTS[row.number]
        for effect in effects:
            effect(self, row, change)
        if not effects:
            self._reply(row, change)

    def _reply(self, row: Row, change: Change) -> None:
        """Send the response of a row without effects."""
        error = Error[row.reply]
        if error is NO_ERROR and change.version is not None and change.version >= RAISING_VERSION:
            metadata = change.metadata
            self._answer(change.to, error, metadata.producer_id, metadata.producer_epoch)
        else:
            self._answer_error(change.to, error)

    def _raise_or_rotate(self, row: Row, change: Change) -> None:
        """Raise the epoch, or take a new producer id when the epochs are used up (TXC-9)."""
        metadata, expected = change.metadata, change.expected
        producer_id = metadata.producer_id
        if metadata.rotates(expected):
            identity = Identity.ROTATED
            producer_id = self.producer_ids.take()
            epoch, last_epoch = 0, NO_PRODUCER_EPOCH if expected is None else metadata.producer_epoch
        else:
            epochs = metadata.next_epoch(expected)
            if epochs is None:
                raise EngineError(
                    f"{metadata.transactional_id}: no epoch follows, and no row refused (TXC-9)"
                )
            epoch, last_epoch = epochs
            identity = _identity(metadata.producer_epoch, epoch)
        image = metadata.image(
            change.now,
            str(row.target),
            producer_id=producer_id,
            producer_epoch=epoch,
            last_producer_epoch=last_epoch,
            timeout_ms=change.timeout_ms,
            partitions=frozenset(),
            start_ms=-1,
        )
        self.watch.emit(
            IdentityChosen,
            self.name,
            metadata.transactional_id,
            metadata.state,
            metadata.producer_epoch,
            old_producer_id=metadata.producer_id,
            producer_id=image.producer_id,
            new_epoch=image.producer_epoch,
            identity=identity,
        )
        self._write(INIT_WRITE, image, change)

    def _register_partitions(self, row: Row, change: Change) -> None:
        """Begin the transaction, or add partitions to it (TXC-12)."""
        metadata = change.metadata
        image = metadata.image(
            change.now,
            str(row.target),
            partitions=metadata.partitions | change.partitions,
            start_ms=change.now if row.target != metadata.state else metadata.start_ms,
            client_version=change.version,
        )
        self._write(ADD_WRITE, image, change)

    def _write_decision(self, row: Row, change: Change) -> None:
        image = change.metadata.image(change.now, str(row.target), client_version=change.version)
        self._write(DECISION_WRITE, image, change)

    def _write_raised_decision(self, row: Row, change: Change) -> None:
        """Write a decision that carries the next epoch (KIP-890)."""
        metadata = change.metadata
        fresh = self.producer_ids.take() if metadata.epoch_exhausted else NO_PRODUCER_ID
        self.watch.emit(
            EpochRises,
            metadata.transactional_id,
            metadata.producer_id,
            metadata.producer_epoch,
            metadata.producer_epoch + 1,
            None if fresh == NO_PRODUCER_ID else fresh,
        )
        begun = metadata.state in OPEN
        image = metadata.image(
            change.now,
            str(row.target),
            producer_epoch=metadata.producer_epoch + 1,
            last_producer_epoch=metadata.producer_epoch,
            next_producer_id=fresh,
            start_ms=metadata.start_ms if begun else change.now,
            client_version=change.version,
        )
        self._write(DECISION_WRITE, image, change)

    def _abort_under_raised_epoch(self, row: Row, change: Change) -> None:
        """Make two transitions in one handler: to PrepareEpochFence, which is only pending, and to
        PrepareAbort (TXC-10)."""
        change.reply = row.reply
        change.metadata.pending_state = row.target
        change.version = self.features.transaction_version
        on = ABORT_FENCED_RAISING if change.version >= RAISING_VERSION else ABORT_FENCED
        abort = TRANSACTION_STATES.take(str(row.target), on, change)
        for effect in _EFFECTS[abort.number]:
            effect(self, abort, change)

    def _raise_epoch(self, row: Row, change: Change) -> None:
        """Raise the epoch, so that the producer with the present epoch is fenced (TXC-10)."""
        metadata = change.metadata
        self._emit_fence(row, change, metadata.producer_epoch + 1)
        metadata.producer_epoch += 1

    def _keep_epoch(self, row: Row, change: Change) -> None:
        """Use the epoch of an earlier fence that could not be written (TXC-11)."""
        self._emit_fence(row, change, change.metadata.producer_epoch)

    def _emit_fence(self, row: Row, change: Change, new_epoch: int) -> None:
        metadata = change.metadata
        self.watch.emit(
            FencePrepared,
            self.name,
            metadata.transactional_id,
            metadata.state,
            metadata.producer_epoch,
            new_epoch,
            row,
            by_timeout=change.to is None,
        )

    def _write_fence(self, row: Row, change: Change) -> None:
        metadata = change.metadata
        metadata.pending_state = None
        metadata.last_producer_epoch = NO_PRODUCER_EPOCH
        image = metadata.image(change.now, str(row.target), client_version=change.version)
        self._write(FENCE_WRITE, image, change)

    def _write_raised_fence(self, row: Row, change: Change) -> None:
        """Write an abort that itself raises the epoch. The epoch in memory changes only when the abort is
        durable."""
        metadata = change.metadata
        self._emit_fence(row, change, metadata.producer_epoch + 1)
        metadata.pending_state = None
        image = metadata.image(
            change.now,
            str(row.target),
            producer_epoch=metadata.producer_epoch + 1,
            last_producer_epoch=metadata.producer_epoch,
            client_version=change.version,
        )
        self._write(FENCE_WRITE, image, change)

    def _write_completion(self, row: Row, change: Change) -> None:
        """Write the image of the completion (``TransactionMetadata.prepareComplete``)."""
        self._write(COMPLETION_WRITE, self.completions[change.metadata.transactional_id], change)

    def _write_tombstone(self, row: Row, change: Change) -> None:
        image = change.metadata.image(change.now, str(row.target), partitions=frozenset())
        self._write(TOMBSTONE_WRITE, image, change)

    # -- writing ---------------------------------------------------------------------------------------

    def _write(self, kind: str, image: Image, change: Change) -> None:
        """Set the pending state and emit the image to write (TXC-5)."""
        metadata = change.metadata
        metadata.pending_state = image.state
        name = metadata.transactional_id
        arrived = metadata.producer_epoch if change.claimed is None else change.claimed[1]
        raises = change.version is not None and change.version >= RAISING_VERSION
        writing = _Writing(kind, name, image, self.epoch_of(name), change.to, change.reply, arrived, raises)
        token = self.begin_write(writing)
        logged = None if kind == TOMBSTONE_WRITE else image
        self.outbox.append(Write(token=token, transactional_id=name, image=logged))

    def written(self, token: int, error: Error, now: int) -> None:
        """Handle the end of an append: install the image, or take the pending change back, and respond.
        ``error``: the log's error, from which ``append_errors`` gives the client's error (TXC-5)."""
        writing, answer = self.end_write(token, error)
        metadata = self.metadata.get(writing.transactional_id)
        owner = self.lookup(writing.transactional_id)
        if owner is not NO_ERROR or self.epoch_of(writing.transactional_id) != writing.coordinator_epoch:
            answer, metadata = Error.NOT_COORDINATOR if answer is NO_ERROR else answer, None
        if answer is NO_ERROR and metadata is not None:
            _INSTALLED[writing.kind](self, writing, metadata, now)
        else:
            self._not_written(writing, metadata, answer)

    def _not_written(self, writing: _Writing, metadata: TransactionMetadata | None, answer: Error) -> None:
        if writing.kind == COMPLETION_WRITE:
            self.outbox.append(Completed(transactional_id=writing.transactional_id, error=answer))
        if metadata is not None:
            if writing.kind == COMPLETION_WRITE and answer is Error.COORDINATOR_NOT_AVAILABLE:
                self.completions_to_retry.append(writing.transactional_id)
                return
            metadata.pending_state = None
            if writing.kind == FENCE_WRITE:
                metadata.failed_epoch_fence = True
                self.watch.emit(FenceNotWritten, *self._now(metadata))
        if writing.to is not None:
            self._answer(writing.to, answer)

    def _initialised(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        metadata.install(writing.image)
        self.watch.emit(
            IdentityGiven,
            transactional_id=metadata.transactional_id,
            producer_id=metadata.producer_id,
            producer_epoch=metadata.producer_epoch,
        )
        self._answer(writing.to, NO_ERROR, metadata.producer_id, metadata.producer_epoch)

    def _added(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        metadata.install(writing.image)
        self._emit_registered(metadata)
        self._answer(writing.to, NO_ERROR)

    def _fence_written(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        """Continue after the abort with the raised epoch has become durable: respond, and send the markers
        (TXC-10)."""
        metadata.install(writing.image)
        self._emit_decided(metadata)
        if writing.to is not None:
            self._answer(writing.to, Error[writing.reply])
        self.watch.emit(FenceStands, *self._now(metadata))
        self._send_markers(metadata, now)

    def _decided(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        """Carry out the second phase of EndTxn (TXC-16): check the epoch again, respond, and only then send
        markers."""
        metadata.install(writing.image)
        self._emit_decided(metadata)
        arrived = writing.arrived_epoch
        if writing.raises:
            self._decided_raised(writing, metadata, now)
            return
        if arrived != metadata.producer_epoch:
            # Only 2.0 gets to this line: its first check accepts a newer epoch. The id then stays in
            # PrepareCommit or PrepareAbort (KAFKA-9600).
            self._fenced(writing.to, metadata, arrived)
            self.watch.emit(DecisionWithoutMarkers, *self._now(metadata), arrived)
            self._emit_unmarked(metadata)
            return
        self._answer(writing.to, NO_ERROR)
        self.watch.emit(DecisionStands, *self._now(metadata))
        self._send_markers(metadata, now)

    def _decided_raised(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        """Respond with the identity of the next transaction, and send the markers (KIP-890)."""
        following = self._completion(metadata, now)
        self._answer(writing.to, NO_ERROR, following.producer_id, following.producer_epoch)
        self.watch.emit(DecisionStands, *self._now(metadata))
        self._send_markers(metadata, now)

    def _completion(self, metadata: TransactionMetadata, now: int) -> Image:
        """The image that ends a decided transaction (``TransactionMetadata.prepareComplete``)."""
        completed = TRANSACTION_STATES.target_of(metadata.state, MARKED)
        taken: dict[str, int] = {}
        if metadata.client_version >= RAISING_VERSION and metadata.next_producer_id != NO_PRODUCER_ID:
            taken = {"producer_id": metadata.next_producer_id, "producer_epoch": 0}
        return metadata.image(
            now, completed, partitions=frozenset(), **taken, next_producer_id=NO_PRODUCER_ID
        )

    def _send_markers(self, metadata: TransactionMetadata, now: int) -> None:
        """Set the completion as pending, and send the markers (TXC-16, MRK-1)."""
        image = self._completion(metadata, now)
        metadata.failed_epoch_fence = False
        metadata.pending_state = image.state
        self.completions[metadata.transactional_id] = image
        self.outbox.append(
            SendMarkers(
                transactional_id=metadata.transactional_id,
                result="COMMIT" if metadata.state in COMMITS else "ABORT",
                producer_id=metadata.producer_id,
                producer_epoch=metadata.producer_epoch,
                coordinator_epoch=self.epoch_of(metadata.transactional_id),
                partitions=tuple(sorted(metadata.partitions)),
            )
        )

    def all_markers_acknowledged(self, transactional_id: str) -> None:
        """Called when every partition has its marker: clear the transaction's partitions and write its
        completion (TXC-18). If that write fails, the partitions stay cleared
        (``TransactionMetadata.removePartition``)."""
        metadata = self.metadata.get(transactional_id)
        image = self.completions.pop(transactional_id, None)
        if metadata is None or image is None or self.lookup(transactional_id) is not NO_ERROR:
            return
        self.completions[transactional_id] = image
        metadata.partitions = frozenset()
        self._take(MARKED, Change(metadata, None, image.last_update_ms))

    def retry_completions(self) -> None:
        """Repeat the failed writes of completions (TXC-18)."""
        waiting, self.completions_to_retry = self.completions_to_retry, []
        for transactional_id in waiting:
            metadata, image = self.metadata.get(transactional_id), self.completions.get(transactional_id)
            if metadata is not None and image is not None:
                self._write(COMPLETION_WRITE, image, Change(metadata, None, image.last_update_ms))

    def _completed(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        self.completions.pop(writing.transactional_id, None)
        metadata.install(writing.image)
        self._emit_completed(metadata)
        self.outbox.append(Completed(transactional_id=writing.transactional_id, error=NO_ERROR))

    # -- time ------------------------------------------------------------------------------------------

    def abort_timed_out(self, now: int, scan_ms: int | None = None) -> None:
        """Let the transactions time out that are open for longer than their timeout (TXC-11, TXC-20).
        ``scan_ms``: the interval in ms of the scan that calls this method, or None."""
        for metadata in list(self.metadata.values()):
            if (
                metadata.state in OPEN
                and metadata.pending_state is None
                and metadata.start_ms + metadata.timeout_ms < now
            ):
                change = self._own(metadata, None, now)
                change.scan_ms = scan_ms
                self._take(TIME_OUT, change)

    def expire_ids(self, now: int) -> None:
        """Write the tombstones of transactional ids that were idle for too long; an id is forgotten when its
        tombstone is durable (TXC-21)."""
        for metadata in list(self.metadata.values()):
            if (
                metadata.pending_state is None
                and metadata.state in EXPIRING
                and now - metadata.last_update_ms >= self.id_expiration_ms
            ):
                self._take(EXPIRE, Change(metadata, None, now))

    def _expired(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        if (
            metadata.producer_epoch == writing.image.producer_epoch
            and metadata.pending_state == writing.image.state
        ):
            del self.metadata[writing.transactional_id]

    # -- facts for judges ------------------------------------------------------------------------------

    def _now(self, metadata: TransactionMetadata) -> tuple[str, str, str, int]:
        return self.name, metadata.transactional_id, metadata.state, metadata.producer_epoch

    def _emit_registered(self, metadata: TransactionMetadata) -> None:
        if self.watch.hears(PartitionsRegistered):
            self.watch.emit(
                PartitionsRegistered,
                producer_id=metadata.producer_id,
                partitions=tuple(sorted(metadata.partitions)),
                coordinator_epoch=self.epoch_of(metadata.transactional_id),
            )

    def _emit_decided(self, metadata: TransactionMetadata, found: bool = False) -> None:
        self.watch.emit(
            OutcomeDecided,
            producer_id=metadata.producer_id,
            producer_epoch=metadata.producer_epoch,
            committed=metadata.state in COMMITS,
            found=found,
        )

    def _emit_unmarked(self, metadata: TransactionMetadata) -> None:
        self.watch.emit(
            MarkersGivenUp,
            producer_id=metadata.producer_id,
            partitions=tuple(sorted(metadata.partitions)),
            coordinator_epoch=self.epoch_of(metadata.transactional_id),
        )

    def _emit_completed(self, metadata: TransactionMetadata) -> None:
        self.watch.emit(
            TransactionCompleted,
            producer_id=metadata.producer_id,
            coordinator_epoch=self.epoch_of(metadata.transactional_id),
        )


def _identity(epoch: int, given: int) -> Identity:
    """How an InitProducerId without an open transaction changes the identity (TXC-9)."""
    if epoch == NO_PRODUCER_EPOCH:
        return Identity.NEW
    return Identity.GIVEN_AGAIN if given == epoch else Identity.GOES_UP


_INSTALLED = {
    INIT_WRITE: TransactionCoordinator._initialised,
    ADD_WRITE: TransactionCoordinator._added,
    DECISION_WRITE: TransactionCoordinator._decided,
    FENCE_WRITE: TransactionCoordinator._fence_written,
    COMPLETION_WRITE: TransactionCoordinator._completed,
    TOMBSTONE_WRITE: TransactionCoordinator._expired,
}
_EFFECTS = TRANSACTION_STATES.bind(
    {
        "raise_epoch_or_rotate": TransactionCoordinator._raise_or_rotate,
        "abort_under_raised_epoch": TransactionCoordinator._abort_under_raised_epoch,
        "register_partitions": TransactionCoordinator._register_partitions,
        "write_decision": TransactionCoordinator._write_decision,
        "write_completion": TransactionCoordinator._write_completion,
        "write_tombstone": TransactionCoordinator._write_tombstone,
        "raise_epoch": TransactionCoordinator._raise_epoch,
        "keep_epoch": TransactionCoordinator._keep_epoch,
        "write_fence": TransactionCoordinator._write_fence,
        "write_raised_decision": TransactionCoordinator._write_raised_decision,
        "write_raised_fence": TransactionCoordinator._write_raised_fence,
    }
)
