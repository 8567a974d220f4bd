"""How a broker hosts the transaction coordinator: its log, its markers and its timers (TXC-1, TXC-5, TXC-22).

Joins three objects that do not know each other: the coordinator's rules
(``coordinator/transaction_coordinator``), the markers that it sends (``coordinator/marker_channel``) and the
partitions of ``__transaction_state`` that this broker leads. Requests come in through
``transaction_requests``.
"""

from __future__ import annotations

from typing import Any

from engine.apis import answer_with
from engine.broker.allocated_ids import AllocatedIds
from engine.broker.appending import Appending
from engine.broker.cluster_view import ClusterView
from engine.broker.internal_topics import TRANSACTION_TOPIC
from engine.broker.outgoing import Outgoing
from engine.broker.produce_rules import ACKS_ALL
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.broker.verification import verify
from engine.coordinator.coordinator_effects import Answer, Completed, SendMarkers, Write
from engine.coordinator.marker_channel import MarkerChannel
from engine.coordinator.transaction_coordinator import TransactionCoordinator
from engine.coordinator.transaction_log import batch_of, newest_images
from engine.coordinator.transaction_metadata import Image, TransactionMetadata
from engine.coordinator.transaction_states import DECIDED, EXPIRING, OPEN
from engine.errors import EngineError, Error
from engine.happenings.brokers import (
    CompletionNotWritten,
    EmptyLogLoaded,
    ImageAppended,
    ImageFate,
    LoadingBegins,
    LogLoaded,
    LogResigned,
    MarkersTimedOut,
)
from engine.happenings.verification import PartitionsVerified
from engine.java_hash import partition_for
from engine.messages import (
    FOR_MARKERS,
    RAISING_VERSION,
    SHORT_MAX,
    Connect,
    Disconnect,
    Effects,
    EndTxnRequest,
    EndTxnResponse,
    Envelope,
    InitProducerIdRequest,
    InitProducerIdResponse,
    PartitionProduceResponse,
    Send,
    TransactionPartitions,
    UsePartition,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    broker_number,
)
from engine.shapes.brokers import CoordinatorView, MarkerBoardView, TransactionView
from engine.topic_partition import partition_name
from engine.value import ordered_value
from engine.watching import Part, Path


@ordered_value
class Asked:
    """A request that waits for the coordinator's answer."""

    client: str
    correlation_id: int
    request: object

    def answered(self, answer: Answer) -> Send:
        body: object
        if type(self.request) is InitProducerIdRequest:
            body = InitProducerIdResponse(
                error=answer.error, producer_id=answer.producer_id, producer_epoch=answer.producer_epoch
            )
        elif type(self.request) is EndTxnRequest and self.request.transaction_version >= RAISING_VERSION:
            body = EndTxnResponse(
                error=answer.error, producer_id=answer.producer_id, producer_epoch=answer.producer_epoch
            )
        else:
            body = answer_with(self.request, answer.error)
        return Send(self.client, body, self.correlation_id, True)


class Joining:
    """A leader's request about the partitions of several transactions (KIP-890). ``missing``: the number of
    transactions without a result."""

    __slots__ = ("correlation_id", "errors", "leader", "missing")

    def __init__(self, leader: str, correlation_id: int, missing: int) -> None:
        self.leader = leader
        self.correlation_id = correlation_id
        self.missing = missing
        self.errors: dict[str, dict[str, Error]] = {}

    def found(self, transactional_id: str, errors: dict[str, Error]) -> Effects:
        """Store the result for one transaction. ``errors``: dict of partition → error. After the last
        transaction, returns the response."""
        self.errors[transactional_id] = errors
        self.missing -= 1
        if self.missing:
            return []
        return [Send(self.leader, VerifyPartitionsResponse(errors=self.errors), self.correlation_id, True)]


@ordered_value
class JoinAsked:
    """One transaction of a leader's request (:class:`Joining`), to which the leader wants to add partitions."""

    joining: Joining
    asked: TransactionPartitions

    def answered(self, answer: Answer) -> Effects:
        errors = dict.fromkeys(self.asked.partitions, answer.error)
        return self.joining.found(self.asked.transactional_id, errors)


class TransactionHost:
    """The transaction coordinator that one broker hosts."""

    topic = TRANSACTION_TOPIC

    def __init__(
        self,
        setup: Setup,
        cluster: ClusterView,
        replicas: Replicas,
        appending: Appending,
        outgoing: Outgoing,
        producer_ids: ProducerIdManager | AllocatedIds,
    ) -> None:
        configuration = setup.configuration
        self.setup = setup
        self.cluster = cluster
        self.replicas = replicas
        self.appending = appending
        self.outgoing = outgoing
        self.watch = setup.watch
        self.coordinator = TransactionCoordinator(
            setup.name,
            profile=setup.profile,
            watch=setup.watch,
            producer_ids=producer_ids,
            features=cluster,
            partition_count=configuration.transaction_state_partitions,
            max_timeout_ms=configuration.transaction_max_timeout_ms,
            id_expiration_ms=configuration.transactional_id_expiration_ms,
        )
        self.markers = MarkerChannel(
            setup.name,
            self,
            watch=setup.watch,
            retries_storage_error=setup.profile.marker_storage_error_retries,
            newer_completion_stays=setup.profile.newer_completion_stays,
            retry=setup.switches.marker_retry,
        )
        self.connected: set[int] = set()
        self.connecting: set[int] = set()
        self.pass_at: int | None = None
        """When the next pass of the marker sender may start (MRK-3); None: no pass is needed. This time and the
        four below are in ms."""
        self.scan_at: int | None = None
        """When the next scan finds a transaction that is open for too long; None: no scan does (TXC-20)."""
        self.scanned_at = -1
        """When the last scan ran. If the scan could not fence an id, because the log partition accepted no
        record, the id waits for the next scan."""
        self.expiry_at: int | None = None
        """When the next scan finds an idle transactional id that is to be forgotten (TXC-21)."""
        self.expired_at = -1
        """When the last scan for idle ids ran. If the scan could not forget an id, because no tombstone could
        be written, the id waits for the next scan."""
        self.board = MarkerBoard(self)
        self.leadership = CoordinatorPart(self)

    # -- for the marker channel ------------------------------------------------------------------------

    def leader_of(self, partition: str) -> int | None:
        return self.cluster.leader_of(partition)

    def knows(self, partition: str) -> bool:
        return self.cluster.knows(partition)

    def is_reachable(self, broker_id: int) -> bool:
        return self.cluster.is_reachable(broker_id)

    def log_partition(self, transactional_id: str) -> int:
        return partition_for(transactional_id, self.coordinator.partition_count)

    def coordinator_epoch(self, transactional_id: str) -> int | None:
        coordinator = self.coordinator
        if coordinator.lookup(transactional_id) is not Error.NONE:
            return None
        return coordinator.epoch_of(transactional_id)

    def has_metadata(self, transactional_id: str) -> bool:
        return transactional_id in self.coordinator.metadata

    # -- leadership of log partitions ------------------------------------------------------------------

    def lead(self, partition: int, epoch: int, since: int, now: int) -> Effects:
        """Take over a log partition for which this broker was elected at ``since`` (virtual ms): read the
        log, then serve the transactional ids in it (TXC-22). ``epoch``: the leader epoch."""
        # The broker may have led the partition before, but has no state until it has loaded the log.
        self._touch_all()
        self.markers.resign(partition)
        due = since + self.setup.configuration.loading_ms
        self.coordinator.begin_loading(partition, epoch, due)
        self._touch_all()
        if due > now:
            self.watch.emit(LoadingBegins, self.setup.name, partition_name(self.topic, partition), epoch, due)
            return []
        return self._load(partition, now)

    def resign(self, partition: int, now: int) -> Effects:
        """Give up a log partition that this broker no longer leads: forget the transactional ids in it and
        their markers (TXC-22)."""
        if partition not in self.coordinator.owned and partition not in self.coordinator.loading:
            return []
        self._touch_all()
        self.markers.resign(partition)
        self.coordinator.resign(partition)
        self.watch.emit(LogResigned, self.setup.name, partition_name(self.topic, partition))
        return self.settle(now)

    def _load(self, partition: int, now: int) -> Effects:
        epoch, due = self.coordinator.loading[partition]
        name = partition_name(self.topic, partition)
        images = newest_images(self.replicas[name].log.batches)
        if due == now or images:
            self.watch.emit(LogLoaded, self.setup.name, name, epoch, tuple(sorted(images)))
        else:
            self.watch.emit(EmptyLogLoaded, self.setup.name, name, epoch)
        self.coordinator.elect(partition, epoch, images, now)
        self._touch_all()
        return self.settle(now)

    def preset(self, transactional_id: str, image: Image) -> None:
        """For the initial state of a run: the coordinator's cache has this transactional id (GEN-7)."""
        self.coordinator.metadata[transactional_id] = TransactionMetadata.loaded(transactional_id, image)
        self._plan(0)

    # -- the coordinator's effects ---------------------------------------------------------------------

    def settle(self, now: int) -> Effects:
        """Carry out the coordinator's effects and pass finished markers to it, until none is left."""
        effects: Effects = []
        outbox, markers = self.coordinator.outbox, self.markers
        while outbox or markers.finished:
            if not outbox:
                self.touch_id(markers.finished[0])
                self.coordinator.all_markers_acknowledged(markers.finished.pop(0))
                continue
            wanted = outbox.pop(0)
            if isinstance(wanted, Answer):
                if isinstance(wanted.to, Asked):
                    effects.append(wanted.to.answered(wanted))
                elif isinstance(wanted.to, JoinAsked):
                    effects += wanted.to.answered(wanted)
            elif isinstance(wanted, Write):
                self.touch_id(wanted.transactional_id)
                effects.extend(self._write(wanted, now))
            elif isinstance(wanted, SendMarkers):
                # A transaction may include a partition of `__consumer_offsets` that no request has used yet.
                idle = self.cluster.idle
                effects += [UsePartition(name) for name in wanted.partitions if name in idle]
                markers.hand_over(wanted)
                self._want_pass(now)
            else:
                self._completed(wanted)
        if markers.unblocked:
            self._want_pass(now)
        elif self.coordinator.completions_to_retry or markers.again:
            self._want_pass(now + self.setup.configuration.marker_retry_ms)
        self._plan(now)
        if self.watch.recording:
            self.watch.touch(self.board)
        return effects

    def _write(self, wanted: Write, now: int) -> Effects:
        number = partition_for(wanted.transactional_id, self.coordinator.partition_count)
        image, level = wanted.image, self.cluster.transaction_version
        metadata = self.coordinator.metadata.get(wanted.transactional_id)
        timeout_ms = metadata.timeout_ms if metadata is not None else self.coordinator.max_timeout_ms
        return self.appending.for_broker(
            {partition_name(self.topic, number): batch_of(wanted.transactional_id, image, now, level)},
            (self, (wanted.token, wanted.transactional_id)),
            now,
            timeout_ms=timeout_ms,
            acks=ACKS_ALL if self.setup.switches.transaction_log_acks_all else 1,
        )

    def appended(self, argument: Any, answers: dict[str, PartitionProduceResponse], now: int) -> Effects:
        """The append of a transactional id's image has ended: give the result to the coordinator (TXC-5).
        ``argument``: (token of the write, transactional id)."""
        token, transactional_id = argument
        (answer,) = answers.values()
        self.touch_id(transactional_id)
        self.coordinator.written(token, answer.error, now)
        metadata = self.coordinator.metadata.get(transactional_id)
        taken_back = metadata is not None and metadata.pending_state is None
        if answer.error is Error.NONE or taken_back:
            became = ImageFate.NOT_WRITTEN
            if answer.error is Error.NONE:
                gone = metadata is None and self.coordinator.lookup(transactional_id) is Error.NONE
                alone = not self.setup.switches.transaction_log_acks_all
                became = (
                    ImageFate.TOMBSTONE if gone else ImageFate.COUNTED_ALONE if alone else ImageFate.DURABLE
                )
            state = None if metadata is None else metadata.state
            self.watch.emit(
                ImageAppended,
                self.setup.name,
                transactional_id,
                state,
                None if metadata is None else metadata.producer_epoch,
                answer.error,
                became,
                decided=answer.error is Error.NONE and state in DECIDED,
            )
        return self.settle(now)

    def _completed(self, done: Completed) -> None:
        if done.error is not Error.NONE:
            self.watch.emit(CompletionNotWritten, self.setup.name, done.transactional_id, done.error)

    def on_announcement(self, now: int) -> None:
        """Plan a pass of the marker sender after the controller has announced a decision: the leader of a
        parked marker, which could not be reached, may be reachable now (MRK-3)."""
        if self.markers.parked:
            self._want_pass(now + self.setup.configuration.marker_retry_ms)

    # -- markers ---------------------------------------------------------------------------------------

    def _want_pass(self, at: int) -> None:
        if self.pass_at is None or at < self.pass_at:
            self.pass_at = at

    def _run_pass(self, now: int) -> Effects:
        """Run one pass of the marker sender (MRK-3): send the queued markers to the brokers that are
        connected, and connect to the others."""
        self.pass_at = None
        markers = self.markers
        self.coordinator.retry_completions()
        markers.look_again()
        effects: Effects = []
        for broker_id in markers.wanted_brokers():
            peer = f"broker-{broker_id}"
            if broker_id in self.connected:
                request = self.outgoing.next_correlation()
                deadline = now + self.setup.configuration.marker_request_timeout_ms
                entries = markers.drain(broker_id, request, deadline)
                effects.append(Send(peer, WriteTxnMarkersRequest(entries=entries), request))
            elif broker_id not in self.connecting:
                self.connecting.add(broker_id)
                effects.append(Connect(peer, FOR_MARKERS))
        return effects + self.settle(now)

    def on_connected(self, broker_id: int, now: int) -> Effects:
        self.connecting.discard(broker_id)
        self.connected.add(broker_id)
        return self._run_pass(now) if self.markers.queues.get(broker_id) else []

    def on_disconnected(self, broker_id: int, now: int) -> Effects:
        """The connection ended: queue the markers in flight on it again (MRK-9)."""
        self.connected.discard(broker_id)
        if broker_id in self.connecting:
            self.connecting.discard(broker_id)
            self.markers.park(broker_id)
        self.markers.on_disconnected(broker_id)
        return self.settle(now)

    def handle_marker_response(self, envelope: Envelope, now: int) -> Effects:
        response = envelope.body
        if type(response) is not WriteTxnMarkersResponse:
            raise EngineError(f"{self.setup.name}: {response!r} is no answer to markers")
        self.markers.on_response(broker_number(envelope.source), envelope.correlation_id, response)
        return self.settle(now)

    def handle_verify(self, envelope: Envelope, now: int) -> Effects:
        """Handle a request in which a leader asks whether partitions belong to open transactions, or asks to
        add them (KIP-890)."""
        request = envelope.body
        if type(request) is not VerifyPartitionsRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a question about partitions")
        joining = Joining(envelope.source, envelope.correlation_id, len(request.entries))
        effects: Effects = []
        for asked in request.entries:
            if asked.verify_only:
                errors = verify(self.coordinator, asked)
                refused = {name: error for name, error in errors.items() if error is not Error.NONE}
                self.watch.emit(
                    PartitionsVerified,
                    self.setup.name,
                    envelope.source,
                    asked.transactional_id,
                    tuple(refused) or asked.partitions,
                    next(iter(refused.values()), Error.NONE),
                )
                effects += joining.found(asked.transactional_id, errors)
                continue
            self.coordinator.add_partitions(
                JoinAsked(joining, asked),
                asked.transactional_id,
                asked.producer_id,
                asked.producer_epoch,
                frozenset(asked.partitions),
                now,
                RAISING_VERSION,
            )
            self.touch_id(asked.transactional_id)
        return effects + self.settle(now)

    # -- time ------------------------------------------------------------------------------------------

    def _plan(self, now: int) -> None:
        """Compute when the next scan finds an expired transaction, and when the next one finds an idle id
        (TXC-20, TXC-21)."""
        configuration = self.setup.configuration
        open_until: int | None = None
        idle_from: int | None = None
        for metadata in self.coordinator.metadata.values():
            if metadata.pending_state is not None:
                continue
            if metadata.state in OPEN:
                over = metadata.start_ms + metadata.timeout_ms
                if over < now and metadata.producer_epoch == SHORT_MAX:
                    continue  # Every scan finds this id and cannot fence it (TXC-11); only one scan becomes a step.
                open_until = over if open_until is None or over < open_until else open_until
            elif metadata.state in EXPIRING:
                since = metadata.last_update_ms
                idle_from = since if idle_from is None or since < idle_from else idle_from
        self.scan_at = self.expiry_at = None
        if open_until is not None:
            interval = configuration.transaction_scan_interval_ms
            found_from = max((open_until // interval + 1) * interval, now)
            self.scan_at = max(-(-found_from // interval), self.scanned_at // interval + 1) * interval
        if idle_from is not None:
            interval = configuration.transactional_id_scan_interval_ms
            at = idle_from + configuration.transactional_id_expiration_ms
            self.expiry_at = max(-(-at // interval), self.expired_at // interval + 1) * interval

    def next_timer(self) -> int | None:
        """The earliest time at which the host has to act (virtual ms), or None. The expiry of ids has a timer
        of its own (``expiry_at``)."""
        first = self.scan_at
        if self.pass_at is not None and (first is None or self.pass_at < first):
            first = self.pass_at
        if self.coordinator.loading:
            due = self.coordinator.next_loading()
            if first is None or (due is not None and due < first):
                first = due
        if self.markers.in_flight:
            for request in self.markers.in_flight.values():
                if first is None or request.deadline < first:
                    first = request.deadline
        return first

    def on_timer(self, now: int) -> Effects:
        effects: Effects = []
        for partition, (_, due) in sorted(self.coordinator.loading.items()):
            if due <= now:
                effects += self._load(partition, now)
        for broker_id, request in sorted(self.markers.in_flight.items()):
            if request.deadline <= now:
                timeout = self.setup.configuration.marker_request_timeout_ms
                self.watch.emit(MarkersTimedOut, self.setup.name, f"broker-{broker_id}", timeout)
                effects.append(Disconnect(f"broker-{broker_id}", FOR_MARKERS))
        if self.scan_at is not None and self.scan_at <= now:
            self.scanned_at = now
            self.coordinator.abort_timed_out(now, self.setup.configuration.transaction_scan_interval_ms)
            self._touch_all()
            effects += self.settle(now)
        if self.pass_at is not None and self.pass_at <= now:
            effects += self._run_pass(now)
        return effects

    def on_background_timer(self, now: int) -> Effects:
        """Forget transactional ids that were idle for too long (TXC-21)."""
        if self.expiry_at is None or self.expiry_at > now:
            return []
        self.expired_at = now
        self._touch_all()
        self.coordinator.expire_ids(now)
        return self.settle(now)

    def crash(self) -> None:
        """Everything in memory is lost; the log stays."""
        self._touch_all()
        self.coordinator.crash()
        self.markers.crash()
        self.connected.clear()
        self.connecting.clear()
        self.pass_at = self.scan_at = self.expiry_at = None
        if self.watch.recording:
            self.watch.touch(self.board)
            self.watch.touch(self.leadership)

    # -- the view --------------------------------------------------------------------------------------

    def touch_id(self, transactional_id: str) -> None:
        if self.watch.recording:
            self.watch.touch(TransactionPart(self, transactional_id))

    def _touch_all(self) -> None:
        if self.watch.recording:
            for transactional_id in self.coordinator.metadata:
                self.touch_id(transactional_id)
            self.watch.touch(self.board)
            self.watch.touch(self.leadership)

    def parts(self) -> list[Part]:
        return [
            self.leadership,
            self.board,
            *(TransactionPart(self, name) for name in self.coordinator.metadata),
        ]


class CoordinatorPart:
    """The log partitions that a broker coordinates or is loading, at ``brokers.<id>.coordinator`` of the view."""

    __slots__ = ("host", "path")

    def __init__(self, host: TransactionHost) -> None:
        self.host = host
        self.path: Path = (*host.setup.path, "coordinator")

    def view(self) -> CoordinatorView | None:
        host = self.host
        if not host.coordinator.owned and not host.coordinator.loading:
            return None
        return {
            "coordinator_epochs": {
                str(number): epoch for number, epoch in sorted(host.coordinator.owned.items())
            },
            "loading": {str(number): due for number, (_, due) in sorted(host.coordinator.loading.items())},
        }


class MarkerBoard:
    """The markers that a broker has to send, at ``brokers.<id>.markers``."""

    __slots__ = ("host", "path")

    def __init__(self, host: TransactionHost) -> None:
        self.host = host
        self.path: Path = (*host.setup.path, "markers")

    def view(self) -> MarkerBoardView | None:
        return self.host.markers.view()


class TransactionPart:
    """One transactional id at its coordinator, at ``brokers.<id>.transactions.<transactional id>``."""

    __slots__ = ("host", "path", "transactional_id")

    def __init__(self, host: TransactionHost, transactional_id: str) -> None:
        self.host = host
        self.transactional_id = transactional_id
        self.path: Path = (*host.setup.path, "transactions", transactional_id)

    def view(self) -> TransactionView | None:
        coordinator = self.host.coordinator
        metadata: TransactionMetadata | None = coordinator.metadata.get(self.transactional_id)
        if metadata is None or coordinator.lookup(self.transactional_id) is not Error.NONE:
            return None
        is_open = metadata.state in OPEN
        return {
            "state": metadata.state,
            "pending_state": metadata.pending_state,
            "producer_id": metadata.producer_id,
            "last_producer_id": _known(metadata.last_producer_id),
            "producer_epoch": metadata.producer_epoch,
            "last_producer_epoch": _known(metadata.last_producer_epoch),
            "timeout_ms": metadata.timeout_ms,
            "partitions": sorted(metadata.partitions),
            "started_at": _known(metadata.start_ms),
            "times_out_at": metadata.start_ms + metadata.timeout_ms if is_open else None,
            "last_update": metadata.last_update_ms,
            "failed_epoch_fence": metadata.failed_epoch_fence,
            "coordinator_epoch": coordinator.epoch_of(self.transactional_id),
            "log_partition": partition_for(self.transactional_id, coordinator.partition_count),
        }


def _known(number: int) -> int | None:
    return None if number == -1 else number
