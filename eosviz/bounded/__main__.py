"""The process: `python -m eosviz.bounded FOLDER PARENT`. README.md has its protocol."""

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
"""The memory of programs and libraries, which the system's bound on data (RLIMIT_DATA) does not count: about
60 MiB for Python with msgspec, 130 MiB with pyarrow."""
_PR_SET_PDEATHSIG = 1  # from Linux's prctl.h


def end_with(parent: int) -> None:
    """Let the operating system kill this process when its parent has ended (Linux). If it has ended already,
    this process exits."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the call
        os._exit(1)


def bound(task: Task) -> None:
    """Bound the processor time, the memory and the written files of this process."""
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
