"""Running other programs during set-up: quiet while they work, their last words when they fail."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem
from eosviz.launch.processes import signal_group

LAST_LINES = 15


def say(line: str) -> None:
    """Never raises: where the output is a file on a full disk the line is lost and the work goes on."""
    with contextlib.suppress(OSError):
        print(line, flush=True)


def attempt(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    seconds_max: float | None = None,
) -> tuple[bool, str]:
    """Run to the end; give success and the output, both streams in one.

    What is not over after `seconds_max` is ended, with all it started, and has not succeeded.
    """
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Ctrl-C must reach it, so it gets a group of its own only where it is to be ended as a group.
        process_group=None if seconds_max is None else 0,
    )
    try:
        output, _ = process.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired:
        signal_group(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return False, f"{output}\nended: it was not over after {seconds_max:g} s\n"
    except BaseException:
        if seconds_max is not None:
            signal_group(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        raise
    return process.returncode == 0, output


def require(
    command: Sequence[str | Path],
    remedy: str,
    environment: Mapping[str, str] | None = None,
    seconds_max: float | None = None,
) -> str:
    """Run to the end and give the output. On failure show its last lines and raise with the remedy."""
    succeeded, output = attempt(command, environment, seconds_max)
    if not succeeded:
        lines = output.strip().splitlines()
        if len(lines) > LAST_LINES:
            say(f"  ({len(lines) - LAST_LINES} lines before these)")
        for line in lines[-LAST_LINES:]:
            say(f"  {line}")
        raise Problem(f"{Path(command[0]).name} {' '.join(map(str, command[1:4]))} failed: {remedy}")
    return output


def is_debian_root() -> bool:
    """True where this process may install Debian packages."""
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_debian_package(*names: str) -> bool:
    """Install with apt; called only where `is_debian_root`. False when apt could not."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    attempt(["apt-get", "update", "-q"], quiet)
    return attempt(["apt-get", "install", "-y", "-q", "--no-install-recommends", *names], quiet)[0]
