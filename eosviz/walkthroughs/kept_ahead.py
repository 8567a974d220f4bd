"""The step made ahead (`ahead.py`), which the page's socket keeps, and the thread that stores it.

A worker sends the step to the socket of the page that stepped. When the page asks for it, the web process
stores it, as a worker would (`storing_ahead.py`), and answers the page without a worker. If anything
prevents that, the worker gets the command, as if no step had been kept.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from django.conf import settings
from django.db import DatabaseError, connection

from eosviz.walkthroughs.deriving import joined
from eosviz.walkthroughs.made_steps import MadeStep
from eosviz.walkthroughs.messages import Advance, Ahead, encode
from eosviz.walkthroughs.models import Step

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_decoder = msgspec.msgpack.Decoder(MadeStep)


def ahead_event(branch_id: int, step: Step, may_be_stored: bool) -> dict[str, Any]:
    """A worker's message with a step made ahead. `may_be_stored`: whether the page's socket may store the step without
    a worker."""
    made = MadeStep(step.number, step.at, step.interesting, bytes(step.body), bytes(step.derived or b"{}"))
    packed = msgspec.msgpack.encode(made)
    return {"type": "session.ahead", "branch": branch_id, "made": packed, "may_be_stored": may_be_stored}


class KeptAhead:
    """The last step made ahead that the page of this socket got, if the socket may store it."""

    def __init__(self) -> None:
        self._branch_id = 0
        self._made: MadeStep | None = None

    def keep(self, event: dict[str, Any]) -> bytes:
        """Keep a worker's message. Returns the message for the page."""
        made = _decoder.decode(event["made"])
        self._branch_id, self._made = event["branch"], made if event["may_be_stored"] else None
        sent_step = msgspec.Raw(joined(made.body, made.derived))
        return encode(Ahead(branch=str(event["branch"]), after=made.number - 1, step=sent_step))

    def take(self, command: Advance) -> MadeStep | None:
        """The kept step, if it is all that the command asks for; else None. It is returned at most once."""
        made = self._made
        if made is None or (int(command.branch), command.after, command.count) != (
            self._branch_id,
            made.number - 1,
            1,
        ):
            return None
        self._made = None
        return made


class StoringThread:
    """A thread of this process with a database connection of its own that stays open, like a worker's. Web
    requests may end in any thread, so other threads keep no connection."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "storing")
        self._until = 0.0

    async def run(
        self, store: Callable[..., Result | None], session_id: uuid.UUID, *given: Any
    ) -> Result | None:
        """The result of `store`, which may be None. Also None if the database failed; then either everything
        was stored or nothing."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._stored, store, session_id, *given
        )

    def _stored(
        self, store: Callable[..., Result | None], session_id: uuid.UUID, *given: Any
    ) -> Result | None:
        if time.monotonic() >= self._until:
            connection.close()
            self._until = time.monotonic() + settings.WORKER_CONNECTION_SECONDS
        try:
            return store(session_id, *given)
        except DatabaseError as error:
            connection.close()
            logger.warning("session %s: a step was left to the worker: %r", session_id, error)
            return None


storing_thread = StoringThread()
