"""Reading a stranger's file in a process of its own with bounded memory and time, which knows no database.

Such a process is a module of this package that is run with arguments. A refusal goes to its standard error as JSON,
with exit code 3, and is raised here again.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from eosviz.bounded_process import bound_this_process
from eosviz.replays.refusal import ReplayRefused

logger = logging.getLogger(__name__)

AT_ONCE_MAX = 2
"""Files that one process of the site lets be checked beside each other."""
WAIT_SECONDS_MAX = 60
SECONDS_MAX = 300
"""Of the clock: a busy machine may need long for what takes little."""
LOGGED_BYTES_MAX = 2_000
"""Of what a process says that ended otherwise: it grew beyond its bounds, or has a fault."""
_PIECE = 256 * 1024
_REFUSED = 3
_ROOT = Path(__file__).resolve().parents[2]
_turns = threading.BoundedSemaphore(AT_ONCE_MAX)


class _Said(msgspec.Struct):
    key: str
    params: dict[str, object]


def read_apart(module: str, file: BinaryIO, *arguments: str, into: BinaryIO, too_much: str) -> None:
    """Run the module with the path of a copy of `file` and further arguments; `into` takes what it writes. Raises
    ReplayRefused; with the reason `too_much` when it grew beyond its bounds."""
    with tempfile.NamedTemporaryFile() as given, tempfile.TemporaryFile() as said:
        while piece := file.read(_PIECE):
            given.write(piece)
        given.flush()
        command = [sys.executable, "-m", module, given.name, *arguments]
        try:
            done = subprocess.run(
                command, cwd=_ROOT, stdin=subprocess.DEVNULL, stdout=into, stderr=said,
                timeout=SECONDS_MAX, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise ReplayRefused(too_much) from error
        if done.returncode == _REFUSED:
            said.seek(0)
            told = msgspec.json.decode(said.read(), type=_Said)
            raise ReplayRefused.said(told.key, told.params)
        if done.returncode != 0:
            said.seek(0)
            logger.warning(
                "%s ended with %s: %s",
                module,
                done.returncode,
                said.read()[-LOGGED_BYTES_MAX:].decode(errors="replace"),
            )
            raise ReplayRefused(too_much)


def read_in_turn(module: str, file: BinaryIO, *arguments: str, into: BinaryIO, too_much: str) -> None:
    """The same, when not too many others are read."""
    if not _turns.acquire(timeout=WAIT_SECONDS_MAX):
        raise ReplayRefused("busy")
    try:
        read_apart(module, file, *arguments, into=into, too_much=too_much)
    finally:
        _turns.release()


def within(processor_seconds: int, memory_bytes: int, work: Callable[[], None]) -> int:
    """The process itself: its exit code."""
    bound_this_process(processor_seconds, memory_bytes)
    try:
        work()
    except ReplayRefused as refused:
        sys.stderr.buffer.write(msgspec.json.encode(_Said(refused.key, refused.params)))
        return _REFUSED
    return 0
