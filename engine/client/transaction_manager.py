"""The client's transaction manager: identity, numbering and recovery from sequence errors (TXM-1..TXM-17).

It exists only if idempotence is on. It owns PID and epoch, one numbering per topic-partition, the client
state and the queue of control requests. It sends nothing itself: the Sender takes the next request from the
queue and passes on responses. The main difference between the generations is ``recovery``: since 2.5 the
client recovers lost numbers by raising the epoch, 2.0 by dropping the PID and every numbering.
"""

from __future__ import annotations

from typing import cast

from engine.client import client_states as states
from engine.client.batch import Batch
from engine.client.configuration import ProducerConfig
from engine.client.control_reactions import generation_of
from engine.client.control_requests import (
    ADD_PARTITIONS,
    COMMIT_OFFSETS,
    FIND,
    GROUP,
    INIT,
    PRIORITIES,
    TRANSACTION,
    PendingRequest,
    Result,
)
from engine.client.in_flight_order import BY_BATCH, BY_NUMBER, InFlightOrder
from engine.client.late_calls import BY_STATE, UNTIL_RETURNED, LateCalls
from engine.client.partition_sequences import PartitionSequences
from engine.client.produce_reactions import (
    BUMP_AND_RETRY,
    DECISIONS,
    FAIL,
    RESTART_AND_RETRY,
    Answer,
    decide,
    denied,
    fatal_in,
    reaction_to,
    retried_in,
)
from engine.client.recovery import RAISE_EPOCH, RESET_IDENTITY, Recovery
from engine.client.thrown import thrown_by
from engine.errors import Cause, ClientError, EngineError, Error
from engine.events import OutcomeReported, TransactionBegun
from engine.happenings.batches import AfterFailure, Because, Question, SequenceErrorDecided
from engine.happenings.machines import RowTaken
from engine.happenings.producer import ProducerPoisoned, ProtocolChosen
from engine.machine import Row
from engine.messages import (
    INT_MAX,
    NO_MEMBER,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    RAISING_VERSION,
    SHORT_MAX,
    AddPartitionsToTxnRequest,
    CommittedOffset,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    Membership,
    TxnOffsetCommitRequest,
)
from engine.profile import Profile
from engine.shapes.clients import ClientTransactionView, Edge, TransactionManagerView
from engine.switches import Switches
from engine.watching import Watch


class IllegalTransition(Exception):
    """The client's state machine refuses this change of state (TXM-4); ``row`` is the row that refuses it."""

    def __init__(self, state: str, row: Row) -> None:
        super().__init__(f"{row.on} is refused in state {state}")
        self.row = row


class TransactionManager:
    """The state of an idempotent producer (TXM-1). ``transactional_id`` None: a producer without
    transactions."""

    __slots__ = (
        "_failed_send_counts",
        "_fatal_error_ends_calls",
        "_fatal_reactions",
        "_identity_edges",
        "_in_flight_order",
        "_names_member",
        "_retried_reactions",
        "_wrong_state_is_fatal",
        "added_partitions",
        "bump_required",
        "client",
        "cluster_features",
        "config",
        "coordinator_supports_bump",
        "coordinators",
        "features_epoch",
        "in_flight",
        "knows_version",
        "last_edge",
        "last_error",
        "last_error_unexpected",
        "late_calls",
        "new_partitions",
        "outlives_denial",
        "partitions",
        "path",
        "pending_call",
        "pending_offsets",
        "pending_partitions",
        "pending_result",
        "producer_epoch",
        "producer_id",
        "raises_at_commit",
        "reactions",
        "recovery",
        "requests",
        "started",
        "state",
        "switches",
        "thrown",
        "to_resequence",
        "transactional_id",
        "version",
        "watch",
    )

    def __init__(
        self, client: str, config: ProducerConfig, profile: Profile, switches: Switches, watch: Watch
    ) -> None:
        self.client = client
        self.config = config
        self.recovery: Recovery = RAISE_EPOCH if profile.recovers_by_epoch else RESET_IDENTITY
        self._identity_edges = (states.NEED_ID, states.GOT_ID) if profile.queued_producer_id_request else ()
        """The events by which a producer without a transactional id requests and gets an identity. Empty in
        versions in which the Sender's pass waits for the identity (PID-12); their state does not change then."""
        self.thrown = thrown_by(profile)
        self.late_calls: LateCalls = UNTIL_RETURNED if profile.late_call_must_repeat else BY_STATE
        self._names_member = profile.offsets_name_member
        """Whether TxnOffsetCommit names the committing member and its generation (KIP-447)."""
        self.reactions = generation_of(profile)
        """The generation of clients (``control_reactions``) whose reactions to control responses this client
        has."""
        self._fatal_reactions, self._retried_reactions = fatal_in(profile), retried_in(profile)
        """The reactions to a batch's error that are fatal, and the reactions that resend the batch."""
        self._in_flight_order: InFlightOrder = BY_NUMBER if profile.knows_batches_by_number else BY_BATCH
        self._fatal_error_ends_calls = profile.fatal_error_ends_calls
        self._failed_send_counts = profile.failed_send_fails_transaction
        self._wrong_state_is_fatal = profile.wrong_state_is_fatal
        self.outlives_denial = profile.outlives_denied_identity
        self.raises_at_commit = profile.commit_may_raise_epoch
        self.knows_version = profile.transaction_version
        """The highest transaction version that both this client and the cluster's brokers support."""
        self.cluster_features = (-1, 0)
        """The newest (epoch of the features, level of ``transaction.version``) that a broker reported on a
        connection."""
        self.features_epoch = -1
        """The epoch of the features that determine ``version``."""
        self.version = 0
        """The transaction version in use: 2 gives every transaction an epoch of its own (KIP-890)."""
        self.switches = switches
        self.watch = watch
        self.transactional_id = config.transactional_id
        self.state = states.MACHINE.initial
        self.last_edge: tuple[str, str, str] | None = None
        self.last_error: Cause | None = None
        self.last_error_unexpected = False
        """Whether the application gets a plain KafkaException instead of the exception of the last error: the
        client has no reaction of its own to the error (``control_reactions.py``), or sequence numbers were
        lost (TXM-15)."""
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.bump_required = False
        self.coordinator_supports_bump = profile.takes_epoch_bumps
        """Whether the coordinator's version can raise the epoch on request (SND-9)."""
        self.partitions: dict[str, PartitionSequences] = {}
        self.to_resequence: dict[str, None] = {}
        """Partitions that requested the epoch bump, in the order of their requests (TXM-16)."""
        self.requests: list[PendingRequest] = []
        self.in_flight: PendingRequest | None = None
        self.new_partitions: dict[str, None] = {}
        self.pending_partitions: dict[str, None] = {}
        self.added_partitions: dict[str, None] = {}
        """These three dicts hold the transaction's topic-partitions in the order of their first use: *new*
        (to be registered), *pending* (registration requested) and *added* (batches may be sent, TXM-8)."""
        self.started = False
        """Whether EndTxn has to be sent: the coordinator has registered partitions or offsets of the
        transaction (TXM-9), or leaders may add them (KIP-890)."""
        self.pending_offsets: dict[str, CommittedOffset] = {}
        self.coordinators: dict[str, int | None] = {TRANSACTION: None, GROUP: None}
        """Dict of coordinator kind → the cached broker id (FND-6)."""
        self.pending_result: Result | None = None
        """The result of the newest init, commit or abort: a repeated call waits for the same result (TXM-5)."""
        self.pending_call = ""
        """The call that ``pending_result`` belongs to."""
        self.path = ("clients", client, "transaction_manager")

    def view(self) -> TransactionManagerView:
        return {
            "state": self.state,
            "last_edge": None if self.last_edge is None else cast("Edge", list(self.last_edge)),
            "last_error": None if self.last_error is None else self.last_error.name,
            "transactional_id": self.transactional_id,
            "producer_id": self.producer_id if self.has_producer_id else None,
            "producer_epoch": self.producer_epoch if self.has_producer_id else None,
            "bump_required": self.bump_required,
            "requests": [{"api": request.api, "priority": request.priority} for request in self.requests],
            "in_flight_request": None if self.in_flight is None else self.in_flight.api,
            "transaction": self._transaction_view() if self.is_transactional else None,
        }

    def _transaction_view(self) -> ClientTransactionView:
        shown: ClientTransactionView = {
            "started": self.started,
            "new_partitions": list(self.new_partitions),
            "pending_partitions": list(self.pending_partitions),
            "added_partitions": list(self.added_partitions),
            "pending_offsets": {name: kept.offset for name, kept in self.pending_offsets.items()},
            "coordinator": self.coordinators[TRANSACTION],
            "group_coordinator": self.coordinators[GROUP],
        }
        if self.version:
            shown["transaction_version"] = self.version
        return shown

    # -- state -----------------------------------------------------------------------------------------

    @property
    def is_transactional(self) -> bool:
        return self.transactional_id is not None

    @property
    def has_producer_id(self) -> bool:
        return self.producer_id > NO_PRODUCER_ID

    @property
    def has_fatal_error(self) -> bool:
        return self.state in states.LOST

    @property
    def has_abortable_error(self) -> bool:
        return self.state in states.RECOVERABLE

    @property
    def has_error(self) -> bool:
        return self.state in states.IN_ERROR

    @property
    def is_completing(self) -> bool:
        return self.state in states.COMPLETING

    @property
    def has_ongoing_transaction(self) -> bool:
        return self.state in states.OPEN

    @property
    def has_epoch_for_each(self) -> bool:
        """Whether every transaction has an epoch of its own: its end raises the epoch, and leaders add its
        partitions."""
        return self.version >= RAISING_VERSION

    @property
    def can_bump(self) -> bool:
        """Whether the epoch can be raised: by the client alone, by a coordinator that supports it (KIP-360),
        or by the end of the transaction (KIP-890)."""
        if not self.is_transactional:
            return self.recovery.raises_epoch
        return self.has_epoch_for_each or (self.recovery.raises_epoch and self.coordinator_supports_bump)

    def member_named(self, member: Membership) -> Membership:
        """The group member for TxnOffsetCommit; none before KIP-447."""
        return member if self._names_member else NO_MEMBER

    @property
    def must_ask_for_bump(self) -> bool:
        """Whether the client has to request an epoch bump, because the end of a transaction does not raise
        the epoch (``needToTriggerEpochBumpFromClient``)."""
        return self.can_bump and not self.has_epoch_for_each

    # -- the cluster's features ------------------------------------------------------------------------

    def learn_features(self, epoch: int, level: int) -> None:
        """Note the level of ``transaction.version`` that a broker reported (ApiVersions, KIP-584). ``epoch``:
        the epoch of the cluster's features at the broker."""
        if epoch > self.cluster_features[0]:
            self.cluster_features = (epoch, level)

    def follow_features(self, *, initial: bool) -> None:
        """From now on, use the transaction version that the newest known level of ``transaction.version``
        gives (``maybeUpdateTransactionV2Enabled``). ``initial``: whether the call comes after
        initTransactions(), which gave a new epoch."""
        epoch, level = self.cluster_features
        if epoch <= self.features_epoch:
            return
        self.features_epoch = epoch
        before, self.version = self.version, min(level, self.knows_version)
        if self.version < RAISING_VERSION:
            self.version = 0
        if self.version == before:
            return
        self.bump_required = self.bump_required or (self.has_epoch_for_each and not initial)
        self.watch.emit(ProtocolChosen, self.client, self.has_epoch_for_each, level, initial)
        self.watch.touch(self)

    def transition(
        self, on: str, error: Cause | None = None, unexpected: bool = False, by_call: bool = False
    ) -> Row:
        """Change the state as TXM-4 allows; raises :class:`IllegalTransition` otherwise. ``by_call``: whether
        the application caused the change. A fatal error may also fail a waiting call (TXM-9). Since 3.6 an
        illegal change that the Sender's thread caused is fatal."""
        row = self._row(on)
        if row.target is None:
            before = self.state
            if self._wrong_state_is_fatal and not by_call:
                self._poison(on)
            raise IllegalTransition(before, row)
        before, self.state = self.state, row.target
        if self.state in states.IN_ERROR:
            self.last_error, self.last_error_unexpected = error, unexpected
            if self.state in states.LOST and self._fatal_error_ends_calls and error is not None:
                self._fail_pending_result(error, unexpected)
        elif before != self.state:
            self.last_error, self.last_error_unexpected = None, False
        if before != self.state:
            self.last_edge = (before, self.state, on)
            self.watch.emit(RowTaken, self.client, row)
            if self.is_transactional:
                self._emit_facts(on, before)
        self.watch.touch(self)
        return row

    def _poison(self, on: str) -> None:
        """Change to FATAL_ERROR, because the Sender's thread attempted an illegal transition
        (KAFKA-14831)."""
        row = self._row(states.FATAL)
        before, self.state = self.state, row.target or self.state
        self.last_error, self.last_error_unexpected = ClientError.ILLEGAL_STATE, False
        self.last_edge = (before, self.state, on)
        self.watch.emit(ProducerPoisoned, self.client, on, before)
        self.watch.emit(RowTaken, self.client, row)
        self.watch.touch(self)

    @property
    def is_poisoned(self) -> bool:
        return self.last_error is ClientError.ILLEGAL_STATE

    def become_uninitialized(self) -> None:
        """Return to UNINITIALIZED after a denied identity. The calls that wait for queued requests fail; the
        application may call initTransactions() again."""
        error = self.last_error
        for request in self.requests:
            self.fail_request(request)
        self.transition(states.DENIED)
        if error is not None:
            self._fail_pending_result(error, False)

    def _emit_facts(self, on: str, before: str) -> None:
        if on == states.BEGIN:
            self.watch.emit(
                TransactionBegun,
                producer=self.client,
                producer_id=self.producer_id,
                producer_epoch=self.producer_epoch,
            )
        elif (before, on) in states.REPORTS:
            self.watch.emit(OutcomeReported, producer=self.client, committed=before in states.COMMITTING)

    def _row(self, on: str) -> Row:
        return states.MACHINE.take(self.state, on, self)

    def allows(self, on: str) -> bool:
        """Whether the current state allows the event."""
        return self._row(on).target is not None

    def _fail_pending_result(self, error: Cause, unexpected: bool) -> None:
        if self.pending_result is not None:
            self.pending_result.fail(error, unexpected)

    # -- identity --------------------------------------------------------------------------------------

    def set_identity(self, producer_id: int, producer_epoch: int) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.watch.touch(self)

    def needs_producer_id(self) -> bool:
        """Whether InitProducerId has to be enqueued now, in versions that queue it (PID-11)."""
        return (
            not self.is_transactional
            and self.state not in states.ASKING
            and not self.has_producer_id
            and not self.has_fatal_error
        )

    def request_producer_id(self) -> None:
        """Change the state from UNINITIALIZED to INITIALIZING, and enqueue InitProducerId (PID-11, CFG-5)."""
        self.transition(states.NEED_ID)
        self.enqueue(PendingRequest(INIT, init_request(), PRIORITIES[INIT]))

    def identity_received(self, producer_id: int, producer_epoch: int) -> None:
        """Take the identity from the response to InitProducerId, and renumber the partitions that wait for
        it."""
        self.set_identity(producer_id, producer_epoch)
        if self.is_transactional or self._identity_edges:
            self.transition(states.GOT_ID)
        self._renumber()

    def identity_raised(self, producer_id: int, producer_epoch: int) -> None:
        """Take the epoch that the coordinator raised (TXM-7), and drop the old numberings. In
        ABORTING_TRANSACTION this also ends the transaction (TXM-10)."""
        self.set_identity(producer_id, producer_epoch)
        self.bump_required = False
        if self.state in states.ABORTING:
            self.forget_transaction()
        self.transition(states.GOT_ID)
        self._forget_numberings()

    def identity_follows(self, producer_id: int, producer_epoch: int) -> None:
        """Take the identity of the next transaction from the response to EndTxn (KIP-890): every numbering
        restarts."""
        self.set_identity(producer_id, producer_epoch)
        self._forget_numberings()

    def preset(self, producer_id: int, producer_epoch: int) -> None:
        """For the initial state of a run: take this identity (GEN-7), as if InitProducerId had returned
        it."""
        self.set_identity(producer_id, producer_epoch)
        for edge in self._identity_edges:
            self.state = states.MACHINE.target_of(self.state, edge)

    def reset_identity(self) -> None:
        """Drop PID, epoch, numberings and *unresolved* marks (2.0; TXM-15). Raises EngineError for a
        transactional producer, which never does this."""
        if self.is_transactional:
            raise EngineError(f"{self.client}: a transactional producer cannot reset its PID")
        self.set_identity(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
        self._forget_numberings()

    def _forget_numberings(self) -> None:
        for entry in self.partitions.values():
            self._forget(entry)
        self.partitions.clear()

    def _forget(self, entry: PartitionSequences) -> None:
        entry.gone = True
        self.watch.touch(entry)

    def request_bump(self, partition: str) -> None:
        """Note that an idempotent producer needs a new epoch because of this partition (TXM-16)."""
        self.bump_required = True
        self.to_resequence[partition] = None
        self.watch.touch(self)

    def bump_epoch(self) -> list[Batch]:
        """Raise the epoch locally (TXM-16); returns the renumbered batches. After the last epoch, the PID is
        dropped instead."""
        self.bump_required = False
        if self.producer_epoch == SHORT_MAX:
            self.set_identity(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
            self.transition(states.EXHAUSTED)
            return []
        self.set_identity(self.producer_id, self.producer_epoch + 1)
        return self._renumber()

    def _renumber(self) -> list[Batch]:
        """Number the batches in flight of the partitions that requested the bump from 0."""
        renumbered: list[Batch] = []
        for partition in self.to_resequence:
            entry = self.entry(partition)
            renumbered.extend(entry.restart(self.producer_id, self.producer_epoch))
            entry.resolve()
        self.to_resequence.clear()
        return renumbered

    # -- numbering -------------------------------------------------------------------------------------

    def entry(self, partition: str) -> PartitionSequences:
        entry = self.partitions.get(partition)
        if entry is None:
            entry = self.partitions[partition] = PartitionSequences(
                partition, self.client, self.watch, self._in_flight_order
            )
            self.watch.touch(entry)
        return entry

    def tracks(self, partition: str) -> bool:
        entry = self.partitions.get(partition)
        return entry is not None and bool(entry.in_flight)

    def has_no_place_for(self, batch: Batch) -> bool:
        """Whether Kafka's client throws when it requeues the batch: this version does so if it tracks no batch of the
        partition as in flight (``throws_untracked``)."""
        return self._in_flight_order.throws_untracked and not self.tracks(batch.partition)

    def stop_reason(self, head: Batch) -> str | None:
        """Why the head of a queue may not be drained now (ORD-5); None when it may."""
        if self.state in states.LOST:
            return "fatal_error"
        if self.transactional_id is not None and head.partition not in self.added_partitions:
            return "partition_not_added"
        if self.producer_id <= NO_PRODUCER_ID:
            return "no_producer_id"
        entry = self.partitions.get(head.partition)
        if entry is None:
            return None
        if not head.has_sequence:
            if self.recovery.waits_for_older(entry, self.producer_id, self.producer_epoch):
                return "older_epoch_in_flight"
            if entry.unresolved is not None:
                return "unresolved"
            return None
        if self.switches.head_retry_rule:
            lowest = entry.first_in_flight()
            if lowest >= 0 and lowest != head.base_sequence:
                return "earlier_in_flight"
        return None

    def assign(self, batch: Batch) -> None:
        """Give a drained batch the current identity and the next sequence numbers (SEQ-5)."""
        entry = self.entry(batch.partition)
        if entry.adopts_identity:
            entry.adopts_identity = False
            entry.producer_id, entry.producer_epoch = self.producer_id, self.producer_epoch
        elif self.recovery.renumbers(entry, self.producer_id, self.producer_epoch):
            entry.restart(self.producer_id, self.producer_epoch)
        entry.number(batch, self.producer_id, self.producer_epoch, self.transactional_id is not None)

    # -- answers ---------------------------------------------------------------------------------------

    def completed(self, batch: Batch, base_offset: int) -> None:
        """Note that a batch was stored (TXM-12). In 2.0 a batch of a dropped PID changes nothing."""
        if self.recovery.knows_older or self.is_current(batch):
            self.entry(batch.partition).acknowledge(batch, base_offset)

    def is_current(self, batch: Batch) -> bool:
        return batch.producer_id == self.producer_id and batch.producer_epoch == self.producer_epoch

    def can_retry(
        self, batch: Batch, error: Error, log_start_offset: int
    ) -> tuple[bool, Because | None, tuple[Question, ...]]:
        """Whether the batch may be resent after this response (SND-9, 11, 12); for a sequence error also the
        reason, and the questions that were answered with *no* before. The decision may request an epoch bump
        or restart the numbering."""
        reaction = reaction_to(error)
        if reaction.does not in DECISIONS:
            return reaction.does in self._retried_reactions, None, ()
        if not self.recovery.knows_older and batch.producer_id != self.producer_id:
            return False, Because.OTHER_IDENTITY, ()
        entry = self.entry(batch.partition)
        answer = Answer(batch, entry, log_start_offset, self.is_transactional, self.recovery.raises_epoch)
        row = decide(reaction.does, answer)
        passed = denied(reaction.does, row, answer) if self.watch.hears(SequenceErrorDecided) else ()
        if row.does == BUMP_AND_RETRY:
            self.request_bump(batch.partition)
        elif row.does == RESTART_AND_RETRY:
            entry.restart(self.producer_id, self.producer_epoch)
        return row.does != FAIL, row.because, passed

    def failed(self, batch: Batch, error: Error, adjust: bool) -> AfterFailure | None:
        """Settle the numbers of a batch that has failed (SND-9, 11..13). ``adjust``: whether later batches
        may get its numbers. Returns the change to the numbers, or None. Raises :class:`IllegalTransition` if
        there is no transaction to abort."""
        self._classify(error)
        return self.recovery.failed(self, batch, error, adjust)

    def send_failed(self, error: ClientError) -> None:
        """Note that a ``send()`` failed before its record was in a batch. Since 3.2, the open transaction can
        then only be aborted (KAFKA-9279)."""
        if not self._failed_send_counts or not self.is_transactional or not self.has_ongoing_transaction:
            return
        if self.must_ask_for_bump and not self.is_completing:
            self.bump_required = True
        self.transition(states.ABORTABLE, error, by_call=True)

    def _classify(self, error: Error) -> None:
        """Change the state depending on the error (SND-9). Raises :class:`IllegalTransition` if there is no
        transaction to abort."""
        if reaction_to(error).does in self._fatal_reactions:
            self.transition(states.FATAL, error)
        elif self.is_transactional and not self.has_fatal_error:
            if self.must_ask_for_bump and not self.is_completing:
                self.bump_required = True
                self.watch.touch(self)
            self.transition(states.ABORTABLE, error)

    def forget_numbering(self, partition: str) -> None:
        """Forget the sequence numbers of a partition."""
        self._forget(self.partitions.pop(partition))

    # -- unresolved partitions -------------------------------------------------------------------------

    def mark_unresolved(self, batch: Batch) -> None:
        """Note that a sent and requeued batch expired (TXM-14)."""
        self.entry(batch.partition).mark_unresolved(batch)

    @property
    def has_unresolved(self) -> bool:
        return any(entry.unresolved is not None for entry in self.partitions.values())

    def resolvable(self) -> list[PartitionSequences]:
        """The unresolved partitions that have no batch in flight any more, so that it is known whether their
        sequence numbers were used (TXM-15)."""
        return [
            entry
            for entry in self.partitions.values()
            if entry.unresolved is not None and not entry.in_flight
        ]

    def unresolved_is_abortable(self) -> None:
        """Fail a transactional producer that lost sequence numbers (TXM-15). The error is abortable if the
        epoch can be raised, else fatal."""
        if self.can_bump:
            self.bump_required = self.bump_required or self.must_ask_for_bump
            self.transition(states.ABORTABLE, Error.REQUEST_TIMED_OUT, unexpected=True)
        else:
            self.transition(states.FATAL, Error.REQUEST_TIMED_OUT, unexpected=True)

    # -- control requests ------------------------------------------------------------------------------

    def enqueue(self, request: PendingRequest) -> None:
        """Put a request into the queue, after all requests of the same or a higher priority (TXM-9)."""
        position = len(self.requests)
        while position and self.requests[position - 1].priority > request.priority:
            position -= 1
        self.requests.insert(position, request)
        self.watch.touch(self)

    def take_request(self) -> PendingRequest | None:
        """The next control request, removed from the queue; None when there is none."""
        if not self.requests:
            return None
        request = self.requests.pop(0)
        self.watch.touch(self)
        return request

    def retry(self, request: PendingRequest) -> None:
        request.is_retry = True
        self.enqueue(request)

    def set_in_flight(self, request: PendingRequest | None) -> None:
        self.in_flight = request
        self.watch.touch(self)

    def register_partitions(self) -> None:
        """Make every *new* partition *pending*, and enqueue one request that registers all pending ones
        (TXM-9)."""
        if not self.new_partitions:
            return
        self.pending_partitions.update(self.new_partitions)
        self.new_partitions.clear()
        body = AddPartitionsToTxnRequest(
            transactional_id=self.transactional_id or "",
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            partitions=tuple(self.pending_partitions),
        )
        self.enqueue(self.request_to_coordinator(ADD_PARTITIONS, body))

    def request_to_coordinator(
        self, api: str, body: object, result: Result | None = None, priority: int | None = None
    ) -> PendingRequest:
        """Make a request to the transaction coordinator; the caller enqueues it."""
        return PendingRequest(
            api,
            body,
            PRIORITIES[api] if priority is None else priority,
            coordinator=TRANSACTION,
            key=self.transactional_id or "",
            result=result,
        )

    def commit_offsets(
        self, offsets: dict[str, CommittedOffset], group: str, member: Membership, result: Result | None
    ) -> None:
        """Enqueue TxnOffsetCommit for the group's coordinator (OFS-1, KIP-890)."""
        self.started = True
        self.pending_offsets.update(offsets)
        body = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id or "",
            group_id=group,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            offsets=dict(offsets),
            generation_id=member.generation_id,
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            transaction_version=self.version,
        )
        self.enqueue(
            PendingRequest(
                COMMIT_OFFSETS,
                body,
                PRIORITIES[COMMIT_OFFSETS],
                coordinator=GROUP,
                key=group,
                result=result,
            )
        )

    def look_up(self, kind: str, key: str) -> None:
        """Drop the cached coordinator and look it up again (FND-6)."""
        self.coordinators[kind] = None
        self.enqueue(
            PendingRequest(FIND, FindCoordinatorRequest(key=key, key_type=kind), PRIORITIES[FIND], key=key)
        )

    def refuses_to_send(self, request: PendingRequest) -> bool:
        """Whether the request fails because the producer is in an error state (TXM-9)."""
        return self.has_error and not (self.has_abortable_error and request.api == FIND)

    def fail_request(self, request: PendingRequest) -> None:
        """Fail the call that waits for the request with the producer's last error. Without such a call or error,
        nothing happens."""
        if request.result is not None and self.last_error is not None:
            request.result.fail(self.last_error, self.last_error_unexpected)

    def end_transaction(self) -> None:
        """End the transaction, because the coordinator has decided it or never registered it (TXM-11)."""
        self.transition(states.ENDED)
        self.forget_transaction()

    def forget_transaction(self) -> None:
        self.bump_required = False
        self.started = False
        self.new_partitions.clear()
        self.pending_partitions.clear()
        self.added_partitions.clear()
        self.watch.touch(self)

    def abandon_calls(self, error: Error) -> None:
        """Fail the waiting calls of a producer that is closed by force, or whose ``close()`` cannot abort its
        transaction (SND-14)."""
        for request in self.requests:
            if request.result is not None:
                request.result.fail(error, True)
        self._fail_pending_result(error, True)


def init_request() -> InitProducerIdRequest:
    """The InitProducerId of an idempotent producer: no transactional id, and the highest timeout (CFG-5)."""
    return InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=INT_MAX)
