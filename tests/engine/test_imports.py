"""Modules form layers: their imports have no cycles, including imports for annotations and inside functions."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax_tree import tree_of

ROOT = Path(__file__).parents[2]


def modules(package: str) -> dict[str, Path]:
    paths = (ROOT / package).rglob("*.py")
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    found = set()
    for module, name in names_imported(path):
        # An imported name is a module itself, or is defined in the module that it is imported from.
        whole = f"{module}.{name}" if name else module
        found.add(whole if whole in known else module)
    return {module for name in found for module in loaded_with(name)} & known.keys()


@cache
def names_imported(path: Path) -> set[tuple[str, str]]:
    """Return each module that the file imports, with the name imported from it, or "" for the module itself."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {(node.module, alias.name) for alias in node.names}
    return found


def loaded_with(name: str) -> set[str]:
    """Return a module and the packages that contain it: Python runs their ``__init__`` first."""
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def packages() -> dict[str, set[str]]:
    """Return each package or single module directly in ``eosviz/`` → those that it imports."""
    known = modules("eosviz")
    graph: dict[str, set[str]] = {}
    for name, path in known.items():
        own = name.split(".")[1:2]
        found = {module.split(".")[1] for module in imported(path, known) if "." in module}
        for package in own:
            graph.setdefault(package, set()).update(found - {package})
    return graph


def layers() -> list[list[str]]:
    """Return the layers listed in docs/architecture.md, the lowest first."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = text.partition("```layers\n")[2].partition("```")[0]
    return [line.split() for line in reversed(block.splitlines())]


def assert_no_circle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        raise AssertionError(" imports ".join(reversed(circle.args[1]))) from None


def test_no_package_of_the_site_imports_one_that_imports_it() -> None:
    assert_no_circle(packages())


def test_a_package_of_the_site_imports_only_from_layers_below_its_own() -> None:
    graph, below = packages(), set[str]()
    listed = [name for layer in layers() for name in layer]
    assert sorted(listed) == sorted(path.parent.name for path in (ROOT / "eosviz").glob("*/__init__.py"))
    for layer in layers():
        for name in layer:
            assert graph[name] & set(listed) <= below, f"{name} imports from its own layer or one above"
        below |= set(layer)


@pytest.mark.parametrize("package", ["engine", "eosviz"])
def test_no_module_imports_one_that_imports_it(package: str) -> None:
    known = modules(package)
    assert len(known) > 200
    graph = {name: imported(path, known) - {name} for name, path in known.items()}
    assert_no_circle(graph)
