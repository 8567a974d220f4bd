"""Starts, recognises and ends processes, so that only processes that eosviz started are ended."""

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
    """A function for `preexec_fn` of a child. It makes Linux end the child with SIGTERM when its parent ends.
    None on other systems."""
    if sys.platform != "linux":
        return None
    # Looked up before the fork, because between fork and exec a process may do little.
    prctl = ctypes.CDLL(None).prctl

    def ask_kernel() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # The parent ended before `prctl` was called.
            os._exit(1)

    return ask_kernel


def start_mark(pid: int) -> str | None:
    """The start time of a process, in the form in which the system states it; None if the process has ended.
    Since process ids are reused, a process is identified by its id together with this mark."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        # The program's name comes before it and may contain any character.
        fields = stat.rpartition(")")[2].split()
        return None if fields[0] == "Z" else fields[19]
    asked = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return asked.stdout.strip() or None


class Adopted:
    """A child that another process started and that this process took over. It has some methods of
    `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """The exit code, or the negative number of the signal that ended the process; None while it runs."""

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit code. Raises subprocess.TimeoutExpired after
        `timeout` seconds; with None it waits without a limit."""
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
    """Collect the exit codes of ended children of this process, until the next one is in `known`, whose owner
    does this itself. Linux only."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in known:
            return
        os.waitpid(ended.si_pid, os.WNOHANG)


class Rest:
    """A pause in the main thread. It ends early when a signal arrives, such as the one that reports the end
    of a child."""

    def __init__(self) -> None:
        self._heard, self._signalled = socket.socketpair()
        self._heard.setblocking(False)
        self._signalled.setblocking(False)
        signal.set_wakeup_fd(self._signalled.fileno(), warn_on_full_buffer=False)
        # A signal that is ignored would not end the pause.
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def take(self, seconds: float, others: Sequence[SupportsFileno] = ()) -> None:
        """Wait until a signal arrives or one of `others` can be read, but at most `seconds`."""
        select.select([self._heard, *others], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            self._heard.recv(4096)

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._heard.close()
        self._signalled.close()


def signal_group(leader: int, number: signal.Signals) -> None:
    """Send a signal to a child and to the processes that it started. `leader`: the child's id, which is also
    that of its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def end_stray(pid: int, mark: str, grace_seconds: float) -> bool:
    """End a process that an earlier start left, which is no child of this process. `mark`: its start mark.
    Returns False if it had already ended."""
    if start_mark(pid) != mark:
        return False
    signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while start_mark(pid) == mark and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if start_mark(pid) == mark:
        signal_group(pid, signal.SIGKILL)
    return True
