"""Running other programs during set-up: quiet while they work, their last words when they fail."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem

LAST_LINES = 15


def say(line: str) -> None:
    print(line, flush=True)


def attempt(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> tuple[bool, str]:
    """Run to the end; give success and the output, both streams in one."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode == 0, done.stdout


def require(command: Sequence[str | Path], remedy: str, environment: Mapping[str, str] | None = None) -> str:
    """Run to the end and give the output. On failure show its last lines and raise with the remedy."""
    succeeded, output = attempt(command, environment)
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
