"""Starts bounded processes. They are forked from the template, which has imported what they need, or are
started without it.

Each process of the site has a template of its own, from its first request until two minutes after the last
process ended. Only Linux can fork from a template (`pidfd_open`). Elsewhere, and if the template does not
answer, a process is started without it.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from eosviz.bounded.template import TAKEN

START_SECONDS_MAX = 60.0
"""The longest wait for an answer of the template, which may still load on a busy machine."""
LOST = -1000
"""The exit code of a process that ended because its template had ended."""
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "SYSTEMROOT")
"""The environment variables that a process inherits: no secret and no database address."""
_ROOT = Path(__file__).resolve().parents[2]


class Process(Protocol):
    """A running process."""

    def wait(self, timeout: float) -> int:
        """Wait, and return the exit code. A negative one is the signal that ended the process, or LOST.
        Raises subprocess.TimeoutExpired."""

    def kill(self) -> object:
        """End the process and wait for its end."""


class PlainProcess(subprocess.Popen[bytes]):
    def kill(self) -> None:
        super().kill()
        super().wait()


class ForkedProcess:
    """A process that the template has forked. `replies`: the site's end of the request's socket."""

    def __init__(self, replies: socket.socket) -> None:
        self._replies = replies
        self._code: int | None = None

    def wait(self, timeout: float) -> int:
        if self._code is None:
            if not _is_readable(self._replies, timeout):
                raise subprocess.TimeoutExpired("a bounded process", timeout)
            self._code = self._read_code()
        return self._code

    def kill(self) -> None:
        with self._replies, suppress(OSError):
            if self._code is None:
                self._replies.shutdown(socket.SHUT_WR)
                self._code = self._read_code()

    def _read_code(self) -> int:
        """Wait for the end of the process, and return its exit code; LOST if the template has ended."""
        try:
            return int(self._replies.recv(32) or LOST)
        except OSError:
            return LOST


class Template:
    """The site's side of the template: starts the template and sends it requests."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew in a fork of the site, because the template belongs to the process that started it."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The template's process id; None if it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def fork(self, folder: Path, output: int, held: int) -> ForkedProcess | None:
        """Returns the forked process; None if no template took the request in two tries."""
        for _ in range(2):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs, self._lock:
                requests = self._start()
                with suppress(OSError):  # the template has ended
                    socket.send_fds(requests, [os.fsencode(folder)], [theirs.fileno(), output, held])
            if _is_readable(ours, START_SECONDS_MAX):
                with suppress(OSError):
                    if ours.recv(len(TAKEN)) == TAKEN:
                        return ForkedProcess(ours)
            ours.close()
            self._end(requests)
        return None

    def _end(self, requests: socket.socket) -> None:
        """End the template that did not answer, unless another thread has done so."""
        with self._lock:
            if self._requests is requests and self._process is not None:
                self._process.kill()
                self._process.wait()

    def _start(self) -> socket.socket:
        if self.pid is not None and self._requests is not None:
            return self._requests
        if self._requests is not None:
            self._requests.close()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "eosviz.bounded.template", str(theirs.fileno())],
                cwd=_ROOT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        return self._requests


def start(folder: Path, output: int, held: int) -> Process:
    """Start the process of the request in `folder`. `output`: the descriptor of the file for its standard
    output and error. `held`: the descriptor of the folder's lock."""
    forked = template.fork(folder, output, held) if sys.platform == "linux" else None
    if forked is not None:
        return forked
    return PlainProcess(
        [sys.executable, "-m", "eosviz.bounded", str(folder), str(os.getpid())],
        cwd=_ROOT,
        env={**_environment(), "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(held,),
    )


def _environment() -> dict[str, str]:
    return {"PYTHONUTF8": "1", **{name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}}


def _is_readable(replies: socket.socket, seconds: float) -> bool:
    polled = select.poll()  # `select` takes no descriptor above 1023
    polled.register(replies, select.POLLIN)
    return bool(polled.poll(max(0, int(seconds * 1000))))


template = Template()
os.register_at_fork(after_in_child=template.forget)
