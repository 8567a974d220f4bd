"""Starts bounded processes: forked from the template, which has already imported what they need, or as new
programs.

Each process of the site has its own template, from its first request until two minutes after its last bounded
process ended. Only Linux can fork from a template (`pidfd_open`). Elsewhere, and if the template does not
answer, a process is started as a new program.
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
"""The longest wait for an answer of the template. On a busy machine it may take long to load."""
LOST = -1000
"""The exit code of a process that ended because the template ended."""
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "SYSTEMROOT")
"""The environment variables that a process inherits. None of them contains a secret or the address of a
database."""
_ROOT = Path(__file__).resolve().parents[2]


class Process(Protocol):
    """A running process."""

    def wait(self, timeout: float) -> int:
        """Wait for the end of the process, and return its exit code: negative if a signal ended it (the
        signal's number), or LOST. Raises subprocess.TimeoutExpired after `timeout` seconds."""

    def kill(self) -> object:
        """End the process and wait for its end."""


class PlainProcess(subprocess.Popen[bytes]):
    def kill(self) -> None:
        super().kill()
        super().wait()


class ForkedProcess:
    """A process that was forked by the template. `replies`: the site's end of the socket over which the
    template reports on this process."""

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
        """Start with no template. Called in a fork of the site's process, because the old template belongs to
        the process that started it."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The template's process id; None if it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def fork(self, folder: Path, output: int, held: int) -> ForkedProcess | None:
        """Let the template fork a process for the request in `folder`. Returns None if the template did not
        take the request in two tries."""
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
        """End the template, which did not answer, unless another thread has already ended it."""
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
    """Start the process of the request in `folder`. `output`: the file descriptor for its standard output and
    error. `held`: the file descriptor of the folder's lock."""
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
    polled = select.poll()  # `select` takes no file descriptor above 1023.
    polled.register(replies, select.POLLIN)
    return bool(polled.poll(max(0, int(seconds * 1000))))


template = Template()
os.register_at_fork(after_in_child=template.forget)
