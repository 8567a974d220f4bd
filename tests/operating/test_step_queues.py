"""Which worker steps which session: the shares of the workers are equal and complete, whichever workers start and
end.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from celery.worker import state

from eosviz import step_queues
from eosviz.celery import app
from eosviz.step_queues import LIST_KEY, QUEUES, SignedList, TakesItsShare, queue_of, route, share_of


@pytest.mark.parametrize("count", range(1, 25))
def test_every_queue_belongs_to_one_worker_and_the_shares_are_equal(count: int) -> None:
    workers = [f"worker-{number}@host" for number in range(count)]
    shares = [share_of(worker, workers) for worker in workers]
    assert Counter(queue for share in shares for queue in share) == dict.fromkeys(QUEUES, 1)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_the_order_in_which_workers_signed_does_not_matter() -> None:
    assert share_of("b", ["a", "b", "c"]) == share_of("b", ["c", "b", "a"])


def test_sessions_spread_over_the_queues() -> None:
    found = Counter(queue_of(str(uuid.UUID(int=number, version=4))) for number in range(6_000))
    assert found.keys() == set(QUEUES)
    assert min(found.values()) > 50 and max(found.values()) < 150


def test_all_tasks_about_one_run_go_to_one_queue_and_the_others_to_the_default_one() -> None:
    session = str(uuid.uuid4())
    app.loader.import_default_modules()
    about_a_run = {name for name in app.tasks if route(name, [session], {}, {}) is not None}
    assert about_a_run == step_queues.STEPPING
    assert {route(name, [session], {}, {})["queue"] for name in about_a_run} == {queue_of(session)}


@pytest.fixture
def signed(redis_server: str) -> Iterator[SignedList]:
    client = redis.Redis.from_url(redis_server)
    client.delete(LIST_KEY)
    yield SignedList(redis_server)
    client.delete(LIST_KEY)


def test_a_silent_worker_is_off_the_list(signed: SignedList, redis_server: str) -> None:
    assert signed.sign("a") == ["a"]
    assert sorted(signed.sign("b")) == ["a", "b"]
    redis.Redis.from_url(redis_server).zadd(LIST_KEY, {"a": 0})  # as if it had reported long ago
    assert signed.sign("b") == ["b"]
    signed.leave("b")
    assert signed.sign(None) == []


class SimpleTask:
    """A task that a worker has taken."""


class Consumer(SimpleNamespace):
    """Those parts of a worker's consumer that the bootstep needs, with real queues in Redis."""

    @classmethod
    def named(cls, name: str, connection: Any) -> Consumer:
        tasks = app.amqp.TaskConsumer(connection, queues=[])
        timer = SimpleNamespace(call_repeatedly=lambda seconds, call: SimpleNamespace(cancel=lambda: None))
        controller = SimpleNamespace(concurrency=1)
        return cls(hostname=name, app=app, task_consumer=tasks, timer=timer, controller=controller)

    @property
    def consumed(self) -> set[str]:
        return {queue for queue in QUEUES if self.task_consumer.consuming_from(queue)}


@pytest.fixture
def connection(redis_server: str) -> Iterator[Any]:
    with app.connection_for_read() as connection:
        yield connection


def test_workers_share_out_the_queues_and_one_that_leaves_is_replaced(
    signed: SignedList, connection: Any
) -> None:
    one, other = (Consumer.named(name, connection.channel()) for name in ("a@host", "b@host"))
    first, second = (TakesItsShare(consumer) for consumer in (one, other))
    first.start(one)
    assert one.consumed == set(QUEUES)
    second.start(other)
    first._look(one)
    assert one.consumed | other.consumed == set(QUEUES)
    assert one.consumed & other.consumed == set()
    assert len(one.consumed) == len(other.consumed)
    second.stop(other)
    first._look(one)
    assert one.consumed == set(QUEUES)
    first.stop(one)


def test_a_worker_without_a_free_thread_is_replaced_and_keeps_its_queues_meanwhile(
    signed: SignedList, connection: Any, redis_server: str
) -> None:
    busy, free = (Consumer.named(name, connection.channel()) for name in ("a@host", "b@host"))
    step, other = (TakesItsShare(consumer) for consumer in (busy, free))
    step.start(busy)
    other.start(free)
    step._look(busy)
    task = SimpleTask()
    state.reserved_requests.add(task)
    try:
        redis.Redis.from_url(redis_server).zadd(LIST_KEY, {"a@host": 0})
        step._look(busy)
        state.reserved_requests.discard(task)
        other._look(free)
        assert free.consumed == set(QUEUES)
        assert len(busy.consumed) == len(QUEUES) / 2
        step._look(busy)
        other._look(free)
        assert busy.consumed & free.consumed == set()
    finally:
        state.reserved_requests.discard(task)
        step.stop(busy)
        other.stop(free)


def test_without_redis_the_shares_stay_as_they_are(
    signed: SignedList, connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    consumer = Consumer.named("a@host", connection.channel())
    step = TakesItsShare(consumer)
    step.start(consumer)

    def away(*_: Any) -> Any:
        raise redis.ConnectionError("gone")

    monkeypatch.setattr(SignedList, "sign", away)
    monkeypatch.setattr(SignedList, "leave", away)
    step._look(consumer)
    assert consumer.consumed == set(QUEUES)
    step.stop(consumer)
