"""Decides which worker makes the steps of which session. A worker keeps the runs whose steps it has made, so
all commands of a session should go to the same worker.

A task about a session's run goes to one of `COUNT` queues, by a checksum of the session's id. The workers
divide the queues among themselves: every second each worker with a free thread signs a list in Redis, and
all compute the same shares from this list. So no process needs to know how many workers there are; they may
start and end at any time. A worker that does not sign for SILENT_SECONDS_MAX is removed from the list, and
the others take over its queues with the commands in them. Commands that it had already taken are delivered
again (`CELERY_BROKER_TRANSPORT_OPTIONS`). A worker without a free thread does not sign either, so a busy
worker loses its sessions until one of its tasks is done.

While workers do not have the same list, two of them may consume the same queue for a moment. This only makes
the engine compute steps twice: the database decides which step counts (`walkthroughs/actions.py`).

All other tasks are in the default queue, which every worker consumes.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import redis
from celery import bootsteps
from celery.worker import state
from django.conf import settings
from prometheus_client import Gauge

logger = logging.getLogger(__name__)

COUNT = 60
"""The number of queues. It can be divided equally among two, three, four, five, six, ten, twelve, fifteen or
twenty workers. It must be the same in all processes of a site, because a queue with a higher number would
have no consumer."""
QUEUES = tuple(f"steps-{number}" for number in range(COUNT))
STEPPING = frozenset(
    f"walkthroughs.{name}" for name in ("carry_out", "go_on", "find_ahead", "find_actions", "find_why")
)
"""The names of tasks that need the run of a session. Their first argument is the session's id."""

SIGN_SECONDS = 1.0
SILENT_SECONDS_MAX = 5.0
"""A worker that has not signed the list for this many seconds is removed from it."""
REDIS_SECONDS_MAX = 1.0
LIST_KEY = "eosviz:stepping-workers"

taken = Gauge("eosviz_step_queues_taken", "Queues of sessions' commands that this worker consumes")


def queue_of(session_id: str) -> str:
    return QUEUES[zlib.crc32(session_id.encode()) % COUNT]


def route(name: str, args: Sequence[Any], kwargs: Any, options: Any, task: Any = None, **_: Any) -> Any:
    """A router of Celery (`CELERY_TASK_ROUTES`). Returns None for a task of the default queue."""
    return {"queue": queue_of(str(args[0]))} if name in STEPPING else None


def share_of(worker: str, workers: Iterable[str]) -> frozenset[str]:
    """The queues of `worker`, one of `workers`. Each queue belongs to exactly one worker, and the numbers of
    queues differ by at most one."""
    names = sorted(workers)
    return frozenset(QUEUES[names.index(worker) :: len(names)])


class SignedList:
    """The list of the workers that can take commands: their names, with the time at which each last signed,
    by Redis's clock."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url, socket_timeout=REDIS_SECONDS_MAX, socket_connect_timeout=REDIS_SECONDS_MAX
        )

    def sign(self, name: str | None) -> list[str]:
        """Sign the list with this name, unless it is None, and remove the workers that have been silent for
        SILENT_SECONDS_MAX. Returns the names that remain. Raises RedisError."""
        seconds, microseconds = self._redis.time()
        now = seconds + microseconds / 1e6
        with self._redis.pipeline() as pipeline:
            if name is not None:
                pipeline.zadd(LIST_KEY, {name: now})
            pipeline.zremrangebyscore(LIST_KEY, "-inf", now - SILENT_SECONDS_MAX)
            pipeline.zrange(LIST_KEY, 0, -1)
            found = pipeline.execute()[-1]
        return [worker.decode() for worker in found]

    def leave(self, name: str) -> None:
        """Remove this name from the list. Raises RedisError."""
        self._redis.zrem(LIST_KEY, name)

    def close(self) -> None:
        self._redis.close()


class TakesItsShare(bootsteps.StartStopStep):
    """The part of a worker that signs the list and consumes its share of the queues. Celery starts it
    whenever the worker has connected to Redis, and stops it when the connection is lost or the worker
    ends."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        self._list: SignedList | None = None
        self._timer: Any = None
        super().__init__(consumer, **options)

    def start(self, consumer: Any) -> None:
        self._list = SignedList(settings.REDIS_URL)
        self._look(consumer)
        self._timer = consumer.timer.call_repeatedly(
            SIGN_SECONDS, lambda: consumer.call_soon(self._look, consumer)
        )

    def stop(self, consumer: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._list is not None:
            try:
                self._list.leave(consumer.hostname)
            except redis.RedisError as error:
                logger.info("%s could not leave the list of workers: %s", consumer.hostname, error)
            self._list.close()
        self._list = self._timer = None

    def _look(self, consumer: Any) -> None:
        if self._list is None:
            return
        name = consumer.hostname
        try:
            workers = self._list.sign(name if _has_room(consumer) else None)
        except redis.RedisError as error:
            # Redis does not answer or accepts no writes. This worker keeps its queues, and so do the others.
            logger.info("%s could not sign the list of workers: %s", name, error)
            return
        if name in workers:
            share = share_of(name, workers)
            _consume(consumer, share)
            taken.set(len(share))


def _has_room(consumer: Any) -> bool:
    threads: int = consumer.controller.concurrency
    return len(state.reserved_requests) < threads


def _consume(consumer: Any, share: frozenset[str]) -> None:
    """Of the queues of steps, consume exactly those in `share`."""
    queues, tasks = consumer.app.amqp.queues, consumer.task_consumer
    added = False
    for name in QUEUES:
        if name not in share:
            if tasks.consuming_from(name):
                tasks.cancel_by_queue(name)
            queues.deselect(name)
        elif not tasks.consuming_from(name):
            tasks.add_queue(queues.select_add(queues[name]))
            added = True
    if added:
        tasks.consume()
