"""Starts, recognises and ends processes, so that exactly those that were started here are ended here."""

import contextlib
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

POLL_SECONDS = 0.05
PR_SET_PDEATHSIG = 1  # from Linux's prctl.h


class SupportsFileno(Protocol):
    def fileno(self) -> int: ...


def die_with_parent(parent: int) -> Callable[[], None] | None:
    """A function for `preexec_fn`, by which Linux ends the child (SIGTERM) when its parent has ended. None on
    other systems."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: little is allowed between fork and exec

    def ask_kernel() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the parent died before the request
            os._exit(1)

    return ask_kernel


def start_mark(pid: int) -> str | None:
    """The start time of this process, as the system states it. None if it has ended. Process ids are reused, so a
    process is recognised by its id and its start mark."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        fields = stat.rpartition(")")[2].split()  # the program's name before it may contain anything
        return None if fields[0] == "Z" else fields[19]
    asked = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return asked.stdout.strip() or None


class Adopted:
    """A child that this process did not start itself, with a part of the interface of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """The exit code, or minus the signal that ended the process; None while it runs."""

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit code. Raises subprocess.TimeoutExpired after
        `timeout` seconds; None: no bound."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (returncode := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(POLL_SECONDS / 10)
        return returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def reap_others(known: set[int]) -> None:
    """Reap ended children of this process up to the first that is in `known`. Linux only."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in known:
            return
        os.waitpid(ended.si_pid, os.WNOHANG)


class Rest:
    """A pause in the main thread. It ends early when a signal arrives, also when a child dies."""

    def __init__(self) -> None:
        self._heard, self._signalled = socket.socketpair()
        self._heard.setblocking(False)
        self._signalled.setblocking(False)
        signal.set_wakeup_fd(self._signalled.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)  # an ignored signal wakes nothing

    def take(self, seconds: float, others: Sequence[SupportsFileno] = ()) -> None:
        """Wait until a signal arrives or one of `others` can be read, at most `seconds`."""
        select.select([self._heard, *others], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            self._heard.recv(4096)

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._heard.close()
        self._signalled.close()


def signal_group(leader: int, number: signal.Signals) -> None:
    """Send a signal to a child and to all that it started: every child leads a process group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def end_stray(pid: int, mark: str, grace_seconds: float) -> bool:
    """End a process of an earlier start, which is no child of this process. False if it had ended already."""
    if start_mark(pid) != mark:
        return False
    signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while start_mark(pid) == mark and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if start_mark(pid) == mark:
        signal_group(pid, signal.SIGKILL)
    return True
