"""Starting, recognising and ending processes, so that exactly what was started here is ended here."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

POLL_SECONDS = 0.05
PR_SET_PDEATHSIG = 1  # from Linux's prctl.h


def die_with_parent(parent: int) -> Callable[[], None] | None:
    """For `preexec_fn`: on Linux the kernel ends the child when its parent is gone, even by SIGKILL.

    Elsewhere there is no such request, and the next start ends what it finds left (`occupancy`).
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: between fork and exec little may be done

    def ask_kernel() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the parent died before the request
            os._exit(1)

    return ask_kernel


def start_mark(pid: int) -> str | None:
    """When this process started, as the system writes it. None when there is no such process.

    A process id is used again after a while; id and start mark together name one process for ever.
    """
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        fields = stat.rpartition(")")[2].split()  # the program's name, before it, may hold anything
        return None if fields[0] == "Z" else fields[19]
    asked = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return asked.stdout.strip() or None


def signal_group(leader: int, number: signal.Signals) -> None:
    """Every child leads a process group of its own, so that what it starts is ended with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def end_stray(pid: int, mark: str, grace_seconds: float) -> bool:
    """End a process of an earlier start, which is no child of this one. False if it had gone already."""
    if start_mark(pid) != mark:
        return False
    signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while start_mark(pid) == mark and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if start_mark(pid) == mark:
        signal_group(pid, signal.SIGKILL)
    return True
