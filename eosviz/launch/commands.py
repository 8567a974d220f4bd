"""Runs other programs during set-up. Their output is not shown while they run; if one fails, its last lines
are."""

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
    """Print a line. If the output is a file on a full disk, the line is lost, and no error is raised."""
    with contextlib.suppress(OSError):
        print(line, flush=True)


def attempt(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    seconds_max: float | None = None,
) -> tuple[bool, str]:
    """Run a program to its end. Returns whether it succeeded, and its output (standard output and error
    together). After `seconds_max` the program is killed, which counts as a failure. Raises OSError if the
    program cannot be started."""
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Ctrl-C must reach the program, so it gets a process group of its own only if a time limit may
        # require killing the group.
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
    """Run a program to its end and return its output. If it fails, print the output's last lines and raise
    Problem with the remedy."""
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
    """Whether this process may install Debian packages."""
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_debian_package(*names: str) -> bool:
    """Install packages with apt. May be called only if `is_debian_root()`. Returns whether apt succeeded."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    attempt(["apt-get", "update", "-q"], quiet)
    return attempt(["apt-get", "install", "-y", "-q", "--no-install-recommends", *names], quiet)[0]
