"""What a socket keeps of the step that was made ahead (`ahead.py`), and the thread that stores it.

A worker sends the step to the one socket whose page stepped. When this page asks for it, the socket's own process
stores it, in the transaction that a worker would make of it, and no message has to go to a worker and back before the
page is answered. Whatever stands in the way of that is the worker's to find out: it gets the command as if nothing had
been kept.
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
    """What a worker sends. `may_be_stored`: without asking a worker again."""
    made = MadeStep(step.number, step.at, step.interesting, bytes(step.body), bytes(step.derived or b"{}"))
    packed = msgspec.msgpack.encode(made)
    return {"type": "session.ahead", "branch": branch_id, "made": packed, "may_be_stored": may_be_stored}


class KeptAhead:
    """Of one socket: the last step that was told to its page."""

    def __init__(self) -> None:
        self._branch_id = 0
        self._made: MadeStep | None = None

    def keep(self, event: dict[str, Any]) -> bytes:
        """Take what a worker sent. Gives the message for the page."""
        made = _decoder.decode(event["made"])
        self._branch_id, self._made = event["branch"], made if event["may_be_stored"] else None
        told = msgspec.Raw(joined(made.body, made.derived))
        return encode(Ahead(branch=str(event["branch"]), after=made.number - 1, step=told))

    def take(self, command: Advance) -> MadeStep | None:
        """The step, once, where it is all that the command asks for."""
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
    """Of one process: its connection to the database is kept, as a worker's are. A web request may end in any thread,
    so the others keep none."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "storing")
        self._until = 0.0

    async def run(
        self, store: Callable[..., Result | None], session_id: uuid.UUID, *given: Any
    ) -> Result | None:
        """What `store` gives; None where the database failed, and then it stored all of it or nothing."""
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


storing = StoringThread()
