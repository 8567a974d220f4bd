"""The accumulator under any order of calls: it loses no record and no byte of memory."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.client.accumulator import RecordAccumulator
from engine.client.application import Call
from engine.client.batch import Batch
from engine.client.configuration import resolve
from engine.client.record_size import batch_size_upper_bound, payload_size, record_size
from engine.client.transaction_manager import TransactionManager
from engine.client.visit_order import capacity, with_partition
from engine.codec.varint import write_varint, write_varlong
from engine.java_hash import java_string_hash
from engine.profiles import K20, K28
from engine.switches import Switches
from engine.watching import Watch

PARTITIONS = ("t-0", "t-1", "t-2")
LEADERS = {"t-0": 1, "t-1": 1, "t-2": 2}
LED_BY = {1: ["t-0", "t-1"], 2: ["t-2"]}
MEMORY = 4_000


class Accumulator(RuleBasedStateMachine):
    """Appends, passes of time, drains, responses, resends and expiry, in any order, with sequence numbers."""

    profile = K28

    def __init__(self) -> None:
        super().__init__()
        given = {"enable_idempotence": True, "batch_size": 600, "buffer_memory": MEMORY, "linger_ms": 5}
        config = resolve({**given, "batch_expiry_ms": 400}, self.profile, Switches())
        watch = Watch()
        self.sequences = TransactionManager("p1", config, self.profile, Switches(), watch)
        self.sequences.preset(7, 0)
        self.accumulator = RecordAccumulator("p1", config, self.profile, Switches(), watch, self.sequences)
        self.now = 0
        self.serial = 0
        self.sent: set[int] = set()
        self.over: set[int] = set()
        self.in_flight: list[Batch] = []
        self.waiting: dict[int, Call] = {}

    @rule(partition=st.sampled_from(PARTITIONS), size=st.integers(0, 900), count=st.integers(1, 8))
    def append(self, partition: str, size: int, count: int) -> None:
        for _ in range(count):
            self.serial += 1
            payload = payload_size(-1, size)
            if self.accumulator.append(partition, self.serial, payload, self.now) is None:
                needed = self.accumulator.memory_for(payload)
                call = Call("send", {"serial": self.serial, "partition": partition, "payload": payload})
                self.accumulator.pool.wait(call, needed, self.now, self.now + 50)
                self.waiting[self.serial] = call
            else:
                self.sent.add(self.serial)

    @rule(ms=st.integers(0, 120))
    def pass_time(self, ms: int) -> None:
        self.now += ms
        for waiter in self.accumulator.pool.expire(self.now):
            del self.waiting[waiter.call.args["serial"]]
        self.serve()

    @rule(nodes=st.lists(st.sampled_from((1, 2)), unique=True), size=st.integers(1, 3_000))
    def drain(self, nodes: list[int], size: int) -> None:
        ready = self.accumulator.ready(LEADERS, self.now)
        wanted = [node for node in nodes if node in ready.nodes]
        for node, batches in self.accumulator.drain(wanted, LED_BY, size, self.now):
            partitions = [batch.partition for batch in batches]
            assert len(partitions) == len(set(partitions))
            assert all(LEADERS[partition] == node for partition in partitions)
            assert sum(batch.bytes for batch in batches) <= size or len(batches) == 1
            self.in_flight += batches

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data(), again=st.booleans())
    def answer(self, data: st.DataObject, again: bool) -> None:
        batch = self.in_flight.pop(data.draw(st.integers(0, len(self.in_flight) - 1)))
        if again:
            self.accumulator.requeue(batch, self.now)
        else:
            self.sequences.completed(batch, 0)
            self.finish(batch, "acknowledge")

    @rule()
    def expire(self) -> None:
        for batch in self.accumulator.expired(self.now):
            self.sequences.entry(batch.partition).untrack(batch)
            self.finish(batch, "expire")

    def finish(self, batch: Batch, event: str) -> None:
        batch.move(event)
        self.over |= set(batch.serials)
        self.accumulator.finish(batch)
        self.serve()

    def serve(self) -> None:
        while (waiter := self.accumulator.pool.next_granted()) is not None:
            args = waiter.call.args
            self.accumulator.append_with_memory(
                args["partition"], waiter.size, args["serial"], args["payload"], self.now
            )
            self.sent.add(args["serial"])
            del self.waiting[args["serial"]]

    @invariant()
    def no_record_is_lost(self) -> None:
        queued = [
            serial
            for queue in self.accumulator.queues.values()
            for batch in queue.batches
            for serial in batch.serials
        ]
        under_way = [serial for batch in self.in_flight for serial in batch.serials]
        everywhere = [*queued, *under_way, *self.over]
        assert sorted(everywhere) == sorted(self.sent)

    @invariant()
    def no_memory_is_lost(self) -> None:
        pool = self.accumulator.pool
        lent = sum(batch.capacity for batch in self.accumulator.incomplete.values())
        assert pool.free + lent == MEMORY
        assert {waiter.call.args["serial"] for waiter in pool.waiters} == set(self.waiting)

    @invariant()
    def resends_stand_before_new_batches_in_order_of_sequence(self) -> None:
        for queue in self.accumulator.queues.values():
            numbered = [batch.base_sequence for batch in queue.batches if batch.has_sequence]
            assert numbered == sorted(numbered)
            flags = [batch.has_sequence for batch in queue.batches]
            assert flags == sorted(flags, reverse=True)

    @invariant()
    def a_batch_never_exceeds_its_memory(self) -> None:
        assert all(batch.bytes <= batch.capacity for batch in self.accumulator.incomplete.values())

    @invariant()
    def ready_tells_the_truth(self) -> None:
        ready = self.accumulator.ready(LEADERS, self.now)
        if ready.next_check_delay is not None and ready.next_check_delay > 1 and not ready.nodes:
            later = self.accumulator.ready(LEADERS, self.now + ready.next_check_delay - 1)
            assert later.nodes == {}
            assert self.accumulator.ready(LEADERS, self.now + ready.next_check_delay).nodes


class AccumulatorOf20(Accumulator):
    profile = K20


TestAccumulator = Accumulator.TestCase
TestAccumulator.settings = settings(max_examples=40, stateful_step_count=40, derandomize=True, deadline=None)
TestAccumulatorOf20 = AccumulatorOf20.TestCase
TestAccumulatorOf20.settings = TestAccumulator.settings


def test_record_sizes_are_those_of_the_bytes() -> None:
    for size, offset, timestamp in (
        (0, 0, 0),
        (5, 63, 1),
        (5, 64, 64),
        (100, 3, 10_000),
        (9_000, 200, 2**40),
    ):
        key, value = write_varint(-1), write_varint(size) + bytes(size)
        body = b"\0" + write_varlong(timestamp) + write_varint(offset) + key + value + write_varint(0)
        written = len(write_varint(len(body)) + body)
        payload = payload_size(-1, size)
        assert record_size(payload, offset, timestamp) == written
        assert batch_size_upper_bound(payload) >= 61 + written


def test_visit_order_is_that_of_a_java_hash_map() -> None:
    assert java_string_hash("t") == 116
    assert java_string_hash("hello") == 99_162_322
    assert java_string_hash("polygenelubricants") == -(2**31)
    assert [capacity(count) for count in (1, 2, 12, 13, 24, 25)] == [16, 4, 16, 32, 32, 64]
    order: list[str] = []
    for number in range(4):
        order = with_partition(order, f"t-{number}")
    assert order == ["t-3", "t-2", "t-1", "t-0"]
