"""The producer client: a role with two sides, the calls of the application and the Sender (GEN-3, GEN-4).

It owns the current incarnation, and passes every event to the incarnation's parts: calls of the application,
deliveries, connections, timers, passes of the Sender.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.client import control_answers
from engine.client.accumulator import Appended
from engine.client.application import (
    CLOSE,
    CLOSED_ERROR,
    DONE,
    FLUSH,
    FORCE_CLOSE,
    SEND,
    SEND_OFFSETS,
    TRANSACTIONAL,
    Call,
)
from engine.client.configuration import SETTINGS, ProducerConfig, check_setting, resolve
from engine.client.connections import CONNECTED, CorrelationIds, InFlightRequest
from engine.client.incarnation import Incarnation
from engine.client.ledger import Ledger
from engine.client.record_size import NULL_LENGTH, batch_size_upper_bound, payload_size
from engine.client.refused_calls import SEND_CHECKS, refuse, refuse_as
from engine.client.setup import Setup
from engine.client.thrown import CallThrows
from engine.client.transaction_calls import ASKS, register_partition
from engine.client.view_parts import ConfigurationPart, FieldPart, GonePart, TimersPart
from engine.errors import ClientError, Error, Refused
from engine.happenings.codes import Compared
from engine.happenings.producer import (
    CloseCalled,
    ClosedWithoutSender,
    CloseForced,
    Disconnected,
    FlushCalled,
    MetadataLearned,
    RecordAppended,
    Refusal,
    RequestTimedOut,
    Restarted,
    TransactionalCall,
    UnexpectedAnswer,
)
from engine.messages import (
    FOR_ALL_ELSE,
    Disconnect,
    Effects,
    Envelope,
    InitProducerIdResponse,
    MetadataResponse,
    ProduceResponse,
    broker_number,
)
from engine.profile import Profile
from engine.switches import Switches
from engine.topic_partition import topic_of
from engine.watching import Part, Watch


class ProducerClient:
    """A producer. ``settings``: dict of name → value (CFG-1). ``brokers``: ids of the brokers that it may
    connect to first.

    Raises :class:`Refused` as :func:`resolve` does (CFG-6).
    """

    def __init__(
        self,
        name: str,
        settings: dict[str, Any],
        profile: Profile,
        switches: Switches,
        watch: Watch,
        ledger: Ledger,
        brokers: Iterable[int] = (),
    ) -> None:
        self.name = name
        self.settings = dict(settings)
        self.profile = profile
        self._registers_last = profile.registers_after_append
        """Whether ``send()`` adds the partition to the transaction after it has appended the record (TXM-8)."""
        self._refuses_before, self._refuses_after = SEND_CHECKS[profile.checks_after_append]
        self._overdue_is_timed_out = profile.overdue_is_timed_out
        self.switches = switches
        self.watch = watch
        self.ledger = ledger
        self.brokers = tuple(brokers)
        self.place = f"producers.{name}.settings"
        self.alive = True
        self.paused = False
        self.incarnation = 1
        self.call_state = DONE
        self.finished_calls: list[Call] = []
        """Blocked calls that ended since the kernel last emptied this list."""
        self._leaders: dict[str, int | None] = {}
        self._numbers = CorrelationIds()
        self._build(resolve(self.settings, profile, switches, self.place))

    def _build(self, config: ProducerConfig) -> None:
        setup = Setup(self.name, config, self.profile, self.switches, self.watch, self.ledger)
        self.memory = Incarnation(setup, self.brokers, self.finished_calls, self._numbers)
        self._fields = [
            FieldPart(self, "alive"),
            FieldPart(self, "paused"),
            FieldPart(self, "incarnation"),
            FieldPart(self, "closed"),
            FieldPart(self, "flush_in_progress"),
        ]
        self._extras: list[Part] = [ConfigurationPart(self), self.memory.readiness, TimersPart(self)]
        self._flags = (False, False)

    @property
    def config(self) -> ProducerConfig:
        return self.memory.config

    @property
    def closed(self) -> bool:
        return self.memory.accumulator.closed

    @property
    def flush_in_progress(self) -> bool:
        return self.memory.accumulator.flushes > 0

    @property
    def busy(self) -> bool:
        """Whether the producer has an unfinished batch or call, or a control request that can still be sent
        or answered (GEN-2)."""
        memory = self.memory
        transactions = memory.transactions
        if not self.alive:
            return False
        if memory.accumulator.incomplete or memory.calls.closing or memory.calls.awaiting:
            return True
        if transactions is None or transactions.has_fatal_error or memory.poll.stopped:
            return False
        held = memory.channel is not None and memory.channel.held is not None
        return held or bool(transactions.in_flight or transactions.requests)

    @property
    def owes(self) -> bool:
        """Whether a record has no outcome yet, or a call has not returned."""
        memory = self.memory
        calls = memory.calls
        return self.alive and bool(memory.accumulator.incomplete or calls.closing or calls.awaiting)

    # -- presets (GEN-7) -------------------------------------------------------------------------------

    def preset_metadata(self, leaders: dict[str, int | None], brokers: Iterable[int] = ()) -> None:
        """For the initial state of a run: the producer already knows these leaders and brokers. The order of
        ``leaders`` is the order in which partitions are drained."""
        self.brokers = tuple(brokers) or self.brokers
        self.memory.metadata.preset(dict(leaders), self.brokers)

    def preset_connected(self, peers: Iterable[str]) -> None:
        """For the initial state of a run: the connections to these brokers (``broker-1``) are open."""
        for peer in peers:
            self.memory.connections.connected(broker_number(peer))

    def learn_features(self, epoch: int, transaction_version: int) -> None:
        """Take the cluster's feature levels from a broker's ApiVersions response, which comes with every
        connection (KIP-584)."""
        if self.memory.transactions is not None:
            self.memory.transactions.learn_features(epoch, transaction_version)

    def preset_identity(self, producer_id: int, producer_epoch: int) -> None:
        """For the initial state of a run: the producer has this PID and epoch, without a request for them."""
        transactions = self._transactions("producer_id")
        transactions.preset(producer_id, producer_epoch)

    def preset_sequence(self, partition: str, next_sequence: int) -> None:
        """For the initial state of a run: the sequence numbers of this partition begin at ``next_sequence``,
        with the identity that the producer will get."""
        self._transactions("next_sequence").entry(partition).preset(next_sequence)

    def _transactions(self, what: str) -> Any:
        if self.memory.transactions is None:
            raise Refused("GEN-7", f"overrides.{self.name}.{what}", "no_identity", client=self.name)
        return self.memory.transactions

    # -- settings --------------------------------------------------------------------------------------

    def check_setting(self, name: str, value: Any) -> None:
        """Raises :class:`Refused` when ``name`` cannot be set to ``value`` while the producer runs."""
        checked = check_setting(name, value, self.place)
        if not SETTINGS[name].changeable:
            changeable = [known for known, setting in SETTINGS.items() if setting.changeable]
            raise Refused("CFG-1", f"{self.place}.{name}", "setting_stays", setting=name, known=changeable)
        resolve({**self.settings, name: checked}, self.profile, self.switches, self.place, self.config)

    def reconfigure(self, name: str, value: Any, now: int) -> Any:
        """Change a setting of the running producer; returns its previous value."""
        self.check_setting(name, value)
        before = getattr(self.config, name)
        self.settings[name] = value
        memory = self.memory
        memory.config.adopt(resolve(self.settings, self.profile, self.switches, self.place, self.config))
        if memory.connections.limit != memory.config.max_in_flight:
            memory.connections.set_limit(memory.config.max_in_flight)
        memory.poll.wake(now)
        self._touch_all()
        return before

    # -- calls of the application ----------------------------------------------------------------------

    def call(self, call: Call, now: int) -> Effects:
        """Carry out a call of the application. After that, ``call.state`` and ``call_state`` hold its
        result."""
        call.since = now
        call.state = DONE
        if not self.alive:
            refuse(call, self.name, self.watch, Refusal.CRASHED, "PRODUCER_CRASHED", "GEN-6")
        else:
            _CALLS.get(call.kind, ProducerClient._unknown)(self, call, now)
        self.call_state = call.state
        if self.watch.recording and (call.kind != SEND or call.state != DONE):
            self._touch_flags()
        return self._effects()

    def _send(self, call: Call, now: int) -> None:
        """``send()``: append to the accumulator, or wait for memory (ACC-1, ACC-2)."""
        memory = self.memory
        args = call.args
        partition, serial, size = args["partition"], args["serial"], args["size"]
        key = args.get("key")
        payload = payload_size(NULL_LENGTH if key is None else len(key.encode()), size)
        if self._refuses_send(call, payload):
            self.ledger.refused(self.name, partition, serial, size, call.error or "", now)
            return
        memory.metadata.topics[topic_of(partition)] = None
        registered = not self._registers_last and register_partition(memory.transactions, partition)
        appended = memory.accumulator.append(partition, serial, payload, now)
        if appended is None:
            memory.waiters.wait(call, payload, now)
            return
        if key is not None:
            appended.batch.keys[serial] = key
        self.ledger.accepted(self.name, partition, serial, size, now)
        if self.watch.hears(RecordAppended):
            self._emit_appended(serial, appended)
        refused = self._refuses_after(call, memory.transactions, self.name, self.watch)
        if self._registers_last and not refused:
            registered = register_partition(memory.transactions, partition)
        if appended.new_batch or appended.batch_is_full or registered:
            memory.poll.wake(now)

    def _emit_appended(self, serial: int, appended: Appended) -> None:
        batch = appended.batch
        self.watch.emit(
            RecordAppended,
            self.name,
            serial,
            batch.partition,
            batch.id,
            count=batch.record_count,
            bytes=batch.bytes,
            capacity=batch.capacity,
            starts_batch=appended.new_batch,
        )
        if appended.new_batch or appended.batch_is_full:
            self.watch.touch(self._extras[-1])

    def _refuses_send(self, call: Call, payload: int) -> bool:
        """Make the checks before the append (ACC-2, step 1; ACC-24; TXM-5). True: the call throws."""
        memory = self.memory
        if memory.accumulator.closed:
            compared = (Compared.STATE, "CLOSED")
            refuse(call, self.name, self.watch, Refusal.SEND_AFTER_CLOSE, CLOSED_ERROR, "ACC-2", compared)
            return True
        if self._refuses_before(call, memory.transactions, self.name, self.watch):
            return True
        needed = batch_size_upper_bound(payload)
        limit = min(memory.config.max_request_size, memory.config.buffer_memory)
        if needed > limit:
            refuse(
                call,
                self.name,
                self.watch,
                Refusal.RECORD_TOO_LARGE,
                ClientError.RECORD_TOO_LARGE.name,
                "ACC-24",
                (Compared.RECORD_BYTES, needed),
                (Compared.LIMIT, limit),
            )
            if memory.transactions is not None:
                memory.transactions.send_failed(ClientError.RECORD_TOO_LARGE)
            return True
        return False

    def _flush(self, call: Call, now: int) -> None:
        self.watch.emit(FlushCalled, self.name, len(self.memory.accumulator.incomplete))
        self.memory.calls.begin_flush(call, now)

    def _close(self, call: Call, now: int) -> None:
        """Close: queued records are sent first (SND-14). If the Sender has ended, the call returns at once."""
        if self.memory.poll.stopped:
            self.memory.accumulator.closed = True
            self.watch.emit(ClosedWithoutSender, self.name)
            return
        self.watch.emit(CloseCalled, self.name, len(self.memory.accumulator.incomplete))
        self.memory.calls.begin_close(call, now)

    def _force_close(self, call: Call, now: int) -> None:
        """Close by force: batches and calls fail at once (SND-14)."""
        memory = self.memory
        self.watch.emit(CloseForced, self.name, len(memory.accumulator.incomplete))
        memory.accumulator.closed = True
        memory.calls.fail_all(CLOSED_ERROR)
        memory.completion.abort_all(CLOSED_ERROR, now)
        for peer in memory.connections.hang_up(now):
            memory.outbox.add(Disconnect(peer))
        memory.poll.stopped = True
        if memory.transactions is not None:
            memory.transactions.abandon_calls(Error.NETWORK_EXCEPTION)

    def _transactional(self, call: Call, now: int) -> None:
        """Carry out a transactional call (TXM-5..TXM-7, TXM-10)."""
        memory = self.memory
        transactions = memory.transactions
        if transactions is None or not transactions.is_transactional:
            compared = (Compared.TRANSACTIONAL_ID, "none")
            rule, why = "TXM-1" if transactions is None else "TXM-5", Refusal.NEEDS_TRANSACTIONAL_ID
            refuse(call, self.name, self.watch, why, "ILLEGAL_STATE", rule, compared)
            return
        if memory.accumulator.closed:
            compared = (Compared.STATE, "CLOSED")
            refuse(call, self.name, self.watch, Refusal.CALL_AFTER_CLOSE, CLOSED_ERROR, "TXM-5", compared)
            return
        before = transactions.state
        try:
            result = ASKS[call.kind](transactions, call)
        except CallThrows as refused:
            refuse_as(call, refused, self.name, self.watch)
            return
        if self.watch.hears(TransactionalCall):
            self.watch.emit(
                TransactionalCall,
                self.name,
                call.kind,
                transactions.transactional_id,
                unfinished=len(memory.accumulator.incomplete),
                group=call.args.get("group", ""),
                offsets=tuple(call.args.get("offsets", {}).items()),
                resumed=before == transactions.state and call.kind != SEND_OFFSETS,
            )
        if result is not None:
            memory.calls.await_result(call, result, now)

    def _unknown(self, call: Call, now: int) -> None:
        compared = (Compared.CALL, call.kind)
        refuse(call, self.name, self.watch, Refusal.UNKNOWN_CALL, "ILLEGAL_STATE", "TXM-5", compared)

    # -- the kernel's calls ----------------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a response. If its request is in flight, it wakes the Sender (SND-1)."""
        memory = self.memory
        body = envelope.body
        request = memory.connections.answered(broker_number(envelope.source), envelope.correlation_id)
        if request is None:
            self.watch.emit(UnexpectedAnswer, self.name, envelope.source, envelope.correlation_id)
            return self._effects()
        if isinstance(body, ProduceResponse):
            memory.answers.response(request, body, now)
        elif isinstance(body, MetadataResponse):
            self._metadata_answered(body, now)
        elif memory.identity is not None and memory.control_answers is not None:
            if isinstance(body, InitProducerIdResponse) and memory.config.transactional_id is None:
                memory.identity.answered(body, now)
            elif isinstance(body, control_answers.ANSWERS):
                memory.control_answers.answered(body)
        memory.poll.wake(now)
        if self.watch.recording:
            self._touch_flags()
        return self._effects()

    def _metadata_answered(self, body: MetadataResponse, now: int) -> None:
        self.watch.emit(MetadataLearned, self.name, self.memory.metadata.update(body, now))

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        """Note that a connection is open. A producer uses one connection to each broker for all its
        requests."""
        self.memory.connections.connected(broker_number(peer))
        self.memory.poll.wake(now)
        return self._effects()

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """Note that a connection ended, or could not be made: everything in flight on it is lost (GEN-5)."""
        return self._disconnected(peer, now, overdue=False)

    def _disconnected(self, peer: str, now: int, *, overdue: bool) -> Effects:
        connection = self.memory.connections.to(broker_number(peer))
        if not self.alive or connection.state == "disconnected":
            return self._effects()
        first, was_open = connection.failures == 0, connection.state == CONNECTED
        lost = self.memory.connections.disconnected(connection.node, now)
        if first:
            self.watch.emit(Disconnected, self.name, peer, len(lost), was_open)
        error = Error.REQUEST_TIMED_OUT if overdue else Error.NETWORK_EXCEPTION
        for request in lost:
            self._lost(request, error, now)
        self.memory.metadata.request_update()
        self.memory.poll.wake(now)
        if self.watch.recording:
            self._touch_flags()
        return self._effects()

    def _lost(self, request: InFlightRequest, error: Error, now: int) -> None:
        memory = self.memory
        if request.api == "Produce":
            memory.answers.lost(request, error, now)
        elif request.api == "Metadata":
            memory.metadata.request_failed()
        elif memory.identity is not None and memory.control_answers is not None:
            if memory.config.transactional_id is None:
                memory.identity.lost(request, now)
            else:
                memory.control_answers.lost()

    def next_timer(self) -> int | None:
        """The earliest timeout of a request or deadline of a waiting call (virtual ms), or None."""
        if not self.alive:
            return None
        timeout = self.memory.connections.next_deadline()
        if self.memory.calls.awaiting:
            call = self.memory.calls.next_deadline()
            timeout = call if timeout is None or (call is not None and call < timeout) else timeout
        pool = self.memory.accumulator.pool
        if not pool.waiters:
            return timeout
        wait = pool.next_deadline()
        if timeout is None or wait is None:
            return wait if timeout is None else timeout
        return min(timeout, wait)

    def on_timer(self, now: int) -> Effects:
        """Close the connections of overdue requests (SND-7); calls past ``max_block_ms`` fail (ACC-5)."""
        memory = self.memory
        effects: Effects = []
        for connection in memory.connections.timed_out(now):
            self.watch.emit(
                RequestTimedOut,
                self.name,
                connection.peer,
                memory.config.request_timeout_ms,
                len(connection.in_flight),
            )
            effects.append(Disconnect(connection.peer))
            effects += self._disconnected(connection.peer, now, overdue=self._overdue_is_timed_out)
        memory.waiters.expire(now)
        if memory.calls.awaiting:
            memory.calls.expire(now)
        memory.poll.wake(now)
        if self.watch.recording:
            self._touch_flags()
        return effects + self._effects()

    def pass_due(self) -> int | None:
        """When the next pass of the Sender may start (virtual ms). None: only after a wake-up, or the client is down
        or closed."""
        return self.memory.sender.due() if self.alive else None

    def run_phase(self, now: int) -> tuple[Effects, bool]:
        """Run the Sender's phases until one did something. Returns the effects, and whether the pass
        continues (False: it has ended)."""
        memory = self.memory
        more = memory.sender.run_phase(now)
        watch = self.watch
        if watch.recording and watch.said is not None:
            memory.sender.show()
            memory.readiness.show()
            watch.touch(memory.sender)
            watch.touch(memory.readiness)
            self._touch_flags()
        return self._effects(), more

    def crash(self, now: int) -> None:
        """Lose the memory: queues, sequence numbers, identity (GEN-6)."""
        memory = self.memory
        for batch in memory.accumulator.incomplete.values():
            self.ledger.abandoned(tuple(batch.serials), now)
        memory.calls.fail_all("PRODUCER_CRASHED")
        self.alive = False
        self.paused = False
        for part in self.parts():
            self.watch.touch(GonePart(part.path))
        self._build(resolve(self.settings, self.profile, self.switches, self.place))
        for part in self.parts():
            self.watch.touch(part)

    def start(self, now: int) -> None:
        """Let the Sender begin its first pass at once, before any record is sent (PID-11, PID-12)."""
        self.memory.poll.wake(now)

    def restart(self, now: int) -> Effects:
        """Start a new process with the same name and an empty memory (PID-10)."""
        self.alive = True
        self.incarnation += 1
        if self.memory.transactions is not None:
            self.watch.emit(Restarted, self.name, bool(self.memory.config.transactional_id))
        self.memory.poll.wake(now)
        self._touch_all()
        return self._effects()

    def pause(self, now: int) -> None:
        """Mark the producer as paused in the view. The kernel holds back its timers, calls and deliveries
        (GEN-6)."""
        self.paused = True
        self._touch_all()

    def resume(self, now: int) -> None:
        self.paused = False
        self._touch_all()

    def parts(self) -> Iterable[Part]:
        """All parts of the view that belong to this client."""
        memory = self.memory
        accumulator = memory.accumulator
        parts: list[Part] = [*self._fields, *self._extras, memory.sender, memory.metadata, accumulator.pool]
        parts += accumulator.queues.values()
        parts += accumulator.incomplete.values()
        parts += memory.completion.over
        for connection in memory.connections.by_node.values():
            parts.append(connection)
            parts += connection.in_flight
        if memory.transactions is not None:
            parts.append(memory.transactions)
            parts += memory.transactions.partitions.values()
        return parts

    def _touch_all(self) -> None:
        """Mark the small parts of the view as changed that a new process or a new setting may have changed."""
        for part in (*self._fields, *self._extras, self.memory.sender):
            self.watch.touch(part)

    def _touch_flags(self) -> None:
        """Mark the parts of the view as changed that a call or a response may have changed."""
        self.watch.touch(self._extras[-1])
        accumulator = self.memory.accumulator
        flags = (accumulator.closed, accumulator.flushes > 0)
        if flags != self._flags:
            self._flags = flags
            for field in self._fields:
                self.watch.touch(field)

    def _effects(self) -> Effects:
        memory = self.memory
        if memory.calls.awaiting:
            memory.calls.settle()
        return memory.outbox.take()


_CALLS = {
    SEND: ProducerClient._send,
    FLUSH: ProducerClient._flush,
    CLOSE: ProducerClient._close,
    FORCE_CLOSE: ProducerClient._force_close,
    **dict.fromkeys(TRANSACTIONAL, ProducerClient._transactional),
}
