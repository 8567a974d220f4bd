"""Keeps a socket open only while its person has the right to it.

A socket is opened with one or more rights: the right of its person (who is still signed in, not blocked, and
has the same password) and the right to its subject (the session exists and is theirs, the presentation is
running, they may read the class). A right is a query that can be repeated. It is checked

- when a message goes to the page or comes from it, if the last answer is older than `ANSWER_SECONDS`;
- immediately when a change that may end it is announced (`changed`), by every process with such a socket. The
  announcement does not wait behind the socket's messages: they are sent after the check, or not at all;
- every `SILENT_SECONDS` for an idle socket, because some changes are not announced (SQL by hand), and
  announcements can be lost with Redis.

All sockets of an event loop with the same right share one answer. Checks that are due at the same time are made
together, in a thread that keeps its database connection.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer
from django.db import DatabaseError, models, transaction
from redis.exceptions import RedisError

from eosviz.groups import send_to_group
from eosviz.kept_thread import KeptThread

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 2.0
SILENT_SECONDS = 15.0
LISTEN_AGAIN_SECONDS = 0.5
ANNOUNCED_TOPICS_MAX = 500
"""One announcement has at most this many topics. If there are more, all rights are checked."""
UNHEARD_SECONDS = 10.0
"""After an announcement could not be sent, none is tried for this many seconds. Each try waits some seconds
for Redis, and while a management command runs there may be no web process to receive it."""

GROUP = "rights"


class Ending(IntEnum):
    """Why a right has ended. The value is the close code of the socket (docs/websocket.md)."""

    SIGNED_OUT = 4401
    TAKEN = 4403
    GONE = 4404


@dataclass(frozen=True, slots=True)
class Right:
    """A right to an open socket. Rights with the same `name` share their answer. `topics`: if a change with
    one of them is announced, the right is checked again. `ask`: reads the database, in a thread, and returns
    None while the right lasts."""

    name: str
    topics: frozenset[str]
    ask: Callable[[], Ending | None] = field(compare=False)


class Holder(Protocol):
    """A socket that holds rights."""

    rights: Sequence[Right]

    async def look_again(self) -> None:
        """Check the rights, and close the socket if one has ended. Must not raise."""

    async def still_here(self) -> None:
        """Report to the counters of sockets that this one is still open."""


def of_owner(key: str) -> str:
    """The topic of a person. It contains a digest of the owner's key, which is secret."""
    return f"owner.{_digest(key)}"


def of_cookie(session_key: str) -> str:
    return f"cookie.{_digest(session_key)}"


def of_session(session_id: Any) -> str:
    return f"session.{session_id}"


def of_class(classroom_id: Any) -> str:
    return f"class.{classroom_id}"


def of_job(job_id: Any) -> str:
    return f"job.{job_id}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


# -- announcing ---------------------------------------------------------------------------------------------------


class Announcer:
    """Announces the changes in a transaction once, when it is committed."""

    silent_until = -math.inf
    """Until this time of the monotonic clock no announcement is tried. The value is shared by all
    announcers."""

    def __init__(self) -> None:
        self._waiting: set[str] = set()

    def add(self, topics: Iterable[str]) -> None:
        self._waiting.update(topics)
        transaction.on_commit(self._send)

    def _send(self) -> None:
        topics, self._waiting = self._waiting, set()
        if not topics or time.monotonic() < Announcer.silent_until:
            return
        listed = None if len(topics) > ANNOUNCED_TOPICS_MAX else sorted(topics)
        if not send_to_group(GROUP, {"type": "rights.changed", "topics": listed}):
            Announcer.silent_until = time.monotonic() + UNHEARD_SECONDS


class _Announcers:
    """Keeps one announcer for each database connection."""

    def __init__(self) -> None:
        self._of: WeakKeyDictionary[Any, Announcer] = WeakKeyDictionary()

    def here(self) -> Announcer:
        return self._of.setdefault(transaction.get_connection(), Announcer())


_announcers = _Announcers()


def changed(*topics: str) -> None:
    """Announce, once this transaction is committed, that rights with one of these topics may have ended. Does
    not raise."""
    _announcers.here().add(topics)


class AnnouncedUpdates(models.QuerySet[Any]):
    """A query set that announces its `update`, for which Django sends no signal."""

    topic_field = ""
    """The lookup with which the query set finds the owner's key of a row."""

    def update(self, **fields: Any) -> int:
        keys = list(self.values_list(self.topic_field, flat=True))
        count: int = super().update(**fields)
        changed(*(of_owner(key) for key in keys))
        return count


# -- holding ------------------------------------------------------------------------------------------------------


_asking_thread = KeptThread("rights")


class _Answer:
    """The last answer to the question whether a right lasts."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.ending: Ending | None = None
        self.asked_at = -math.inf
        self.changes = 0
        """This number grows with each announcement. If it has grown since an answer was requested, the answer
        is out of date and is ignored."""
        self.holders = 0


class _Batch:
    """Answers that are requested together, because switching to the thread takes longer than a query."""

    def __init__(self) -> None:
        self.answers: dict[str, _Answer] = {}
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def ask(self) -> list[Ending | None]:
        return [answer.right.ask() for answer in self.answers.values()]


class Board:
    """The sockets of one event loop, with their rights. While there are any, it listens to announcements."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._answers: dict[str, _Answer] = {}
        self._holders: dict[str, set[Holder]] = {}
        self._all: set[Holder] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._looks: set[asyncio.Task[None]] = set()
        self._is_listening = asyncio.Event()
        self._next: _Batch | None = None
        self._asking: asyncio.Task[None] | None = None

    async def enter(self, holder: Holder) -> None:
        """Add a socket. From now on its `look_again` is called when its rights may have changed."""
        if holder in self._all:
            return
        self._all.add(holder)
        for right in holder.rights:
            self._answers.setdefault(right.name, _Answer(right)).holders += 1
            for topic in right.topics:
                self._holders.setdefault(topic, set()).add(holder)
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._look_around())]
        await self._is_listening.wait()

    def leave(self, holder: Holder) -> None:
        if holder not in self._all:
            return
        self._all.discard(holder)
        for right in holder.rights:
            answer = self._answers[right.name]
            answer.holders -= 1
            if answer.holders == 0:
                del self._answers[right.name]
            for topic in right.topics:
                holders = self._holders.get(topic, set())
                holders.discard(holder)
                if not holders:
                    self._holders.pop(topic, None)
        if not self._all:
            for task in self._tasks:
                task.cancel()
            self._tasks = []
            self._is_listening.clear()

    def known_to_last(self, rights: Sequence[Right]) -> bool:
        """Whether recent answers say that all these rights last, so that the database need not be asked."""
        oldest = self._now() - ANSWER_SECONDS
        for right in rights:
            answer = self._answers.get(right.name)
            if answer is None or answer.ending is not None or answer.asked_at < oldest:
                return False
        return True

    async def ending(self, rights: Sequence[Right]) -> Ending | None:
        """Why a right has ended: the first of these rights that has ended counts. None if all last. Their
        sockets must have entered. Raises DatabaseError."""
        oldest = self._now() - ANSWER_SECONDS
        while True:
            # The answer about a right is removed with the last socket that has the right.
            answers = [self._answers[right.name] for right in rights if right.name in self._answers]
            old = [answer for answer in answers if answer.asked_at < oldest]
            if not old:
                return next((answer.ending for answer in answers if answer.ending is not None), None)
            if self._next is None:
                self._next = _Batch()
                if self._asking is None or self._asking.done():
                    self._asking = asyncio.create_task(self._ask())
            self._next.answers.update((answer.right.name, answer) for answer in old)
            await asyncio.shield(self._next.done)

    async def _ask(self) -> None:
        """Request the answers of one batch after the other. Rights that become due meanwhile form the next
        batch."""
        while self._next is not None:
            batch, self._next = self._next, None
            began = self._now()
            changes = [answer.changes for answer in batch.answers.values()]
            try:
                endings = await self._endings(batch)
            except Exception as error:
                batch.done.set_exception(error)
                # This reads the exception: asyncio reports exceptions that are not read, and the waiting
                # sockets may be closed.
                batch.done.exception()
                continue
            for answer, ending, before in zip(batch.answers.values(), endings, changes, strict=True):
                if answer.changes == before:
                    answer.ending, answer.asked_at = ending, began
            batch.done.set_result(None)

    async def _endings(self, batch: _Batch) -> list[Ending | None]:
        try:
            return await _asking_thread.run(batch.ask)
        except DatabaseError:
            # The kept connection may be lost because the database was restarted. A second try opens a new
            # one.
            return await _asking_thread.run(batch.ask)

    def changed(self, topics: Iterable[str] | None) -> None:
        """Let all sockets that have a right with one of these topics check all their rights. None: all
        sockets."""
        found = (
            set(self._all)
            if topics is None
            else {holder for topic in topics for holder in self._holders.get(topic, ())}
        )
        for holder in found:
            for right in holder.rights:
                answer = self._answers[right.name]
                answer.changes += 1
                answer.asked_at = -math.inf
        for holder in found:
            look = asyncio.create_task(holder.look_again())
            self._looks.add(look)
            look.add_done_callback(self._looks.discard)

    async def _listen(self) -> None:
        layer = get_channel_layer()
        while True:
            channel = None
            try:
                channel = await layer.new_channel("rights.")
                await layer.group_add(GROUP, channel)
                if self._is_listening.is_set():
                    self.changed(None)  # Announcements that were made in between were not received.
                self._is_listening.set()
                while True:
                    self.changed((await layer.receive(channel))["topics"])
            except (RedisError, OSError) as error:
                logger.warning("announcements of rights are not heard: %r", error)
                # Sockets may open even so, because their rights are also checked regularly.
                self._is_listening.set()
                await asyncio.sleep(LISTEN_AGAIN_SECONDS)
            finally:
                if channel is not None:
                    with suppress(RedisError, OSError):
                        await layer.group_discard(GROUP, channel)

    async def _look_around(self) -> None:
        while True:
            await asyncio.sleep(SILENT_SECONDS)
            for holder in list(self._all):
                await holder.look_again()
                try:
                    await holder.still_here()
                except RedisError as error:
                    logger.warning("a socket could not say that it is open: %r", error)


_boards: WeakKeyDictionary[asyncio.AbstractEventLoop, Board] = WeakKeyDictionary()


def board() -> Board:
    """The board of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _boards:
        _boards[loop] = Board()
    return _boards[loop]
