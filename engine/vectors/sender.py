"""Runs the cases of `sender` with the producer client that scenarios use.

The driver replaces the kernel and the network: it runs passes, holds the requests in flight and answers them.
Like the mock client of Kafka's own test, it has no connection delays and no limit on requests in flight. The
clock skips the Sender's sleeps.

In Kafka's mock client, a request in flight is no copy but refers to the producer's memory. When a batch expires
while its request is in flight, the next batch gets this memory at once, and the request then shows the content of
the next batch.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from engine.client.application import (
    ABORT_TRANSACTION,
    BEGIN_TRANSACTION,
    CLOSED_ERROR,
    COMMIT_TRANSACTION,
    INIT_TRANSACTIONS,
    TIMEOUT_ERROR,
    Call,
)
from engine.client.ledger import Ledger
from engine.client.partition_sequences import PartitionSequences
from engine.client.producer_client import ProducerClient
from engine.client.thrown import KAFKA_EXCEPTION
from engine.client.transaction_manager import TransactionManager
from engine.client.unsent import ABORTED_ERROR
from engine.client.visit_order import with_partition
from engine.errors import Error
from engine.explain.exceptions import exception_name
from engine.messages import (
    INT_MAX,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddPartitionsToTxnResponse,
    Connect,
    Effects,
    EndTxnResponse,
    Envelope,
    FindCoordinatorResponse,
    InitProducerIdResponse,
    MetadataRequest,
    MetadataResponse,
    PartitionMetadata,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
)
from engine.profiles import K28
from engine.switches import Switches
from engine.vectors.exceptions import error_named
from engine.vectors.outcome import Outcome, Skip, first_difference
from engine.watching import Watch

TOPIC_PARTITIONS = ("t-0", "t-1")
DELIVERY_TIMEOUT_MS = 1500
REQUEST_TIMEOUT_MS = 1000
"""Settings that apply if a case leaves them out; they are those of Kafka's own test."""
BROKER, PEER, NAME = 1, "broker-1", "p1"
PASS_LIMIT = 100
FURTHER_SETTINGS = ("retries", "linger_ms", "acks", "batch_size")
LOCAL_ERRORS = {
    TIMEOUT_ERROR: "TimeoutException",
    ABORTED_ERROR: "TransactionAbortedException",
    CLOSED_ERROR: KAFKA_EXCEPTION,
}
"""Dict of error that the client itself causes → the exception of Kafka's client (the second one: KIP-654)."""
OPERATIONS = (
    "send",
    "run",
    "respond",
    "disconnect",
    "advance",
    "init_transactions",
    "begin",
    "commit",
    "abort",
    "prepare",
)


def run(case: dict[str, Any], version: str) -> Outcome:
    """Carry out a case's operations in 2.8. Returns the first difference from Kafka, or None. Raises Skip for
    another version, and for an operation that the engine does not have."""
    if version not in case["versions"]:
        raise Skip(f"the case says nothing about Kafka {version}")
    if version != K28.version:
        raise Skip(f"the engine has no profile for Kafka {version}")
    driver = _Driver(case)
    known: dict[str, Any] = {}
    for number, (operation, wanted) in enumerate(zip(case["ops"], case["expected"], strict=True)):
        exception = driver.do(operation)
        # A result without a field means that the field is unchanged. Only an exception is not carried over to
        # later operations.
        known = {**known, **wanted}
        if "exception" not in wanted:
            known.pop("exception", None)
        got = {**driver.state(), **({} if exception is None else {"exception": exception})}
        failure = first_difference(f"op {number} {operation['op']}: ", known, got)
        if failure is not None:
            return failure
    return None


class _Buffers:
    """The pieces of the producer's memory to which batches are written (``BufferPool``)."""

    def __init__(self) -> None:
        self.free: deque[int] = deque()
        self.count = 0
        self.lent: dict[int, int] = {}
        """Dict of serial of a batch's first record → the number of its piece of memory."""
        self.written: dict[int, RecordBatch] = {}
        """Dict of number of a piece of memory → the batch that was written there last."""

    def lend(self, first_serial: int, pooled: bool) -> None:
        if pooled and self.free:
            self.lent[first_serial] = self.free.popleft()
        else:
            self.lent[first_serial] = self.count
            self.count += 1

    def take_back(self, first_serial: int, pooled: bool) -> None:
        if pooled:
            self.free.append(self.lent[first_serial])

    def write(self, batch: RecordBatch) -> None:
        self.written[self.lent[batch.serials[0]]] = batch

    def shown(self, batch: RecordBatch) -> RecordBatch:
        return self.written[self.lent[batch.serials[0]]]


class _Futures(Ledger):
    """A ledger that remembers the future of each record, as Kafka's test does."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self.finished_first: list[int] = []
        """The first serial of each batch that completed since the last call of ``_Driver._follow_memory``, in
        order."""
        self.futures: dict[int, dict[str, Any]] = {}
        self.manager: TransactionManager | None = None

    def accepted(self, producer: str, partition: str, serial: int, size: int, now: int) -> None:
        self.futures[serial] = {"partition": partition, "status": "pending"}

    def finished(
        self,
        producer: str,
        partition: str,
        serials: tuple[int, ...],
        error: str | None,
        base_offset: int,
        now: int,
        aborted: bool = False,
    ) -> None:
        self.finished_first.append(serials[0])
        for index, serial in enumerate(serials):
            future = self.futures[serial]
            if error is None:
                offset = base_offset + index if base_offset >= 0 else -1
                future.update(status="ok", offset=offset)
            else:
                future.update(status="failed", error=self._exception(error))

    def _exception(self, error: str) -> str:
        manager = self.manager
        cause = None if manager is None or not manager.last_error_unexpected else manager.last_error
        if cause is not None and cause.name == error:
            return KAFKA_EXCEPTION
        return LOCAL_ERRORS.get(error) or exception_name(Error[error])


class _Driver:
    """One producer, a clock, and one broker that answers when the case says so."""

    def __init__(self, case: dict[str, Any]) -> None:
        given = case.get("config", {})
        settings: dict[str, Any] = {
            "enable_idempotence": given.get("idempotence", True),
            "transactional_id": given.get("transactional_id"),
            "retries": 2_147_483_647,
            "acks": -1,
            "batch_expiry_ms": given.get("delivery_timeout_ms", DELIVERY_TIMEOUT_MS),
            "retry_backoff_ms": given.get("retry_backoff_ms", 50),
            "request_timeout_ms": given.get("request_timeout_ms", REQUEST_TIMEOUT_MS),
            "max_in_flight": given.get("max_in_flight", 5),
        }
        settings |= {name: given[name] for name in FURTHER_SETTINGS if name in given}
        self.watch = Watch()
        self.futures = _Futures(self.watch)
        self.client = ProducerClient(NAME, settings, K28, Switches(), self.watch, self.futures, (BROKER,))
        self.futures.manager = self.client.memory.transactions
        order: list[str] = []
        for partition in TOPIC_PARTITIONS:
            # Kafka 2.8 also keeps its metadata in a hash map, so partitions are drained in bucket order.
            order = with_partition(order, partition)
        self.client.preset_metadata(dict.fromkeys(order, BROKER), (BROKER,))
        self.client.preset_connected((PEER,))
        self.client.memory.connections.set_limit(INT_MAX)
        if settings["enable_idempotence"] and settings["transactional_id"] is None:
            self.client.preset_identity(13, 0)
        self.buffers = _Buffers()
        self.now = 0
        self.serial = 0
        self.pooled: dict[int, bool] = {}
        """Dict of serial of a batch's first record → whether its buffer has exactly ``batch.size`` bytes, so that the
        pool keeps the buffer for reuse."""
        self.in_flight: list[Send] = []
        self.sent_at: dict[int, int] = {}
        """Dict of correlation id → the virtual ms at which the request was sent."""
        self.prepared: list[object] = []
        """The prepared responses, in order. Each is for the next request of its API."""

    def do(self, operation: dict[str, Any]) -> str | None:
        """Carry out one operation. Returns the name of an exception, or None. Raises Skip for an unknown operation."""
        handler = getattr(self, "_" + operation["op"], None) if operation["op"] in OPERATIONS else None
        if handler is None:
            raise Skip(f"the engine has no operation {operation['op']!r}")
        result: str | None = handler(operation)
        return result

    # -- operations ------------------------------------------------------------------------------------

    def _send(self, operation: dict[str, Any]) -> str | None:
        for _ in range(operation.get("n", 1)):
            self.serial += 1
            call = Call("send", {"partition": operation["partition"], "serial": self.serial, "size": 5})
            self._carry_out(self.client.call(call, self.now))
            self._follow_memory()
        return None

    def _follow_memory(self) -> None:
        """Track memory that batches have taken or returned."""
        accumulator = self.client.memory.accumulator
        finished, self.futures.finished_first = self.futures.finished_first, []
        for serial in finished:
            self.buffers.take_back(serial, self.pooled.get(serial, False))
        for batch in accumulator.incomplete.values():
            serial = batch.serials[0]
            if serial not in self.pooled:
                self.pooled[serial] = batch.capacity == accumulator.config.batch_size
                self.buffers.lend(serial, self.pooled[serial])

    def _advance(self, operation: dict[str, Any]) -> str | None:
        self.now += operation["ms"]
        return None

    def _run(self, operation: dict[str, Any]) -> str | None:
        for _ in range(operation.get("times", 1)):
            self._pass()
        return None

    def _respond(self, operation: dict[str, Any]) -> str | None:
        answer = PartitionProduceResponse(
            error=error_named(operation.get("error", "NONE")),
            base_offset=operation.get("base_offset", -1),
            log_start_offset=operation.get("log_start_offset", -1),
        )
        index = operation.get("index", 0)
        asked = [request for request in self.in_flight if isinstance(request.body, ProduceRequest)]
        if index >= len(asked):
            return "IndexOutOfBoundsException"
        self.in_flight.remove(asked[index])
        self._pass((asked[index], answer))
        return None

    def _init_transactions(self, operation: dict[str, Any]) -> str | None:
        key = self.client.config.transactional_id or ""
        self.prepared += [
            FindCoordinatorResponse(key=key, key_type="TRANSACTION", error=Error.NONE, node=BROKER),
            InitProducerIdResponse(error=Error.NONE, producer_id=13, producer_epoch=0),
        ]
        exception = self._transactional(INIT_TRANSACTIONS)
        for _ in range(PASS_LIMIT):
            if not self.prepared:
                break
            self._pass()
        return exception

    def _begin(self, operation: dict[str, Any]) -> str | None:
        return self._transactional(BEGIN_TRANSACTION)

    def _commit(self, operation: dict[str, Any]) -> str | None:
        return self._transactional(COMMIT_TRANSACTION)

    def _abort(self, operation: dict[str, Any]) -> str | None:
        return self._transactional(ABORT_TRANSACTION)

    def _transactional(self, kind: str) -> str | None:
        call = Call(kind)
        self._carry_out(self.client.call(call, self.now))
        return call.exception

    def _prepare(self, operation: dict[str, Any]) -> str | None:
        error = error_named(operation.get("error", "NONE"))
        kind = operation["response"]
        if kind == "AddPartitionsToTxn":
            self.prepared.append(
                AddPartitionsToTxnResponse(errors=dict.fromkeys(operation["partitions"], error))
            )
        elif kind == "EndTxn":
            self.prepared.append(EndTxnResponse(error=error))
        elif kind == "FindCoordinator":
            key, node = self.client.config.transactional_id or "", BROKER if error is Error.NONE else None
            self.prepared.append(
                FindCoordinatorResponse(key=key, key_type="TRANSACTION", error=error, node=node)
            )
        elif kind == "InitProducerId":
            self.prepared.append(
                InitProducerIdResponse(
                    error=error,
                    producer_id=operation.get("pid", NO_PRODUCER_ID),
                    producer_epoch=operation.get("epoch", NO_PRODUCER_EPOCH),
                )
            )
        else:
            raise Skip(f"the engine has no answer {kind!r} to prepare")
        return None

    def _disconnect(self, operation: dict[str, Any]) -> str | None:
        self.in_flight.clear()
        self._carry_out(self.client.on_disconnected(PEER, self.now))
        self._carry_out(self.client.on_connected(PEER, self.now))
        return None

    # -- kernel and network ----------------------------------------------------------------------------

    def _pass(self, answered: tuple[Send, PartitionProduceResponse] | None = None) -> None:
        """Run one iteration of the Sender's loop, with the poll that ends it. ``answered``: a request and its
        result, which arrive in this poll."""
        for _ in range(PASS_LIMIT):
            self.watch.said = None
            effects, more = self.client.run_phase(self.now)
            self._carry_out(effects)
            if more:
                continue
            until = self.client.memory.poll.sleeps_until
            if until is None:
                if answered is not None:
                    self._answer(*answered)
                self._time_out()
                self._answer_prepared()
                return
            self.now = until
        raise RuntimeError("a pass of the Sender does not end")

    def _time_out(self) -> None:
        """Drop the connection if its oldest request is overdue (``checkTimeoutOfPendingRequests``)."""
        limit = self.client.config.request_timeout_ms
        if self.in_flight and self.now - self.sent_at[self.in_flight[0].correlation_id] > limit:
            self._disconnect({})

    def _answer_prepared(self) -> None:
        """Answer requests in flight with the prepared responses, as Kafka's mock client does when it is polled."""
        for request in [
            request for request in self.in_flight if not isinstance(request.body, ProduceRequest)
        ]:
            api = request.body.api  # type: ignore[attr-defined]
            ready = next((body for body in self.prepared if body.api == api), None)  # type: ignore[attr-defined]
            if ready is not None:
                self.prepared.remove(ready)
                self.in_flight.remove(request)
                self._deliver(request, ready)

    def _carry_out(self, effects: Effects) -> None:
        for effect in effects:
            if isinstance(effect, Connect):
                self._carry_out(self.client.on_connected(effect.peer, self.now))
            elif isinstance(effect, Send) and isinstance(effect.body, ProduceRequest):
                self._leaves(effect)
            elif isinstance(effect, Send) and isinstance(effect.body, MetadataRequest):
                leaders = self.client.memory.metadata.leaders
                partitions = {
                    name: PartitionMetadata(leader=leader, leader_epoch=0, isr=(BROKER,))
                    for name, leader in leaders.items()
                }
                self._deliver(effect, MetadataResponse(brokers=(BROKER,), partitions=partitions))
            elif isinstance(effect, Send):
                self._leaves(effect)

    def _leaves(self, request: Send) -> None:
        self._follow_memory()
        if isinstance(request.body, ProduceRequest):
            for batch in request.body.batches.values():
                self.buffers.write(batch)
        self.in_flight.append(request)
        self.sent_at[request.correlation_id] = self.now

    def _answer(self, request: Send, result: PartitionProduceResponse) -> None:
        body = request.body
        if not isinstance(body, ProduceRequest):
            raise TypeError(f"{body!r} is not a Produce request")
        self._deliver(request, ProduceResponse(partitions=dict.fromkeys(body.batches, result)))

    def _deliver(self, request: Send, body: object) -> None:
        envelope = Envelope(0, PEER, NAME, body, request.correlation_id, True, self.now, self.now)
        self._carry_out(self.client.handle(envelope, self.now))

    # -- comparing -------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "in_flight": [shown for request in self.in_flight for shown in self._shown(request.body)],
            "futures": list(self.futures.futures.values()),
        }
        transactions = self.client.memory.transactions
        if transactions is not None:
            state["state"] = transactions.state
            state["pid"] = transactions.producer_id
            state["epoch"] = transactions.producer_epoch
            used = sorted({future["partition"] for future in self.futures.futures.values()})
            # As in Kafka, asking the transaction manager for the numbers of a partition creates the entry.
            state["partitions"] = {name: _numbers(transactions.entry(name)) for name in used}
        return state

    def _shown(self, body: Any) -> list[dict[str, Any]]:
        """A request in flight in the form of the cases."""
        if not isinstance(body, ProduceRequest):
            return [{"request": re.sub(r"(?<=[a-z])(?=[A-Z])", "_", body.api).upper()}]
        return [
            _batch_shown(partition, self.buffers.shown(batch)) for partition, batch in body.batches.items()
        ]


def _batch_shown(partition: str, batch: RecordBatch) -> dict[str, Any]:
    return {
        "partition": partition,
        "pid": batch.producer_id,
        "epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
        "txn": batch.is_transactional,
    }


def _numbers(entry: PartitionSequences) -> dict[str, Any]:
    return {
        "next_sequence": entry.next_sequence,
        "last_acked_sequence": None if entry.last_acked_sequence < 0 else entry.last_acked_sequence,
        "unresolved": entry.unresolved is not None,
    }
