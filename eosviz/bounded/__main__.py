"""The program of a bounded process: `python -m eosviz.bounded FOLDER PARENT`. README.md describes its
protocol."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from importlib import import_module
from pathlib import Path

import msgspec

from eosviz.bounded.protocol import (
    ANSWER,
    ASKED,
    FILE_BYTES_MAX,
    NO_MEMORY,
    REFUSED,
    REFUSED_CODE,
    TASK,
    Refusal,
)
from eosviz.bounded.refusing import Refused
from eosviz.bounded.tasks import Task

CODE_BYTES = 160 * 2**20
"""The memory of programs and libraries, which the system does not count against the limit on data
(RLIMIT_DATA): about 60 MiB for Python with msgspec, 130 MiB with pyarrow."""
_PR_SET_PDEATHSIG = 1  # from Linux's prctl.h


def end_with(parent: int) -> None:
    """Let the operating system kill this process when its parent ends (Linux). If the parent has already
    ended, exit."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # The parent ended before `prctl` was called.
        os._exit(1)


def bound(task: Task) -> None:
    """Limit the processor time, the memory and the size of written files of this process to those of its
    task."""
    import resource

    for kind, most in (
        (resource.RLIMIT_CPU, task.processor_seconds),
        (resource.RLIMIT_DATA, task.memory_bytes - CODE_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES_MAX),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main(place: str, parent: str) -> int:
    end_with(int(parent))
    folder = Path(place)
    task = msgspec.json.decode((folder / TASK).read_bytes(), type=Task)
    bound(task)
    module, _, function = task.work.partition(":")
    try:
        answer = getattr(import_module(module), function)((folder / ASKED).read_bytes(), folder)
    except Refused as refused:
        (folder / REFUSED).write_bytes(msgspec.json.encode(Refusal(refused.key, refused.params)))
        return REFUSED_CODE
    except MemoryError:
        return NO_MEMORY
    (folder / ANSWER).write_bytes(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
