"""Decides which worker steps which session. A worker keeps the runs that it stepped, so a session's commands go to
one worker.

A task about a session's run goes to one of `COUNT` queues, by a checksum of the session's id. The workers share the
queues out: each signs a list in Redis every second, and all compute the same shares from the same list. So no process
needs to know how many workers there are: one, two or twenty may run, and each may start or end at any time. A worker
that does not sign for SILENT_SECONDS_MAX is off the list, and the others take over its queues with the commands in
them. Tasks that it had taken are delivered again (`CELERY_BROKER_TRANSPORT_OPTIONS`). A worker without a free thread
does not sign either, so a busy worker loses its sessions until a task is done.

While the workers disagree about the list, a queue may have two consumers for a moment. That costs engine steps and
nothing else: the database decides which step counts (`walkthroughs/actions.py`).

All other tasks stay in the default queue, which every worker consumes.
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
"""With this number, two, three, four, five, six, ten, twelve, fifteen and twenty workers get equal shares. It
must be the same in every process of a site, because a queue with a higher number has no consumer."""
QUEUES = tuple(f"steps-{number}" for number in range(COUNT))
STEPPING = frozenset(
    f"walkthroughs.{name}" for name in ("carry_out", "go_on", "find_ahead", "find_actions", "find_why")
)
"""Tasks that need the run of a session. The session's id is their first argument."""

SIGN_SECONDS = 1.0
SILENT_SECONDS_MAX = 5.0
"""A worker that has not signed for this long is off the list."""
REDIS_SECONDS_MAX = 1.0
LIST_KEY = "eosviz:stepping-workers"

taken = Gauge("eosviz_step_queues_taken", "Queues of sessions' commands that this worker consumes")


def queue_of(session_id: str) -> str:
    return QUEUES[zlib.crc32(session_id.encode()) % COUNT]


def route(name: str, args: Sequence[Any], kwargs: Any, options: Any, task: Any = None, **_: Any) -> Any:
    """A router of Celery (`CELERY_TASK_ROUTES`). None: the default queue."""
    return {"queue": queue_of(str(args[0]))} if name in STEPPING else None


def share_of(worker: str, workers: Iterable[str]) -> frozenset[str]:
    """The queues of one of these workers. Every queue belongs to exactly one worker, and the sizes of the shares
    differ by at most one."""
    names = sorted(workers)
    return frozenset(QUEUES[names.index(worker) :: len(names)])


class SignedList:
    """The workers that can take commands: their names, with the time at which each signed last by Redis's clock."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url, socket_timeout=REDIS_SECONDS_MAX, socket_connect_timeout=REDIS_SECONDS_MAX
        )

    def sign(self, name: str | None) -> list[str]:
        """Sign with this name (None: only read the list). Returns the workers on the list. Raises RedisError."""
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
        """Take this name off the list. Raises RedisError."""
        self._redis.zrem(LIST_KEY, name)

    def close(self) -> None:
        self._redis.close()


class TakesItsShare(bootsteps.StartStopStep):
    """Part of a worker's consumer: started whenever the worker has connected to Redis, stopped when the
    connection is lost and at the worker's end."""

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
            # Redis does not answer or is full. The worker keeps its queues, and so do the others.
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
    """Consume these of the steps' queues and no others."""
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
