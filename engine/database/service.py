"""A service that writes to Kafka and to its database, round after round, in the order of its approach.

The service owns its state (machine ``SERVICE``) and the work in its memory; a crash loses both. Service,
producer and consumer are one process: they crash, restart and pause together. The service only makes calls
and sends statements; whether records, offsets and rows are stored depends on producer, consumer and database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.client.application import BLOCKED, FLUSH, REFUSED, SEND, Call
from engine.client.consumer import Consumer
from engine.client.handover import Polled
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.database import service_states as states
from engine.database.approaches import APPROACHES, ORDERS, OUTBOX
from engine.database.messages import (
    DATABASE,
    CommitRows,
    CommitRowsResponse,
    ReadOffsets,
    ReadOffsetsResponse,
    ReadOutbox,
    ReadOutboxResponse,
    RollBackRows,
    RollBackRowsResponse,
    WriteRows,
    WriteRowsResponse,
)
from engine.errors import EngineError
from engine.events import WorkDropped, WorkTaken
from engine.happenings.database import (
    CommitAsked,
    CommitConfirmed,
    ConnectionLost,
    KeptOffsetsAsked,
    KeptOffsetsTaken,
    OffsetsHanded,
    OrderTaken,
    OutboxAsked,
    OutboxTaken,
    RecordsFailed,
    RecordsTaken,
    RollBackAsked,
    RollBackConfirmed,
    RoundOver,
    RowsWritten,
    ServiceBack,
    ServiceEnded,
    ServiceStarted,
    WriteConfirmed,
)
from engine.happenings.machines import RowTaken
from engine.messages import FOR_ALL_ELSE, CommittedOffset, Disconnect, Effects, Envelope, Send
from engine.middleware.node import Node
from engine.shapes.database import ServiceView
from engine.watching import Watch

Done = list[tuple[str, Effects]]


class Service(Node):
    """One service. ``document``: one row of the scenario's ``services``. ``ledger``: the results of the
    records that producers sent."""

    role = "service"

    def __init__(
        self,
        document: Mapping[str, Any],
        producer: ProducerClient | None,
        consumer: Consumer | None,
        ledger: Ledger,
        watch: Watch,
    ) -> None:
        super().__init__(document["name"], watch)
        self.path = ("services", self.name)
        self.producer = producer
        self.consumer = consumer
        self.approach_name: str = document["approach"]
        self.approach = APPROACHES[self.approach_name]
        self.output: tuple[str, ...] = tuple(document["output"])
        self.batch: int = document["batch"]
        self.rounds: int = document["rounds"]
        self.size: int = document["size"]
        self.every: int = document["every"]
        self.timeout_ms: int = document["timeout_ms"]
        self.retry_ms: int = document["retry_ms"]
        self.not_before: int = document["at"]
        self.round = 1
        self.failures: set[int] = set() if producer is None else ledger.failures_of(producer.name)
        """Serials of the records that were sent and whose newest result is an error."""
        self._numbers = 0
        """The number of the newest request to the database. It continues after a crash, because the database
        ignores a number that it has seen."""
        self._forget(states.STARTING)

    def _forget(self, state: str) -> None:
        """Reset the memory of the process as at its start, and set ``state``."""
        self.state = state
        self.hand: list[int] = []
        self.places: dict[str, int] = {}
        """Dict of partition → the offset after its last record in memory."""
        self.act_number = -1
        self.sent = 0
        self.acted = False
        self.open = False
        """Whether the database holds an open local transaction of this service, as far as the service knows."""
        self.call: Call | None = None
        self.awaited = 0
        """The number of the request that has no response yet; 0: there is none."""
        self.asked_at: int | None = None

    def view(self) -> ServiceView:
        return {
            "alive": self.alive,
            "paused": self.paused,
            "approach": self.approach_name,
            "acts": list(self.approach.acts),
            "act": self.act_number if self.act_number >= 0 else None,
            "state": self.state,
            "round": min(self.round, self.rounds),
            "rounds": self.rounds,
            "hand": list(self.hand),
            "producer": None if self.producer is None else self.producer.name,
            "consumer": None if self.consumer is None else self.consumer.name,
            "asked_at": self.asked_at,
            "timeout_at": self.next_timer(),
        }

    @property
    def clients(self) -> tuple[str, ...]:
        """The names of the producer and the consumer of this process, as far as it has them."""
        return tuple(client.name for client in (self.producer, self.consumer) if client is not None)

    @property
    def uses(self) -> tuple[str, ...]:
        """The actors whose calls may lead to the service's next action; the service itself is one of them."""
        return (self.name, *self.clients)

    @property
    def finished(self) -> bool:
        return self.round > self.rounds

    # -- when ------------------------------------------------------------------------------------------

    def due(self, now: int) -> int | None:
        """When the service acts next (virtual ms); None: not before another event."""
        if not self.alive or self.awaited or (self.call is not None and self.call.state == BLOCKED):
            return None
        if self.state == states.IDLE and not self._has_work():
            return None
        if self.state == states.STORING and self.acted and self._group_busy():
            return None
        return max(now, self.not_before)

    def _has_work(self) -> bool:
        if self.finished:
            return False
        if self.consumer is None:
            return True
        return not self.consumer.rewinding and bool(self.consumer.handover.buffer)

    def _group_busy(self) -> bool:
        group = None if self.consumer is None else self.consumer.group
        return group is not None and group.busy

    def next_timer(self) -> int | None:
        """When the service stops waiting for the database (virtual ms); None: it does not wait."""
        return None if self.asked_at is None or not self.alive else self.asked_at + self.timeout_ms

    def on_timer(self, now: int) -> Effects:
        due = self.next_timer()
        if due is None or now < due:
            return []
        self._lost(now, timed_out=True)
        return [Disconnect(DATABASE)]

    # -- what ------------------------------------------------------------------------------------------

    def act(self, now: int, new_serial: Callable[[int], int], counts: Callable[[str, int], bool]) -> Done:
        """Do the next action. Returns each actor that was called, with the effects of the call.
        ``new_serial(round)`` returns the serial of the order that it takes in this round."""
        self.watch.touch(self)
        if self.state == states.IDLE:
            return self._take_work(now, new_serial)
        return _ACTIONS[self.state](self, now)

    def _situation(self, found: bool = False) -> states.Situation:
        acts = self.approach.acts
        following = self.act_number + 1
        return states.Situation(
            acts[following] if following < len(acts) else "", self.approach.keeps_offsets, found, self.open
        )

    def _take(self, on: str, now: int, found: bool = False) -> None:
        row = states.SERVICE.take(self.state, on, self._situation(found))
        self.state = row.target or self.state
        self.watch.emit(RowTaken, self.name, row)
        self.acted, self.sent, self.call = False, 0, None
        if self.state in states.OF_ACTS:
            self.act_number += 1
        elif self.state in states.WITHOUT_WORK:
            self._drop_work()
        self.watch.touch(self)

    def _drop_work(self) -> None:
        if self.hand:
            self.watch.emit(WorkDropped, service=self.name, serials=tuple(self.hand))
        self.hand, self.places, self.act_number = [], {}, -1

    def _end_round(self, now: int) -> None:
        """End a round. The next one begins after ``every`` ms at the earliest."""
        self.round += 1
        self.not_before = now + self.every

    def _ask(self, body: object, now: int) -> Done:
        self._numbers += 1
        self.awaited, self.asked_at = self._numbers, now
        return [(self.name, [Send(DATABASE, body, self._numbers)])]

    def _start(self, now: int) -> Done:
        if self.approach.keeps_offsets and self.consumer is not None:
            self._take(states.STARTED, now)
            return self._restore(now)
        self.watch.emit(ServiceStarted, self.name, self.approach_name)
        self._take(states.STARTED, now)
        if self.consumer is None:
            return []
        self.consumer.hold()
        self.consumer.poll_first(now)
        return [(self.consumer.name, [])]

    def _restore(self, now: int) -> Done:
        consumer = self._reader()
        consumer.hold()
        self.watch.emit(KeptOffsetsAsked, self.name, DATABASE, consumer.name)
        return self._ask(ReadOffsets(partitions=tuple(consumer.readings)), now)

    def _take_work(self, now: int, new_serial: Callable[[int], int]) -> Done:
        source = self.approach.source
        if source == OUTBOX:
            self._take(states.LOOKS, now)
            self.watch.emit(OutboxAsked, self.name, DATABASE)
            return self._ask(ReadOutbox(most=self.batch), now)
        if source == ORDERS:
            self._hold_work([(new_serial(self.round), None, None)])
            self.watch.emit(OrderTaken, self.name, self.hand[0], self.round)
        else:
            self.places = {one.partition: one.offset + 1 for one in self._take_records()}
        self._take(states.TOOK, now)
        return []

    def _take_records(self) -> list[Polled]:
        consumer = self._reader()
        taken = consumer.poll(self.batch)
        self._hold_work([(one.serial, one.partition, one.offset) for one in taken])
        records = tuple((one.partition, one.offset) for one in taken)
        self.watch.emit(RecordsTaken, self.name, consumer.name, self.round, records)
        return taken

    def _hold_work(self, work: list[tuple[int, str | None, int | None]]) -> None:
        self.hand += [serial for serial, _, _ in work]
        for serial, partition, offset in work:
            self.watch.emit(
                WorkTaken,
                service=self.name,
                serial=serial,
                partition=partition,
                offset=offset,
                keeper=None if partition is None else self._keeper(),
            )

    def _keeper(self) -> str:
        """The place that stores the offsets: ``database``, or ``group NAME`` for a group's committed offsets."""
        return DATABASE if self.approach.keeps_offsets else f"group {self._reader().group_id}"

    def _write(self, now: int) -> Done:
        approach, hand = self.approach, tuple(self.hand)
        statements = WriteRows(
            rows=() if approach.empties_outbox else hand,
            outbox=hand if approach.fills_outbox else (),
            removed=hand if approach.empties_outbox else (),
            offsets=tuple(self.places.items()) if approach.keeps_offsets else (),
        )
        self.open = True
        self.watch.emit(
            RowsWritten,
            self.name,
            DATABASE,
            statements.rows,
            statements.outbox,
            statements.removed,
            statements.offsets,
        )
        return self._ask(statements, now)

    def _commit(self, now: int) -> Done:
        if not self.open:
            # The connection ended while the service did something else, so the database has undone the rows.
            self._lost(now)
            return []
        self.watch.emit(CommitAsked, self.name, DATABASE)
        return self._ask(CommitRows(), now)

    def _roll_back(self, now: int) -> Done:
        self.watch.emit(RollBackAsked, self.name, DATABASE)
        return self._ask(RollBackRows(), now)

    def _send(self, now: int) -> Done:
        """Make one ``send()``, or ``flush()`` after the last one."""
        self._note_refused()
        if self.sent == len(self.hand):
            self._take(states.SENT, now)
            return self._flush(now)
        serial = self.hand[self.sent]
        self.sent += 1
        target = self.output[(serial - 1) % len(self.output)]
        return self._call(Call(SEND, {"partition": target, "serial": serial, "size": self.size}), now)

    def _flush(self, now: int) -> Done:
        call = self.call
        if call is None:
            return self._call(Call(FLUSH), now)
        failed = tuple(serial for serial in self.hand if serial in self.failures)
        if call.state == REFUSED or failed:
            self.watch.emit(RecordsFailed, self.name, self._writer().name, failed, self.open)
            self._take(states.SOME_FAILED, now)
            if self.state == states.STARTING:
                self._gives_up(now)
            return []
        return self._go_on(states.ALL_STORED, now)

    def _store_offsets(self, now: int) -> Done:
        """Let the consumer commit the offsets of the records in memory."""
        consumer = self._reader()
        if self.acted:
            return self._go_on(states.OFFSETS_STORED, now)
        self.acted = True
        offsets = {name: CommittedOffset(offset=offset) for name, offset in self.places.items()}
        consumer.commit(offsets, now)
        self.watch.emit(
            OffsetsHanded, self.name, consumer.name, str(consumer.group_id), tuple(self.places.items())
        )
        return [(consumer.name, [])]

    def _go_on(self, on: str, now: int) -> Done:
        """Begin the next act in the same step, or end the round."""
        hand = tuple(self.hand)
        self._take(on, now)
        if self.state == states.IDLE:
            self.watch.emit(RoundOver, self.name, self.round, hand)
            self._end_round(now)
            return []
        return _ACTIONS[self.state](self, now)

    def _call(self, call: Call, now: int) -> Done:
        writer = self._writer()
        self.call = call
        return [(writer.name, writer.call(call, now))]

    def _note_refused(self) -> None:
        """If the newest ``send()`` threw, note its record as failed, because such a record has no future."""
        call, self.call = self.call, None
        if call is not None and call.state == REFUSED:
            self.failures.add(call.args["serial"])

    def _reader(self) -> Consumer:
        if self.consumer is None:
            raise EngineError(f"{self.name}: the approach {self.approach_name} needs a consumer")
        return self.consumer

    def _writer(self) -> ProducerClient:
        if self.producer is None:
            raise EngineError(f"{self.name}: the approach {self.approach_name} needs a producer")
        return self.producer

    # -- responses of the database ---------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a response. If the service does not wait for it, nothing changes."""
        if envelope.correlation_id != self.awaited:
            return []
        self.awaited, self.asked_at = 0, None
        self.watch.touch(self)
        body: Any = envelope.body
        _ANSWERS[type(body)](self, body, now)
        return []

    def _restored(self, body: ReadOffsetsResponse, now: int) -> None:
        consumer = self._reader()
        known = dict(body.offsets)
        begins = {partition: known.get(partition, 0) for partition in consumer.readings}
        self.watch.emit(KeptOffsetsTaken, self.name, consumer.name, tuple(begins.items()))
        consumer.begin_at(begins, now)
        self._take(states.ANSWERED, now)

    def _outbox_read(self, body: ReadOutboxResponse, now: int) -> None:
        self.watch.emit(OutboxTaken, self.name, body.entries)
        self._hold_work([(serial, None, None) for serial in body.entries])
        self._take(states.ANSWERED, now, found=bool(body.entries))
        if self.state == states.IDLE:
            self._end_round(now)

    def _written(self, body: WriteRowsResponse, now: int) -> None:
        self.watch.emit(WriteConfirmed, self.name, DATABASE, body.repeated)
        self._take(states.ANSWERED, now)

    def _committed(self, body: CommitRowsResponse, now: int) -> None:
        self.open = False
        self.watch.emit(CommitConfirmed, self.name, DATABASE)
        self._take(states.ANSWERED, now)
        if self.state == states.IDLE:
            self._end_round(now)

    def _rolled_back(self, body: RollBackRowsResponse, now: int) -> None:
        self.open = False
        self.watch.emit(RollBackConfirmed, self.name, DATABASE)
        self._take(states.ANSWERED, now)
        self._gives_up(now)

    # -- failures --------------------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        return []

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """The connection to the database ended. A service without a request in progress notices this only
        when it commits."""
        if self.awaited:
            self._lost(now)
        self.open = False
        return []

    def _lost(self, now: int, timed_out: bool = False) -> None:
        in_doubt = self.state == states.COMMITTING and self.awaited > 0
        self.awaited, self.asked_at, self.open = 0, None, False
        self.watch.emit(ConnectionLost, self.name, DATABASE, in_doubt, timed_out)
        self._take(states.LOST, now)
        self._gives_up(now)

    def _gives_up(self, now: int) -> None:
        """End the attempt after a failure: wait ``retry_ms`` before the next one. An order is not tried
        again."""
        if self.approach.source == ORDERS:
            self._end_round(now)
        self.not_before = now + self.retry_ms

    def crash(self, now: int) -> None:
        self.watch.emit(ServiceEnded, self.name, self.state, tuple(self.hand))
        if self.hand and self.approach.source == ORDERS:
            self.round += 1
        self._drop_work()
        self._forget(states.DOWN)
        super().crash(now)

    def restart(self, now: int) -> Effects:
        self._take(states.BACK, now)
        self.watch.emit(ServiceBack, self.name)
        self.not_before = now
        return super().restart(now)


_ACTIONS: dict[str, Callable[[Service, int], Done]] = {
    states.STARTING: Service._start,
    states.WRITING: Service._write,
    states.COMMITTING: Service._commit,
    states.ROLLING_BACK: Service._roll_back,
    states.SENDING: Service._send,
    states.FLUSHING: Service._flush,
    states.STORING: Service._store_offsets,
}
_ANSWERS: dict[type, Callable[[Service, Any, int], None]] = {
    ReadOffsetsResponse: Service._restored,
    ReadOutboxResponse: Service._outbox_read,
    WriteRowsResponse: Service._written,
    CommitRowsResponse: Service._committed,
    RollBackRowsResponse: Service._rolled_back,
}
