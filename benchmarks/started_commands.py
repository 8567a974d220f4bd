"""Starts commands as a person does from the command line, and measures, with the start-up: seconds by the clock,
processor time and memory.
"""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from eosviz.launch.places import ROOT

TOOL = "kafka-dump-log.sh"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one start of a command cost."""

    seconds: float
    processor_seconds: float
    """Of the process and of all processes that it waited for."""


def started(command: Sequence[str]) -> Cost:
    """Run the command once. Its output is dropped; if it fails, RuntimeError is raised."""
    # Python may store compiled files, as it does for a person.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def starts(commands: Mapping[str, Sequence[str]]) -> dict[str, Callable[[], Cost]]:
    """Return each command as a side for `in_turns`."""
    return {name: partial(started, command) for name, command in commands.items()}


def clock(costs: Sequence[Cost]) -> list[float]:
    return [one.seconds for one in costs]


def processor(costs: Sequence[Cost]) -> list[float]:
    return [one.processor_seconds for one in costs]


def our_logs(*arguments: str) -> list[str]:
    """Return the command line of `manage.py logs`."""
    return [sys.executable, "manage.py", "logs", *arguments]


def floor(folder: Path) -> list[str]:
    """Return the command line of plain reading with checksums."""
    return [sys.executable, "-m", "benchmarks.plain_checksums", str(folder)]


def kafkas_tool(folder: Path, *, deep: bool) -> list[str] | None:
    """Return the command line of Kafka's own tool on the same files; None if the tool is not in `PATH`."""
    tool = shutil.which(TOOL) or shutil.which(TOOL.removesuffix(".sh"))
    files = ",".join(map(str, sorted(folder.rglob("*.log"))))
    return None if tool is None else [tool, "--files", files, *(["--deep-iteration"] if deep else [])]
