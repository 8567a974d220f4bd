"""Verification: before a leader appends the first batch of a transaction, it asks the transaction coordinator
whether the partition belongs to the transaction (KIP-890, first part, since 3.6).

The client's Produce or TxnOffsetCommit waits for the coordinator's response; nothing is appended before. For a
client of transaction version 2 the leader asks the coordinator to add the partition (second part, since 4.0).
For the Produce of such a client, the leader repeats the question for a limited time while the client's
previous transaction is not complete yet (KAFKA-18654).

A *question* is about the partitions of one transactional id. Owns the questions and the meaning of the
responses. At most one request with questions is in flight to each coordinator. The log's
``ProducerStateManager`` keeps the producers whose transaction waits for its first batch (``awaited``). A
broker has a :class:`Verification` when its profile has ``verifies_partitions``; ``Verification.goes_on``
names the method that continues a request.

Source: ``AddPartitionsToTxnManager``, ``ReplicaManager.maybeStartTransactionVerificationForPartitions``,
``UnifiedLog.analyzeAndValidateProducerState``,
``TransactionCoordinator.handleVerifyPartitionsInTransaction``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.broker.append_rules import in_cache, lower_epoch
from engine.broker.cluster_view import ClusterView
from engine.broker.internal_topics import TRANSACTION_TOPIC
from engine.broker.outgoing import Outgoing
from engine.broker.producer_state import ProducerStateManager
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.coordinator.transaction_coordinator import TransactionCoordinator
from engine.coordinator.transaction_states import PREPARE_ABORT, PREPARE_COMMIT
from engine.errors import NO_ERROR, EngineError, Error
from engine.happenings.verification import (
    AsksAgain,
    CoordinatorAsked,
    CoordinatorNotReachable,
    QuestionReplaced,
    QuestionsLost,
    Unsafe,
)
from engine.java_hash import partition_for
from engine.messages import (
    FOR_VERIFICATION,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    RAISING_VERSION,
    Connect,
    Disconnect,
    Effects,
    Envelope,
    ProduceRequest,
    RecordBatch,
    Send,
    TransactionPartitions,
    TxnOffsetCommitRequest,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    broker_number,
)
from engine.topic_partition import partition_name

PRODUCE_SEES: dict[Error, Error] = dict.fromkeys(
    (
        Error.CONCURRENT_TRANSACTIONS,
        Error.NETWORK_EXCEPTION,
        Error.COORDINATOR_LOAD_IN_PROGRESS,
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.NOT_COORDINATOR,
    ),
    Error.NOT_ENOUGH_REPLICAS,
)
"""Dict of the coordinator's error → the error that the producer gets in its place: older producers, too, send
the batch again after NOT_ENOUGH_REPLICAS."""
ADDING_SEES: dict[Error, Error] = {
    error: seen for error, seen in PRODUCE_SEES.items() if error is not Error.CONCURRENT_TRANSACTIONS
}
"""As ``PRODUCE_SEES``, for a client of transaction version 2. This client gets CONCURRENT_TRANSACTIONS itself,
because it knows that its previous transaction may not be complete yet."""
PRODUCERS_SEE = {
    Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH,
}
"""Dict of the coordinator's error → the error that a client gets in its place: clients expect
INVALID_PRODUCER_EPOCH from a leader."""
OLDER_PRODUCERS_SEE = PRODUCERS_SEE | {Error.TRANSACTION_ABORTABLE: Error.INVALID_TXN_STATE}
"""As ``PRODUCERS_SEE``, for clients before Produce 11 and TxnOffsetCommit 4 (Kafka 3.8), which do not know
TRANSACTION_ABORTABLE."""
OFFSETS_SEE = {
    Error.NETWORK_EXCEPTION: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
}
"""Dict of error of the verification → the error that the client of a TxnOffsetCommit gets in its place
(``GroupMetadataManager.maybeConvertOffsetCommitError``)."""
ADD_RETRY_MS, ADD_RETRY_MAX_MS = 20, 100
"""The pause in ms before a question is repeated, and the time in ms after which it is not repeated any more
(``add.partitions.to.txn.retry.backoff.ms`` and ``….max.ms``)."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A request after the verification of its partitions."""

    envelope: Envelope
    errors: dict[str, Error] = field(default_factory=dict)
    """The partitions that may not be written to, each with the error of the verification."""
    guards: dict[str, int] = field(default_factory=dict)
    """The verified partitions, each with its guard. A later marker removes the guard."""
    sees: Mapping[Error, Error] = field(default_factory=lambda: PRODUCE_SEES)
    """Dict of error of the verification → the error that the producer gets in its place."""
    responded: dict[str, Error] = field(default_factory=dict)
    """The coordinator's own error of each partition, if it responded with one."""
    stale: frozenset[str] = frozenset()
    """The partitions about which no coordinator was asked, because the log refuses the epoch of the request."""


@dataclass(slots=True)
class _Waiting:
    """A client's request that waits for a coordinator's response, and the question about it."""

    asked: TransactionPartitions
    envelope: Envelope
    guards: dict[str, int]
    sequences: dict[str, int]
    """Dict of partition → first sequence of its batch; NO_SEQUENCE for committed offsets."""
    until: int
    """The time in ms until which the question is repeated while the previous transaction is not complete."""
    stale: frozenset[str] = frozenset()
    """As ``Verified.stale``."""

    def ends(self, error: Error) -> Verified:
        return self.ended(dict.fromkeys(self.asked.partitions, error))

    def ended(self, errors: dict[str, Error], responded: dict[str, Error] | None = None) -> Verified:
        sees = PRODUCE_SEES if self.asked.verify_only else ADDING_SEES
        return Verified(self.envelope, errors, self.guards, sees, responded or {}, self.stale)


@dataclass(slots=True)
class _Line:
    """The questions to one coordinator, by transactional id: in flight (``on_the_way``) and waiting
    (``behind``). ``deadline``: when the response is overdue (virtual ms)."""

    deadline: int | None = None
    correlation_id: int = 0
    on_the_way: dict[str, _Waiting] = field(default_factory=dict)
    behind: dict[str, _Waiting] = field(default_factory=dict)
    is_connecting: bool = False


class Verification:
    """The questions of one broker to the transaction coordinators. Several methods return (effects, requests
    whose verification has ended); :meth:`go_on` continues these requests."""

    __slots__ = (
        "_guards",
        "broker_id",
        "cluster",
        "connected",
        "goes_on",
        "later",
        "lines",
        "outgoing",
        "partition_count",
        "replicas",
        "setup",
        "timeout_ms",
        "understand_abortable",
    )

    def __init__(self, setup: Setup, cluster: ClusterView, replicas: Replicas, outgoing: Outgoing) -> None:
        self.setup = setup
        self.broker_id = setup.broker_id
        self.cluster = cluster
        self.replicas = replicas
        self.outgoing = outgoing
        self.partition_count = setup.configuration.transaction_state_partitions
        """The number of partitions of ``__transaction_state``."""
        self.timeout_ms = setup.configuration.marker_request_timeout_ms
        self.understand_abortable = setup.understand_abortable
        self.lines: dict[int, _Line] = {}
        self.later: list[tuple[int, _Waiting]] = []
        """(time in ms, question) for each question that is to be repeated at that time."""
        self.connected: set[int] = {setup.broker_id}
        self._guards = 0
        self.goes_on: dict[type, Callable[[Verified, int], Effects]] = {}
        """Dict of type of a waiting request → method that continues the request. ``Broker`` fills this
        dict."""

    def go_on(self, verified: tuple[Effects, list[Verified]], now: int) -> Effects:
        """Continue the requests whose verification has ended. Returns the effects in ``verified`` and those of the
        continued requests."""
        effects, ended = verified
        for one in ended:
            effects = effects + self.goes_on[type(one.envelope.body)](one, now)
        return effects

    def concerns(self, transaction_version: int) -> bool:
        """Whether a request may need verification."""
        return self.setup.switches.partition_verification or transaction_version >= RAISING_VERSION

    # Asking ---------------------------------------------------------------------------------------

    def of_produce(
        self, envelope: Envelope, request: ProduceRequest, batches: dict[str, RecordBatch], now: int
    ) -> tuple[Effects, list[Verified]] | None:
        """Verify the partitions of a Produce request to which the client may write (``batches``); None: none
        of them needs verification."""
        transactional_id = request.transactional_id
        numbered = {
            name: batch
            for name, batch in batches.items()
            if batch.is_transactional and batch.producer_id != NO_PRODUCER_ID
        }
        if transactional_id is None or not numbered:
            return None
        identities = {(batch.producer_id, batch.producer_epoch) for batch in numbered.values()}
        if len(identities) > 1:
            errors = dict.fromkeys(batches, Error.INVALID_PRODUCER_ID_MAPPING)
            return [], [Verified(envelope, errors, {})]
        ((producer_id, epoch),) = identities
        sequences = {name: batch.base_sequence for name, batch in numbered.items()}
        adds = request.transaction_version >= RAISING_VERSION
        until = now + ADD_RETRY_MAX_MS if adds else now
        return self._ask(
            transactional_id, producer_id, epoch, sequences, envelope, now, adds=adds, until=until
        )

    def of_offsets(
        self, envelope: Envelope, request: TxnOffsetCommitRequest, partition: str, now: int
    ) -> tuple[Effects, list[Verified]] | None:
        """Verify the group's partition of the offsets log; None when the transaction is already open there, or
        this broker does not lead the partition."""
        producer_id, epoch = request.producer_id, request.producer_epoch
        sequences = {partition: NO_SEQUENCE}
        name, adds = request.transactional_id, request.transaction_version >= RAISING_VERSION
        return self._ask(name, producer_id, epoch, sequences, envelope, now, adds=adds, until=now)

    def _ask(
        self,
        transactional_id: str,
        producer_id: int,
        epoch: int,
        sequences: dict[str, int],
        envelope: Envelope,
        now: int,
        *,
        adds: bool,
        until: int,
    ) -> tuple[Effects, list[Verified]] | None:
        guards = {}
        stale = set()
        for partition, sequence in sequences.items():
            replica = self.replicas.get(partition)
            if replica is None or not replica.is_leader:
                continue  # The append will refuse this batch.
            producers = replica.log.producers
            if producers.is_refused_unasked(producer_id, epoch):
                stale.add(partition)
            elif not producers.is_open(producer_id, epoch):
                self._guards += 1
                guards[partition] = producers.begin_waiting(
                    producer_id, sequence, epoch, self._guards, now, raises=adds
                )
        if not guards:
            return ([], [Verified(envelope, stale=frozenset(stale))]) if stale else None
        asked = TransactionPartitions(
            transactional_id=transactional_id,
            producer_id=producer_id,
            producer_epoch=epoch,
            partitions=tuple(guards),
            verify_only=not adds,
        )
        return self._queue(_Waiting(asked, envelope, guards, sequences, until, frozenset(stale)), now)

    def _ask_again(self, waiting: _Waiting, now: int) -> tuple[Effects, list[Verified]]:
        """Repeat the question with new guards: a marker may have removed the first ones."""
        asked = waiting.asked
        sent = self._ask(
            asked.transactional_id,
            asked.producer_id,
            asked.producer_epoch,
            waiting.sequences,
            waiting.envelope,
            now,
            adds=not asked.verify_only,
            until=waiting.until,
        )
        return ([], [waiting.ended({})]) if sent is None else sent

    def _queue(self, waiting: _Waiting, now: int) -> tuple[Effects, list[Verified]]:
        """Queue the question for its coordinator. If another question about the same transactional id waits
        already, the one with the higher epoch stays (with equal epochs the new one), and the other ends with
        an error."""
        asked = waiting.asked
        coordinator = self._coordinator(asked.transactional_id)
        watch, name, client = self.setup.watch, self.setup.name, waiting.envelope.source
        if coordinator is None:
            watch.emit(CoordinatorNotReachable, name, client, asked.transactional_id)
            return [], [waiting.ends(Error.COORDINATOR_NOT_AVAILABLE)]
        line = self.lines.setdefault(coordinator, _Line())
        before = line.behind.get(asked.transactional_id)
        ended = []
        if before is not None:
            if before.asked.producer_epoch > asked.producer_epoch:
                stale = Error.INVALID_PRODUCER_EPOCH
                watch.emit(QuestionReplaced, name, client, asked.transactional_id, stale)
                return [], [waiting.ends(Error.INVALID_PRODUCER_EPOCH)]
            fenced = before.asked.producer_epoch < asked.producer_epoch
            error = Error.INVALID_PRODUCER_EPOCH if fenced else Error.NETWORK_EXCEPTION
            watch.emit(QuestionReplaced, name, before.envelope.source, asked.transactional_id, error)
            ended.append(before.ends(error))
        line.behind[asked.transactional_id] = waiting
        watch.emit(
            CoordinatorAsked,
            name,
            client,
            f"broker-{coordinator}",
            asked.transactional_id,
            asked.partitions,
            not asked.verify_only,
        )
        return self._send(coordinator, line, now), ended

    def _coordinator(self, transactional_id: str) -> int | None:
        number = partition_for(transactional_id, self.partition_count)
        leader = self.cluster.leader_of(partition_name(TRANSACTION_TOPIC, number))
        return leader if leader is not None and self.cluster.is_reachable(leader) else None

    def _send(self, coordinator: int, line: _Line, now: int) -> Effects:
        """Send the next request to a coordinator, unless one is in flight."""
        if line.on_the_way or not line.behind:
            return []
        peer = f"broker-{coordinator}"
        if coordinator not in self.connected:
            if line.is_connecting:
                return []
            line.is_connecting = True
            return [Connect(peer, FOR_VERIFICATION)]
        line.on_the_way, line.behind = line.behind, {}
        line.correlation_id = self.outgoing.next_correlation()
        line.deadline = now + self.timeout_ms
        entries = tuple(waiting.asked for waiting in line.on_the_way.values())
        return [Send(peer, VerifyPartitionsRequest(entries=entries), line.correlation_id)]

    # Answers --------------------------------------------------------------------------------------

    def handle_response(self, envelope: Envelope, now: int) -> Effects:
        """The coordinator has responded: continue the requests that waited, and send the next questions."""
        response = envelope.body
        if type(response) is not VerifyPartitionsResponse:
            raise EngineError(f"{response!r} answers no question about partitions")
        coordinator = broker_number(envelope.source)
        return self.go_on(self.on_response(coordinator, envelope.correlation_id, response, now), now)

    def on_response(
        self, coordinator: int, correlation_id: int, response: VerifyPartitionsResponse, now: int
    ) -> tuple[Effects, list[Verified]]:
        """Handle a response. Returns the next request to this coordinator, and the requests whose
        verification has ended."""
        line = self.lines.get(coordinator)
        if line is None or line.correlation_id != correlation_id:
            return [], []
        ended = []
        for transactional_id, waiting in line.on_the_way.items():
            found = response.errors.get(transactional_id, {})
            if now < waiting.until and Error.CONCURRENT_TRANSACTIONS in found.values():
                self.later.append((now + ADD_RETRY_MS, waiting))
                self.setup.watch.emit(
                    AsksAgain,
                    self.setup.name,
                    waiting.envelope.source,
                    transactional_id,
                    now + ADD_RETRY_MS,
                )
                continue
            adds = not waiting.asked.verify_only
            knows = adds or waiting.envelope.source in self.understand_abortable
            seen = PRODUCERS_SEE if knows else OLDER_PRODUCERS_SEE
            refused = {name: error for name, error in found.items() if error is not NO_ERROR}
            errors = {name: seen.get(error, error) for name, error in refused.items()}
            ended.append(waiting.ended(errors, refused))
        self._finish(line)
        return self._send(coordinator, line, now), ended

    def on_connected(self, broker_id: int, now: int) -> Effects:
        self.connected.add(broker_id)
        line = self.lines.get(broker_id)
        if line is None:
            return []
        line.is_connecting = False
        return self._send(broker_id, line, now)

    def on_disconnected(self, broker_id: int) -> list[Verified]:
        """Fail the questions to this broker, in flight and queued, so that producers resend their batches.
        Returns the requests whose verification has ended."""
        self.connected.discard(broker_id)
        line = self.lines.pop(broker_id, None)
        if line is None:
            return []
        waiting = (*line.on_the_way.values(), *line.behind.values())
        if waiting:
            self._emit_lost(broker_id, waiting)
        return [one.ends(Error.NETWORK_EXCEPTION) for one in waiting]

    def _emit_lost(self, broker_id: int, waiting: Iterable[_Waiting]) -> None:
        clients = tuple(dict.fromkeys(one.envelope.source for one in waiting))
        self.setup.watch.emit(QuestionsLost, self.setup.name, f"broker-{broker_id}", clients)

    def _finish(self, line: _Line) -> None:
        line.on_the_way, line.deadline, line.correlation_id = {}, None, 0

    # Timers and crashes ---------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        """The time in ms at which the next response is overdue or the next question is repeated; None: neither
        is due."""
        due = [line.deadline for line in self.lines.values() if line.deadline is not None]
        return min(due + [at for at, _ in self.later], default=None)

    def on_timer(self, now: int) -> tuple[Effects, list[Verified]]:
        """Repeat the questions that are due, and fail those whose response is overdue."""
        effects: Effects = []
        ended: list[Verified] = []
        due = [waiting for at, waiting in self.later if at <= now]
        self.later = [(at, waiting) for at, waiting in self.later if at > now]
        for waiting in due:
            again, over = self._ask_again(waiting, now)
            effects, ended = effects + again, ended + over
        for broker_id, line in list(self.lines.items()):
            if line.deadline is None or line.deadline > now:
                continue
            if broker_id == self.broker_id:
                self._emit_lost(broker_id, line.on_the_way.values())
                ended += [waiting.ends(Error.NETWORK_EXCEPTION) for waiting in line.on_the_way.values()]
                self._finish(line)
                effects += self._send(broker_id, line, now)
            else:
                ended += self.on_disconnected(broker_id)
                effects.append(Disconnect(f"broker-{broker_id}", FOR_VERIFICATION))
        return effects, ended

    def crash(self) -> None:
        """Everything in memory is lost. The clients lose their connections, and with them their requests."""
        self.lines.clear()
        self.later.clear()
        self.connected = {self.broker_id}


def unguarded(
    producers: ProducerStateManager, batch: RecordBatch, guard: int | None, *, epoch_first: bool = False
) -> tuple[Error, Unsafe] | None:
    """Check a client's batch after its verification, or if it needed none
    (``ProducerAppendInfo.checkSequence``, KAFKA-18202). Returns None if the leader may append the batch,
    otherwise the error and the reason. ``epoch_first``: whether a batch with a lower epoch passes, because
    the log refuses it (KAFKA-19690)."""
    if not batch.is_transactional:
        return None
    arrival = producers.prepare(batch.producer_id).arrive(batch)
    if in_cache(arrival) or (epoch_first and lower_epoch(arrival)):
        return None
    awaited = producers.awaited.get(batch.producer_id)
    if not producers.is_open(batch.producer_id, batch.producer_epoch) and (
        awaited is None or awaited.guard != guard
    ):
        return Error.INVALID_TXN_STATE, Unsafe.ENDED_MEANWHILE
    if lower_epoch(arrival) or awaited is None:
        return None
    if awaited.raises and batch.base_sequence != 0 and not arrival.cached:
        return Error.OUT_OF_ORDER_SEQUENCE_NUMBER, Unsafe.NOT_THE_FIRST
    if batch.base_sequence > awaited.lowest_sequence:
        return Error.OUT_OF_ORDER_SEQUENCE_NUMBER, Unsafe.EARLIER_MISSING
    return None


def verify(coordinator: TransactionCoordinator, asked: TransactionPartitions) -> dict[str, Error]:
    """Dict of partition → the coordinator's result: NONE if the transaction includes the partition."""
    error = _verify_id(coordinator, asked)
    if error is not NO_ERROR:
        return dict.fromkeys(asked.partitions, error)
    added = coordinator.metadata[asked.transactional_id].partitions
    return {name: NO_ERROR if name in added else Error.TRANSACTION_ABORTABLE for name in asked.partitions}


def _verify_id(coordinator: TransactionCoordinator, asked: TransactionPartitions) -> Error:
    if not asked.transactional_id:
        return Error.INVALID_REQUEST
    here = coordinator.lookup(asked.transactional_id)
    if here is not NO_ERROR:
        return here
    metadata = coordinator.metadata.get(asked.transactional_id)
    if metadata is None or metadata.producer_id != asked.producer_id:
        return Error.INVALID_PRODUCER_ID_MAPPING
    if metadata.producer_epoch != asked.producer_epoch:
        return Error.PRODUCER_FENCED
    if metadata.state in (PREPARE_COMMIT, PREPARE_ABORT):
        return Error.CONCURRENT_TRANSACTIONS
    return NO_ERROR
