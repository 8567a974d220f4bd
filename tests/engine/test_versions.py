"""What differs between versions of Kafka is chosen when a role is built; nothing asks for the version later."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "engine"
CHOOSING = {
    ("broker/validation.py", "data_level"),
    ("broker/validation.py", "marker_level"),
    ("client/configuration.py", "_idempotent"),
    ("scenario/form.py", "form"),
    ("scenario/header.py", "header_of"),
}
"""Functions that are constructors by what they do: they choose from a table, check settings before a role is built, or
name the version to readers."""
BUILDING = ("building.py", "initial_state.py", "profile.py", "profiles.py", "versions/", "vectors/")


def questions(path: Path) -> Iterator[tuple[str, int]]:
    """Each ``….profile.…`` or ``profile.…`` of a module, with the function that asks."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef) else function
            if isinstance(child, ast.Attribute) and named(child.value) == "profile":
                yield inside, child.lineno
            yield from walk(child, inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), "")


def named(node: ast.expr) -> str:
    """The last word of a name or of an attribute."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def test_a_version_is_asked_only_where_a_role_is_built_or_a_table_is_chosen() -> None:
    asked = []
    found = 0
    for path in sorted(ENGINE.rglob("*.py")):
        name = str(path.relative_to(ENGINE))
        if name.startswith(BUILDING):
            continue
        for function, line in questions(path):
            found += 1
            if function != "__init__" and (name, function) not in CHOOSING:
                asked.append(f"{name}:{line} in {function or 'the module'}")
    assert asked == []
    assert found > 20, "the search finds what it looks for"


TOY_VERSION = """
from dataclasses import replace

from engine.versions.k28 import PROFILE as K28

PROFILE = replace(K28, name="toy", version="9.9", verifies_partitions=True, accepts_unknown_producer=False)
"""
RUNS_TOY = """
import sys

from engine import versions

versions.__path__.append(sys.argv[1])
from engine.profiles import PROFILES
from engine.scenario.shelf import entry
from engine.scenario.document import load
from engine.simulation import Simulation

document = {**entry("SC-44").document, "profile": "toy", "variants": []}
simulation = Simulation(load(document))
simulation.run()
print(list(PROFILES), simulation.header()["version"], simulation.finished)
print([verdict.line() for verdict in simulation.verdicts()][0])
"""


def test_a_toy_version_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(TOY_VERSION, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", RUNS_TOY, str(tmp_path)],
        cwd=ENGINE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told, verdict = ran.stdout.splitlines()
    assert told == "['k010', 'k20', 'k28', 'toy'] 9.9 complete"
    assert "duplicates=0 lost=0" in verdict
