"""The transaction coordinator of one broker (sections 12 and 13 of the specification).

Owns the cache of transactional ids whose log partitions this broker leads, and every change of one: set pending,
write the image, and only when it is durable install it (TXC-5). It knows neither links nor logs: what it wants
done stands in ``outbox`` (answers, images to write, markers to send), and the broker tells it by ``written`` and
``all_markers_acknowledged`` how that went.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.coordinator.coordinator_effects import Answer, Completed, SendMarkers, Write
from engine.coordinator.coordinator_voice import CoordinatorVoice
from engine.coordinator.transaction_metadata import Image, TransactionMetadata
from engine.coordinator.transaction_states import (
    ABORT,
    ADD,
    ALL_KNOWN,
    CLAIM_HOLDS,
    CLAIM_REPLACED,
    CLAIM_TOO_LATE,
    COMMIT,
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    DEAD,
    EMPTY,
    EPOCH_LEFT,
    EXPIRE,
    IN_TRANSITION,
    INIT,
    MARKED,
    NEW_PARTITIONS,
    NO_EPOCH_LEFT,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    PREPARE_EPOCH_FENCE,
    SETTLED,
    TIME_OUT,
    TRANSACTION_STATES,
)
from engine.errors import NO_ERROR, EngineError, Error
from engine.events import IdentityGiven
from engine.java_hash import partition_for
from engine.machine import Row
from engine.messages import NO_PRODUCER_EPOCH, SHORT_MAX
from engine.profiles import Profile
from engine.watching import Watch

APPEND_ERRORS: dict[Error, Error] = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Error.COORDINATOR_NOT_AVAILABLE,
    Error.REQUEST_TIMED_OUT: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
    Error.KAFKA_STORAGE_ERROR: Error.NOT_COORDINATOR,
    Error.MESSAGE_TOO_LARGE: Error.UNKNOWN_SERVER_ERROR,
    Error.RECORD_LIST_TOO_LARGE: Error.UNKNOWN_SERVER_ERROR,
}
"""What a failed append of an image means to the caller (TXC-5); others stay as they are."""

INIT_WRITE, ADD_WRITE, DECISION_WRITE, FENCE_WRITE, COMPLETION_WRITE, TOMBSTONE_WRITE = (
    "init",
    "add",
    "decision",
    "fence",
    "completion",
    "tombstone",
)


class ProducerIds(Protocol):
    """Where fresh producer ids come from."""

    def take(self) -> int: ...


@dataclass(slots=True)
class _Writing:
    """An image under way to the log."""

    kind: str
    transactional_id: str
    image: Image
    coordinator_epoch: int
    to: object | None


class TransactionCoordinator(CoordinatorVoice):
    """The coordinator. ``partition_count``: partitions of ``__transaction_state``. Times in virtual ms."""

    def __init__(
        self,
        name: str,
        *,
        profile: Profile,
        watch: Watch,
        producer_ids: ProducerIds,
        partition_count: int = 50,
        max_timeout_ms: int = 900_000,
        id_expiration_ms: int = 604_800_000,
    ) -> None:
        self.name = name
        self.profile = profile
        self.watch = watch
        self.producer_ids = producer_ids
        self.partition_count = partition_count
        self.max_timeout_ms = max_timeout_ms
        self.id_expiration_ms = id_expiration_ms
        self.owned: dict[int, int] = {}
        """Log partition to coordinator epoch."""
        self.loading: set[int] = set()
        self.metadata: dict[str, TransactionMetadata] = {}
        self.completions: dict[str, Image] = {}
        """Ids whose markers are under way, with the image that ends the transaction."""
        self.completions_to_retry: list[str] = []
        self.outbox: list[Answer | Write | SendMarkers | Completed] = []
        self._writing: dict[int, _Writing] = {}
        self._token = 0

    # -- who owns an id --------------------------------------------------------------------------------

    def lookup(self, transactional_id: str) -> Error:
        """NONE when this broker answers for the id (TXC-6)."""
        partition = partition_for(transactional_id, self.partition_count)
        if partition in self.loading:
            return Error.COORDINATOR_LOAD_IN_PROGRESS
        return NO_ERROR if partition in self.owned else Error.NOT_COORDINATOR

    def epoch_of(self, transactional_id: str) -> int:
        return self.owned[partition_for(transactional_id, self.partition_count)]

    def resign(self, partition: int) -> None:
        """Another broker leads this log partition: forget its ids and its markers (TXC-22)."""
        self.owned.pop(partition, None)
        self.loading.discard(partition)
        for transactional_id in self._ids_of(partition):
            del self.metadata[transactional_id]
            self.completions.pop(transactional_id, None)
        # Elected again, this broker sends the markers once more: an older completion must not pass them.
        self.completions_to_retry = [name for name in self.completions_to_retry if name in self.completions]

    def begin_loading(self, partition: int) -> None:
        """Elected: until the log is read, callers are told to wait (TXC-22)."""
        self.resign(partition)
        self.loading.add(partition)

    def elect(self, partition: int, coordinator_epoch: int, images: dict[str, Image], now: int) -> None:
        """The log is read: ``images`` holds the newest image of each id. Decided transactions go on (TXC-22)."""
        self.resign(partition)
        self.owned[partition] = coordinator_epoch
        for transactional_id, image in images.items():
            self.metadata[transactional_id] = TransactionMetadata.loaded(transactional_id, image)
        for transactional_id in images:
            metadata = self.metadata[transactional_id]
            if metadata.state in (PREPARE_COMMIT, PREPARE_ABORT):
                self._say("coordinator.resumes_markers", "TXC-22", metadata)
                self._tell_decided(metadata, found=True)
                self._send_markers(metadata, now)
            elif metadata.state in (COMPLETE_COMMIT, COMPLETE_ABORT):
                self._tell_completed(metadata)
            elif metadata.state == ONGOING:
                self._tell_registered(metadata)

    def needs_producer_id(self, transactional_id: str) -> bool:
        """True when InitProducerId would take a fresh id: the id is unknown, or its epochs are used up."""
        if self.lookup(transactional_id) is not NO_ERROR:
            return False
        metadata = self.metadata.get(transactional_id)
        return metadata is None or (metadata.pending_state is None and metadata.epoch_exhausted)

    def crash(self) -> None:
        """Memory goes; the log of the broker stays."""
        self.owned.clear()
        self.loading.clear()
        self.metadata.clear()
        self.completions.clear()
        self.completions_to_retry.clear()
        self.outbox.clear()
        self._writing.clear()

    def _ids_of(self, partition: int) -> list[str]:
        return [name for name in self.metadata if partition_for(name, self.partition_count) == partition]

    # -- requests --------------------------------------------------------------------------------------

    def init_producer_id(
        self,
        to: object,
        transactional_id: str | None,
        timeout_ms: int,
        now: int,
        expected: tuple[int, int] | None = None,
    ) -> None:
        """InitProducerId (TXC-7..TXC-11). ``expected``: PID and epoch that a 2.5+ client believes to have."""
        if transactional_id is None:
            self._answer(to, NO_ERROR, self.producer_ids.take(), 0)
            return
        if transactional_id == "":
            self._reject(
                to, Error.INVALID_REQUEST, "coordinator.empty_id", "TXC-7", [["transactional id", ""]]
            )
            return
        if not 0 < timeout_ms <= self.max_timeout_ms:
            self._reject(
                to,
                Error.INVALID_TRANSACTION_TIMEOUT,
                "coordinator.timeout_out_of_range",
                "TXC-7",
                [["timeout", timeout_ms], ["longest allowed", self.max_timeout_ms]],
                transactional_id=transactional_id,
                timeout=timeout_ms,
                longest=self.max_timeout_ms,
            )
            return
        if self._not_here(to, transactional_id):
            return
        metadata = self.metadata.get(transactional_id)
        if metadata is None:
            metadata = TransactionMetadata(transactional_id, self.producer_ids.take(), timeout_ms, now)
            self.metadata[transactional_id] = metadata
        row = self._row(metadata, INIT, expected=None if expected is None else expected[1])
        if row.when != IN_TRANSITION and expected is not None and not metadata.accepts(*expected):
            self._say("coordinator.other_producer_id", "TXC-7", metadata)
            self._refuse_claim(expected, metadata, "TXC-7", Error.PRODUCER_FENCED)
            self._answer(to, Error.PRODUCER_FENCED)
            return
        self._decide(row, metadata, expected)
        if row.effects == ("raise_epoch_or_rotate",):
            self._raise_or_rotate(to, metadata, timeout_ms, now, None if expected is None else expected[1])
        elif row.effects == ("fence_and_abort",):
            self._fence(to, metadata, now)
        else:
            self._answer_row(to, row)

    def _raise_or_rotate(
        self, to: object, metadata: TransactionMetadata, timeout_ms: int, now: int, expected: int | None
    ) -> None:
        """A new epoch, or a new PID when the epochs are used up (TXC-9)."""
        if metadata.rotates(expected):
            key = "coordinator.id_rotated"
            image = metadata.image(
                now,
                EMPTY,
                producer_id=self.producer_ids.take(),
                producer_epoch=0,
                last_producer_epoch=NO_PRODUCER_EPOCH if expected is None else metadata.producer_epoch,
                timeout_ms=timeout_ms,
                partitions=frozenset(),
                start_ms=-1,
            )
        else:
            epochs = metadata.next_epoch(expected)
            if epochs is None:
                raise EngineError(
                    f"{metadata.transactional_id}: no epoch follows, and no row refused (TXC-9)"
                )
            key = _identity_key(metadata.producer_epoch, epochs[0])
            image = metadata.image(
                now,
                EMPTY,
                producer_epoch=epochs[0],
                last_producer_epoch=epochs[1],
                timeout_ms=timeout_ms,
                partitions=frozenset(),
                start_ms=-1,
            )
        self._note(
            key,
            ("TXC-7", "TXC-9") if key == "coordinator.id_is_new" else ("TXC-9",),
            metadata,
            old_producer_id=metadata.producer_id,
            producer_id=image.producer_id,
            new_epoch=image.producer_epoch,
        )
        self._write(INIT_WRITE, metadata, image, to)

    def _fence(self, to: object | None, metadata: TransactionMetadata, now: int) -> None:
        """Raise the epoch above the one in use and abort what is open (TXC-10, TXC-11)."""
        metadata.pending_state = PREPARE_EPOCH_FENCE
        keeps = self.profile.failed_fence_keeps_epoch and metadata.failed_epoch_fence
        epoch = metadata.producer_epoch + (0 if keeps else 1)
        key = "coordinator.fence_keeps_epoch" if keeps else "coordinator.fence_raises_epoch"
        self._note(key, ("TXC-11" if keeps else "TXC-10",), metadata, new_epoch=epoch)
        metadata.pending_state = None
        metadata.producer_epoch = epoch
        metadata.last_producer_epoch = NO_PRODUCER_EPOCH
        self._write(FENCE_WRITE, metadata, metadata.image(now, PREPARE_ABORT), to)

    def add_partitions(
        self,
        to: object,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        partitions: frozenset[str],
        now: int,
    ) -> None:
        """AddPartitionsToTxn, and AddOffsetsToTxn for the one partition of the group (TXC-12, TXC-13)."""
        metadata = self._identified(to, transactional_id, producer_id)
        if metadata is None:
            return
        if self._refuse_addition(to, metadata, producer_epoch):
            return
        row = self._row(metadata, ADD, partitions)
        self._decide(row, metadata)
        if row.effects:
            begins = metadata.state != ONGOING
            image = metadata.image(
                now,
                ONGOING,
                partitions=metadata.partitions | partitions,
                start_ms=now if begins else metadata.start_ms,
            )
            self._write(ADD_WRITE, metadata, image, to)
        else:
            self._answer_row(to, row)

    def end_transaction(
        self,
        to: object,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        commit: bool,
        now: int,
    ) -> None:
        """EndTxn of a client, first phase: write the decision (TXC-14, TXC-15)."""
        metadata = self._identified(to, transactional_id, producer_id)
        if metadata is None:
            return
        newer_passes = self.profile.end_txn_accepts_newer_epoch
        if producer_epoch < metadata.producer_epoch or (
            producer_epoch != metadata.producer_epoch and not newer_passes
        ):
            self._fenced(to, metadata, producer_epoch)
            return
        row = self._row(metadata, COMMIT if commit else ABORT)
        self._decide(row, metadata)
        if row.effects:
            image = metadata.image(now, str(row.target))
            self._write(DECISION_WRITE, metadata, image, (to, producer_epoch, commit))
        else:
            self._answer_row(to, row)

    def _identified(
        self, to: object, transactional_id: str | None, producer_id: int
    ) -> TransactionMetadata | None:
        """The id's metadata, or None after an answer: the checks before any state is looked at."""
        if not transactional_id:
            self._reject(
                to, Error.INVALID_REQUEST, "coordinator.empty_id", "TXC-12", [["transactional id", ""]]
            )
            return None
        if self._not_here(to, transactional_id):
            return None
        metadata = self.metadata.get(transactional_id)
        if metadata is None or metadata.producer_id != producer_id:
            known = None if metadata is None else metadata.producer_id
            self._reject(
                to,
                Error.INVALID_PRODUCER_ID_MAPPING,
                "coordinator.unknown_mapping",
                "TXC-12",
                [["arrived producer id", producer_id], ["current producer id", known]],
                transactional_id=transactional_id,
                arrived=producer_id,
                known=known,
            )
            return None
        return metadata

    def _not_here(self, to: object, transactional_id: str) -> bool:
        """Refused, because this broker does not answer for the id, or not yet (TXC-6)."""
        error = self.lookup(transactional_id)
        if error is NO_ERROR:
            return False
        loading = error is Error.COORDINATOR_LOAD_IN_PROGRESS
        number = partition_for(transactional_id, self.partition_count)
        self._reject(
            to,
            error,
            "coordinator.still_loading" if loading else "coordinator.not_here",
            "TXC-6",
            [["log partition", number], ["partitions owned", sorted(self.owned)]],
            transactional_id=transactional_id,
            number=number,
        )
        return True

    # -- writing ---------------------------------------------------------------------------------------

    def _write(self, kind: str, metadata: TransactionMetadata, image: Image, to: object | None) -> None:
        """Set pending and hand the image over; nothing is installed before it is durable (TXC-5)."""
        metadata.pending_state = image.state
        self._token += 1
        epoch = self.epoch_of(metadata.transactional_id)
        self._writing[self._token] = _Writing(kind, metadata.transactional_id, image, epoch, to)
        logged = None if kind == TOMBSTONE_WRITE else image
        self.outbox.append(Write(token=self._token, transactional_id=metadata.transactional_id, image=logged))

    def written(self, token: int, error: Error, now: int) -> None:
        """An append ended. ``error`` is the log's; the caller's is mapped (TXC-5)."""
        writing = self._writing.pop(token)
        answer = APPEND_ERRORS.get(error, error)
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
                self._note("coordinator.fence_not_written", ("TXC-11", "TXC-5"), metadata)
        to = writing.to
        if writing.kind == DECISION_WRITE and isinstance(to, tuple):
            to = to[0]
        if to is not None:
            self._answer(to, answer)

    def _initialised(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        metadata.install(writing.image)
        if self.watch.judging:
            self.watch.fact(
                IdentityGiven(
                    transactional_id=metadata.transactional_id,
                    producer_id=metadata.producer_id,
                    producer_epoch=metadata.producer_epoch,
                )
            )
        self._answer(writing.to, NO_ERROR, metadata.producer_id, metadata.producer_epoch)

    def _added(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        metadata.install(writing.image)
        self._tell_registered(metadata)
        self._answer(writing.to, NO_ERROR)

    def _fence_written(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        """The abort under the raised epoch is decided; the one who asked tries again (TXC-10)."""
        metadata.install(writing.image)
        self._tell_decided(metadata)
        if writing.to is not None:
            self._answer(writing.to, Error.CONCURRENT_TRANSACTIONS)
        self._lead("coordinator.fence_stands", ("TXC-10", "TXC-16"), metadata)
        self._send_markers(metadata, now)

    def _decided(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        """Second phase (TXC-16): look again, answer, and only then send markers."""
        metadata.install(writing.image)
        self._tell_decided(metadata)
        if not isinstance(writing.to, tuple):
            raise EngineError(f"{writing.transactional_id}: a decision without the request it answers")
        to, producer_epoch, _ = writing.to
        if producer_epoch != metadata.producer_epoch:
            # Only 2.0 comes here: its first check lets a newer epoch pass, and the id is stuck (KAFKA-9600).
            self._fenced(to, metadata, producer_epoch)
            self._note("coordinator.decision_without_markers", ("TXC-16",), metadata, arrived=producer_epoch)
            self._tell_unmarked(metadata)
            return
        self._answer(to, NO_ERROR)
        self._lead("coordinator.decision_stands", ("TXC-15", "TXC-16", "TXC-17", "CTR-25"), metadata)
        self._send_markers(metadata, now)

    def _send_markers(self, metadata: TransactionMetadata, now: int) -> None:
        """Pending the completion, the outcome goes to every partition (TXC-16, MRK-1)."""
        committed = metadata.state == PREPARE_COMMIT
        image = metadata.image(now, COMPLETE_COMMIT if committed else COMPLETE_ABORT, partitions=frozenset())
        metadata.failed_epoch_fence = False
        metadata.pending_state = image.state
        self.completions[metadata.transactional_id] = image
        self.outbox.append(
            SendMarkers(
                transactional_id=metadata.transactional_id,
                result="COMMIT" if committed else "ABORT",
                producer_id=metadata.producer_id,
                producer_epoch=metadata.producer_epoch,
                coordinator_epoch=self.epoch_of(metadata.transactional_id),
                partitions=tuple(sorted(metadata.partitions)),
            )
        )

    def all_markers_acknowledged(self, transactional_id: str) -> None:
        """The last partition has its marker: write the completion (TXC-18)."""
        metadata = self.metadata.get(transactional_id)
        image = self.completions.pop(transactional_id, None)
        if metadata is None or image is None or self.lookup(transactional_id) is not NO_ERROR:
            return
        row = TRANSACTION_STATES.find(metadata.state, MARKED)
        self._decide(row, metadata)
        self.completions[transactional_id] = image
        self._write(COMPLETION_WRITE, metadata, image, None)

    def retry_completions(self) -> None:
        """Write again the completions that the log could not take (TXC-18)."""
        waiting, self.completions_to_retry = self.completions_to_retry, []
        for transactional_id in waiting:
            metadata, image = self.metadata.get(transactional_id), self.completions.get(transactional_id)
            if metadata is not None and image is not None:
                self._write(COMPLETION_WRITE, metadata, image, None)

    def _completed(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        self.completions.pop(writing.transactional_id, None)
        metadata.install(writing.image)
        self._tell_completed(metadata)
        self.outbox.append(Completed(transactional_id=writing.transactional_id, error=NO_ERROR))

    # -- time ------------------------------------------------------------------------------------------

    def abort_timed_out(self, now: int) -> None:
        """Abort transactions that were open for too long, under a raised epoch (TXC-20)."""
        for metadata in list(self.metadata.values()):
            if (
                metadata.state == ONGOING
                and metadata.pending_state is None
                and metadata.start_ms + metadata.timeout_ms < now
            ):
                row = self._row(metadata, TIME_OUT)
                self._decide(row, metadata)
                if row.effects:
                    self._fence(None, metadata, now)
                else:
                    self._answer_row(None, row)

    def expire_ids(self, now: int) -> None:
        """Forget ids that nobody used for long (TXC-21)."""
        for metadata in list(self.metadata.values()):
            if (
                metadata.pending_state is None
                and TRANSACTION_STATES.candidates(metadata.state, EXPIRE)
                and now - metadata.last_update_ms >= self.id_expiration_ms
            ):
                self._decide(TRANSACTION_STATES.find(metadata.state, EXPIRE), metadata)
                self._write(
                    TOMBSTONE_WRITE, metadata, metadata.image(now, DEAD, partitions=frozenset()), None
                )

    def _expired(self, writing: _Writing, metadata: TransactionMetadata, now: int) -> None:
        if metadata.producer_epoch == writing.image.producer_epoch and metadata.pending_state == DEAD:
            del self.metadata[writing.transactional_id]

    # -- small things ----------------------------------------------------------------------------------

    def _row(
        self,
        metadata: TransactionMetadata,
        on: str,
        partitions: frozenset[str] = frozenset(),
        expected: int | None = None,
    ) -> Row:
        settled = metadata.pending_state is None
        exhausted = metadata.epoch_exhausted
        holds = on != INIT or metadata.rotates(expected) or metadata.next_epoch(expected) is not None
        known = partitions <= metadata.partitions
        left = metadata.producer_epoch < SHORT_MAX
        return TRANSACTION_STATES.find(
            metadata.state,
            on,
            {
                IN_TRANSITION: not settled,
                SETTLED: settled,
                NEW_PARTITIONS: settled and not known,
                ALL_KNOWN: settled and known,
                EPOCH_LEFT: settled and left,
                NO_EPOCH_LEFT: settled and not left,
                CLAIM_HOLDS: settled and holds,
                CLAIM_REPLACED: settled and not holds and not exhausted,
                CLAIM_TOO_LATE: settled and not holds and exhausted,
            },
        )


def _identity_key(epoch: int, given: int) -> str:
    """What an InitProducerId that finds nothing open does with the epoch (TXC-9)."""
    if epoch == NO_PRODUCER_EPOCH:
        return "coordinator.id_is_new"
    return "coordinator.epoch_given_again" if given == epoch else "coordinator.epoch_goes_up"


_INSTALLED = {
    INIT_WRITE: TransactionCoordinator._initialised,
    ADD_WRITE: TransactionCoordinator._added,
    DECISION_WRITE: TransactionCoordinator._decided,
    FENCE_WRITE: TransactionCoordinator._fence_written,
    COMPLETION_WRITE: TransactionCoordinator._completed,
    TOMBSTONE_WRITE: TransactionCoordinator._expired,
}
