"""Brokers against small models written from the specification alone, and clusters under random faults."""

from __future__ import annotations

import pickle
from collections import deque
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.broker.broker import Broker
from engine.errors import Refused
from engine.messages import INT_MAX, ProduceResponse, RecordBatch
from engine.profile import Profile
from engine.profiles import K20, K28
from engine.step import change_to_json, place, pruned
from engine.watching import ABSENT
from tests.engine.broker.watched import Cluster, answer, batch_of
from tests.engine.narrowing import of, present

MODULUS = INT_MAX + 1


class Remembered:
    """A model of SEQ-17 modulo 2^31, without sentinels and tables: what one partition knows of one producer."""

    def __init__(self, accepts_unknown: bool) -> None:
        self.accepts_unknown = accepts_unknown
        self.epoch: int | None = None
        self.cache: deque[tuple[int, int, int]] = deque(maxlen=5)

    def offer(self, epoch: int, first: int, count: int, offset: int) -> tuple[str, int]:
        last = (first + count - 1) % MODULUS
        if self.epoch is None:
            verdict = "NONE" if first == 0 or self.accepts_unknown else "UNKNOWN_PRODUCER_ID"
        elif epoch == self.epoch and (hit := self._cached(first, last)) is not None:
            return "DUPLICATE", hit
        elif epoch < self.epoch:
            verdict = "INVALID_PRODUCER_EPOCH"
        elif epoch > self.epoch:
            verdict = "NONE" if first == 0 else "OUT_OF_ORDER_SEQUENCE_NUMBER"
        else:
            expected = (self.cache[-1][1] + 1) % MODULUS
            verdict = "NONE" if first == expected else "OUT_OF_ORDER_SEQUENCE_NUMBER"
        if verdict != "NONE":
            return verdict, -1
        if epoch != self.epoch:
            self.cache.clear()
            self.epoch = epoch
        self.cache.append((first, last, offset))
        return "NONE", offset

    def _cached(self, first: int, last: int) -> int | None:
        for known_first, known_last, offset in self.cache:
            if (known_first, known_last) == (first, last):
                return offset
        return None


@st.composite
def arrivals(draw: st.DrawFn) -> list[tuple[int, int, int, int]]:
    """Batches that are mostly what a client would send next or again, and sometimes nonsense; some sequences are near
    the wrap.
    """
    start = draw(st.sampled_from([0, 0, INT_MAX - 4]))
    sent: list[tuple[int, int, int, int]] = []
    steps = []
    following: dict[tuple[int, int], int] = {}
    for _ in range(draw(st.integers(1, 30))):
        producer, epoch = draw(st.integers(0, 1)), draw(st.sampled_from([0, 0, 0, 0, 1, 2]))
        kind = draw(st.sampled_from(["next", "next", "next", "again", "gap", "any"]))
        count = draw(st.integers(1, 3))
        if kind == "again" and sent:
            steps.append(draw(st.sampled_from(sent[-8:])))
            continue
        first = following.get((producer, epoch), start if epoch == 0 else 0)
        if kind == "gap":
            first = (first + draw(st.integers(1, 3))) % MODULUS
        elif kind == "any":
            first = draw(st.integers(0, 9) | st.integers(INT_MAX - 3, INT_MAX))
        else:
            following[producer, epoch] = (first + count) % MODULUS
        steps.append((producer, epoch, first, count))
        sent.append(steps[-1])
    return steps


@pytest.mark.parametrize("profile", [K20, K28], ids=lambda profile: profile.name)
@given(steps=arrivals())
@settings(max_examples=150, deadline=None)
def test_accept_duplicate_or_refuse_as_the_model_says(
    profile: Profile, steps: list[tuple[int, int, int, int]]
) -> None:
    cluster = Cluster(brokers=1, profile=profile)
    log = cluster.log(1)
    known = {producer: Remembered(profile is K28) for producer in (0, 1)}
    for producer, epoch, first, count in steps:
        before = log.log_end
        expected, offset = known[producer].offer(epoch, first, count, before)
        got = answer(cluster.produce(1, batch_of(first, count, producer_id=producer, epoch=epoch)))
        assert got == (expected if expected != "DUPLICATE" else "NONE", offset)
        assert log.log_end == before + (count if expected == "NONE" else 0)


def test_the_model_sees_every_outcome() -> None:
    """The counterpart to the tests of *always*: one run in which each answer occurs."""
    seen = set()
    model = Remembered(accepts_unknown=False)
    for epoch, first in ((0, 3), (0, 0), (0, 0), (0, 5), (1, 4), (1, 0), (0, 1)):
        seen.add(model.offer(epoch, first, 1, 0)[0])
    assert seen == {
        "UNKNOWN_PRODUCER_ID",
        "NONE",
        "DUPLICATE",
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "INVALID_PRODUCER_EPOCH",
    }


SENDS = st.tuples(st.just("send"), st.integers(0, 1), st.sampled_from([-1, 1]))
FETCHES = st.tuples(st.just("fetch"), st.integers(1, 3), st.integers(1, 4))
ACTIONS = st.lists(
    st.one_of(
        SENDS,
        SENDS,
        SENDS,
        FETCHES,
        FETCHES,
        st.tuples(st.just("again"), st.integers(0, 5), st.just(-1)),
        st.tuples(st.just("crash"), st.integers(1, 3), st.booleans()),
        st.tuples(st.just("restart"), st.integers(1, 3), st.none()),
        st.tuples(st.just("sessions"), st.none(), st.none()),
        st.tuples(st.just("lead"), st.integers(1, 3), st.none()),
        st.tuples(st.just("shrink"), st.integers(1, 3), st.none()),
        st.tuples(st.just("restore"), st.none(), st.none()),
        st.tuples(st.just("delete"), st.integers(0, 4), st.none()),
        st.tuples(st.just("time"), st.sampled_from([10, 400]), st.none()),
    ),
    min_size=12,
    max_size=45,
)


class Drill:
    """One cluster, two producers and random actions; after each action, the invariants are checked."""

    def __init__(self, segment_records: int | None) -> None:
        self.cluster = Cluster(segment_records=segment_records)
        self.cluster.strict.forget()
        self.view: dict[str, Any] = {}
        for part in self.cluster.parts():
            self.cluster.strict.know(part)
            if (shown := part.view()) is not None:
                place(self.view, part.path, pickle.loads(pickle.dumps(shown)))
        self.sent: list[RecordBatch] = []
        self.next_sequence = [0, 0]
        self.serial = 0
        self.promised: set[int] = set()
        self.read = 0
        self.deleted_to = 0
        self.epochs: dict[int, int] = {}

    def act(self, action: str, one: int | None, other: int | None) -> None:
        cluster = self.cluster
        leader = cluster.leader()
        if leader is not None and not leader.alive:
            leader = None
        with suppress(Refused):
            self._act(action, one or 0, other or 0, leader)
        cluster.announce()

    def _act(self, action: str, one: int, other: int, leader: Broker | None) -> None:
        cluster = self.cluster
        if action == "send" and leader is not None:
            self.serial += 1
            batch = batch_of(self.next_sequence[one], producer_id=one, serials=(self.serial,))
            self.next_sequence[one] += 1
            self.sent.append(batch)
            cluster.produce(leader.broker_id, batch, acks=other)
        elif action == "again" and leader is not None and len(self.sent) > one:
            cluster.produce(leader.broker_id, self.sent[-1 - one])
        elif action == "fetch":
            for _ in range(other):
                cluster.fetch_once("t-0", one)
        elif action == "crash" and cluster.brokers[one].alive:
            cluster.crash(one, clean=bool(other))
        elif action == "restart" and not cluster.brokers[one].alive:
            cluster.restart(one)
        elif action == "sessions":
            cluster.end_sessions()
        elif action == "lead":
            cluster.controller.change_leader("t-0", one, cluster.now)
        elif action == "shrink":
            cluster.controller.shrink_isr("t-0", one, cluster.now)
        elif action == "restore":
            cluster.controller.restore_isr("t-0", None, cluster.now)
        elif action == "delete" and leader is not None:
            log = cluster.log(leader.broker_id)
            to = min(log.log_start + one, log.high_watermark)
            leader.replicas.delete_head("t-0", to, cluster.now)
            self.deleted_to = max(self.deleted_to, to)
        elif action == "time":
            cluster.now += one
            for broker in cluster.brokers.values():
                if broker.alive and (at := broker.next_timer()) is not None and at <= cluster.now:
                    cluster.carry_out(broker, broker.on_timer(cluster.now))

    def check(self) -> None:
        self._offsets()
        self._agreement()
        self._fold()

    def _offsets(self) -> None:
        for broker in self.cluster.brokers.values():
            log = broker.replicas["t-0"].log
            assert log.log_start <= log.last_stable_offset <= log.high_watermark <= log.log_end
            offset = None
            for batch in log.batches:
                assert offset is None or batch.base_offset == offset, "offsets are consecutive"
                offset = batch.last_offset + 1
            assert offset is None or offset == log.log_end
            for entry in log.producers.entries.values():
                assert len(entry.batches) <= 5
                assert all(batch.last_offset < log.log_end for batch in entry.batches)
            waiting = broker.replicas["t-0"].waiting
            assert all(broker.delayed.by_deadline.count(delayed) == 1 for delayed in waiting)

    def _agreement(self) -> None:
        """Below the high watermark, all live in-sync replicas must have the same batches."""
        state = self.cluster.controller.partitions["t-0"]
        members = [
            self.cluster.log(replica)
            for replica in state.isr
            if self.cluster.brokers[replica].alive and state.leader is not None
        ]
        if not members:
            return
        start = max(log.log_start for log in members)
        end = min(log.high_watermark for log in members)
        contents = [
            [(b.base_offset, b.serials) for b in log.batches if start <= b.base_offset < end]
            for log in members
        ]
        assert all(content == contents[0] for content in contents)

    def _fold(self) -> None:
        """Applying the step's changes to the previous view must give the view that the parts report: if it does not,
        a part changed without a touch.
        """
        step = self.cluster.strict.finished()
        for change in step.changes:
            shown = change_to_json(change)
            place(self.view, change[0], shown.get("after", ABSENT))
        fresh: dict[str, Any] = {}
        for part in (*self.cluster.parts(), *self.cluster.watch.parts()):
            if (view := part.view()) is not None:
                place(fresh, part.path, view)
        assert pruned(self.view) == pruned(fresh)
        self.view = pickle.loads(pickle.dumps(pruned(fresh)))


@given(actions=ACTIONS, segment_records=st.sampled_from([None, 2]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_cluster_under_random_faults(
    actions: list[tuple[str, int | None, int | None]], segment_records: int | None
) -> None:
    drill = Drill(segment_records)
    for action in actions:
        drill.act(*action)
        drill.check()
    settle(drill)


def settle(drill: Drill) -> None:
    """Bring all brokers back: then all replicas have the same log, and no request waits for ever."""
    cluster = drill.cluster
    cluster.end_sessions()
    for broker_id, broker in cluster.brokers.items():
        if not broker.alive:
            cluster.restart(broker_id)
    cluster.controller.restore_isr("t-0", None, cluster.now)
    cluster.announce()
    cluster.replicate()
    drill.check()
    leader = cluster.leader()
    assert leader is not None
    assert len(cluster.controller.partitions["t-0"].isr) == 3
    logs = [cluster.log(broker_id) for broker_id in cluster.brokers]
    assert len({(log.log_end, log.high_watermark) for log in logs}) == 1
    # A leader that was elected before it heard of a deletion keeps the old beginning of the log; its followers do
    # not.
    assert all(log.log_start >= leader.replicas["t-0"].log.log_start for log in logs)
    assert leader.replicas["t-0"].waiting == []
    stored = [serial for batch in leader.replicas["t-0"].log.batches for serial in batch.serials]
    assert len(set(stored)) == len(stored), "idempotent batches are stored at most once"


@given(actions=ACTIONS)
@settings(max_examples=60, deadline=None)
def test_what_was_acknowledged_by_all_survives(actions: list[tuple[str, int | None, int | None]]) -> None:
    """With acks=all, and if only in-sync replicas may lead, no acknowledged record is lost, whichever broker fails at
    any time.
    """
    drill = Drill(None)
    cluster = drill.cluster
    acknowledged = {}
    requests = {}
    for action, one, other in actions:
        if action == "delete":
            continue
        before = len(cluster.sent)
        drill.act(action, one, -1 if action == "send" else other)
        if action == "send" and drill.sent:
            requests[cluster._correlation] = drill.sent[-1]
        for _, send in cluster.sent[before:]:
            found = of(ProduceResponse, send.body).partitions["t-0"]
            batch = requests.get(send.correlation_id)
            if batch is not None and found.error.name == "NONE":
                acknowledged[batch.serials] = found.base_offset
    settle(drill)
    log = present(cluster.leader()).replicas["t-0"].log
    stored = {batch.serials: batch.base_offset for batch in log.batches}
    for serials, offset in acknowledged.items():
        assert stored.get(serials) == offset


def test_a_fork_goes_its_own_way() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 2))
    copy = pickle.loads(pickle.dumps(cluster))
    copy.replicate()
    assert copy.log(2).log_end == 2
    assert cluster.log(2).log_end == 0
    assert [broker.view() for broker in copy.brokers.values()] == [
        broker.view() for broker in cluster.brokers.values()
    ]
