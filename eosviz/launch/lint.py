"""`make lint`: runs all linters and type checks. If one of them finds something, the others still run."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from eosviz.launch.commands import say
from eosviz.launch.frontend import find_node
from eosviz.launch.places import ENVIRONMENT, ROOT


def lint() -> int:
    """Run all checks. Returns the exit code: 0 if no check found anything, else 1."""
    programs = ENVIRONMENT / "bin"
    node = find_node()
    checks: Sequence[tuple[str, Sequence[str | Path], Mapping[str, str]]] = (
        ("ruff check", [programs / "ruff", "check", "."], {}),
        ("ruff format", [programs / "ruff", "format", "--check", "."], {}),
        ("mypy", [programs / "mypy"], {}),
        ("tsc", node.npm("run", "typecheck", "--silent"), node.environment()),
        ("biome", node.npm("run", "lint", "--silent"), node.environment()),
    )
    failed = []
    for name, command, environment in checks:
        say(f"== {name}")
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            failed.append(name)
    say(f"lint: {', '.join(failed)} found something" if failed else "lint: nothing found")
    return 1 if failed else 0
