"""Waits until a bounded process may start, starts it, and reads its answer."""

from __future__ import annotations

import errno
import logging
import math
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings

from eosviz.bounded.protocol import ANSWER, ASKED, NO_MEMORY, OUTPUT, REFUSED, REFUSED_CODE, TASK, Refusal
from eosviz.bounded.refusing import BeyondBounds, Busy, Cancelled, NotThisTime, Refused, Stopped
from eosviz.bounded.register import COMMAND_LINE, Caller, Register, Request
from eosviz.bounded.starting import start
from eosviz.bounded.tasks import Task
from eosviz.launch.storage import Level, room_in

logger = logging.getLogger(__name__)

WAIT_SECONDS_MAX = 20
"""If a page waits without showing progress, a process must start within this many seconds. After that, the
page says that other requests are ahead."""
BUSY_SECONDS = 10
LOOK_SECONDS = 0.05
"""How often a running process is checked, and how often the first request of the queue checks whether it may
start. Later requests check less often."""
LOOK_SECONDS_MAX = 1.0
LOGGED_BYTES_MAX = 2_000
"""If the process fails, at most the last this many bytes of its output are logged."""
_STOPPING = {-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP}


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a process. `answer`: its bytes. `folder`: has the files that the process wrote beside its
    answer; it is deleted when the block of `run` ends."""

    answer: bytes
    folder: Path


def _nothing(folder: Path) -> None:
    pass


def register() -> Register:
    return Register(Path(settings.DATA_DIR) / "bounded")


def answer(task: Task, asked: Any, caller: Caller = COMMAND_LINE) -> bytes:
    """Like `run`, for a page that waits: returns only the answer, and waits at most WAIT_SECONDS_MAX for the
    start."""
    with run(task, asked, caller, wait_seconds=WAIT_SECONDS_MAX) as done:
        return done.answer


@contextmanager
def run(
    task: Task,
    asked: Any,
    caller: Caller = COMMAND_LINE,
    *,
    name: str | None = None,
    wait_seconds: float = math.inf,
    each: Callable[[Path], None] = _nothing,
) -> Iterator[Done]:
    """Wait in the queue, start the process and wait for its answer. `name`: the request's name in the
    register. `wait_seconds`: the longest wait for the start. `each` is called repeatedly with the folder; an
    exception from it ends the request. Raises Refused, BeyondBounds, Busy, Cancelled, Stopped, OSError, or
    AlreadyThere if the name is in use."""
    with register().enter(task, caller, name) as request:
        (request.folder / TASK).write_bytes(msgspec.json.encode(task))
        (request.folder / ASKED).write_bytes(msgspec.json.encode(asked))
        _wait_for_turn(request, wait_seconds, each)
        code = _run_process(task, request, each)
        if code != 0:
            _raise(task, request.folder, code)
        yield Done((request.folder / ANSWER).read_bytes(), request.folder)


def _wait_for_turn(request: Request, wait_seconds: float, each: Callable[[Path], None]) -> None:
    until = time.monotonic() + wait_seconds
    while not request.start(settings.BOUNDED_MEMORY_BYTES):
        if request.cancelled:
            raise Cancelled
        if time.monotonic() > until:
            raise Busy("bounded.busy", {"seconds": BUSY_SECONDS}, seconds=BUSY_SECONDS)
        each(request.folder)
        time.sleep(min(LOOK_SECONDS * max(request.place, 1), LOOK_SECONDS_MAX))


def _run_process(task: Task, request: Request, each: Callable[[Path], None]) -> int:
    """Run the process and return its exit code. In case of NotThisTime, Cancelled or an exception from
    `each`, the process is ended before the exception is raised."""
    until = time.monotonic() + task.clock_seconds
    with (request.folder / OUTPUT).open("wb") as output:
        process = start(request.folder, output.fileno(), request.held)
    try:
        while True:
            try:
                return process.wait(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))
            except subprocess.TimeoutExpired:
                if request.cancelled:
                    raise Cancelled from None
                if time.monotonic() > until:
                    raise NotThisTime(task.beyond) from None
                each(request.folder)
    finally:
        process.kill()


def _raise(task: Task, folder: Path, code: int) -> None:
    if code == REFUSED_CODE:
        refusal = msgspec.json.decode((folder / REFUSED).read_bytes(), type=Refusal)
        raise Refused(refusal.key, refusal.params)
    if code in _STOPPING:
        raise Stopped
    if (room := room_in(folder)).level is Level.NONE:
        raise OSError(errno.ENOSPC, room.why, str(folder))  # The disk is full; the file is not too large.
    if code not in (NO_MEMORY, -signal.SIGXCPU):
        output = (folder / OUTPUT).read_bytes()[-LOGGED_BYTES_MAX:].decode(errors="replace")
        logger.warning("the bounded process %s ended with %s: %s", task.name, code, output)
        raise NotThisTime(task.beyond)
    raise BeyondBounds(task.beyond)
