"""Differences between versions of Kafka are chosen when a role is built; no code asks for the version later."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from engine.client.blocking_identity import BlockingIdentity
from engine.client.queued_identity import QueuedIdentity
from engine.errors import Refused
from engine.profile import Profile
from engine.scenario.document import load
from engine.simulation import Simulation
from tests.syntax_tree import tree_of

ENGINE = Path(__file__).parents[2] / "engine"
CHOOSING = {
    ("broker/controllers.py", "controller_of"),
    ("broker/validation.py", "data_level"),
    ("broker/validation.py", "marker_level"),
    ("client/configuration.py", "_idempotent"),
    ("client/configuration.py", "_idempotent_unless"),
    ("client/configuration.py", "defaults"),
    ("client/configuration.py", "kafka_name"),
    ("client/control_reactions.py", "generation_of"),
    ("client/produce_reactions.py", "fatal_in"),
    ("client/produce_reactions.py", "retried_in"),
    ("client/thrown.py", "thrown_by"),
    ("explain/in_force.py", "needs"),
    ("pseudocode/documents.py", "_generations"),
    ("pseudocode/documents.py", "_of_other_versions"),
    ("scenario/form.py", "form"),
    ("scenario/header.py", "header_of"),
    ("why/states.py", "rows_out_of"),
    ("wire/broker_apis.py", "listed"),
}
"""Functions that count as constructors: they choose from a table, check or name settings before a role is built, or
show the version to readers.
"""
BUILDING = ("building.py", "initial_state.py", "profile.py", "profiles.py", "versions/", "vectors/")


def questions(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each access to an attribute of a profile in a module: the name of its function and its line."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef) else function
            if isinstance(child, ast.Attribute) and named(child.value) == "profile":
                yield inside, child.lineno
            yield from walk(child, inside)

    yield from walk(tree_of(path), "")


def named(node: ast.expr) -> str:
    """Return the name, or the last attribute of a dotted name."""
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


BOOLEANS = {item.name for item in fields(Profile) if item.type == "bool"}
GUARDS = "client/client_states.py"
"""Guards of rows may ask the producer about its version, because their purpose is to choose rows."""


def kept_booleans(tree: ast.AST) -> Iterator[str]:
    """Yield the names under which a module's constructors store a boolean of a version unchanged: ``self.x =
    profile.y``.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if (
                isinstance(target, ast.Attribute)
                and isinstance(node.value, ast.Attribute)
                and node.value.attr in BOOLEANS
                and named(node.value.value) == "profile"
            ):
                yield target.attr


def functions_asking(tree: ast.AST, attributes: set[str], module: str) -> Iterator[tuple[str, str]]:
    """Yield each function, except constructors, that reads one of the attributes: (attribute, place of the
    function).
    """
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name != "__init__":
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr in attributes
                    and isinstance(node.ctx, ast.Load)
                    and named(node.value) != "profile"
                ):
                    yield node.attr, f"{module}:{function.lineno} {function.name}"


def test_what_a_version_decides_in_several_places_is_a_strategy() -> None:
    trees = {
        str(path.relative_to(ENGINE)): tree_of(path)
        for path in sorted(ENGINE.rglob("*.py"))
        if not str(path.relative_to(ENGINE)).startswith(BUILDING)
    }
    kept = {name for tree in trees.values() for name in kept_booleans(tree)}
    assert len(kept) > 10, "the search finds what it looks for"
    asking: dict[str, set[str]] = {}
    for module, tree in trees.items():
        if module != GUARDS:
            for name, place in functions_asking(tree, kept, module):
                asking.setdefault(name, set()).add(place)
    assert {name: sorted(places) for name, places in asking.items() if len(places) > 1} == {}
    assert kept - asking.keys() - {"raises_at_commit"} == set(), "a kept boolean decides something"


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
    line, verdict = ran.stdout.splitlines()
    assert line == "['k010', 'k20', 'k28', 'k39', 'k41', 'toy'] 9.9 complete"
    assert "duplicates=0 lost=0" in verdict


def mixed(cluster: str, **clients: str) -> Simulation:
    """A run with one producer of each given version; each producer commits one record."""
    calls = [
        {"at": 0, "do": "init_transactions"},
        {"at": 300, "do": "begin_transaction"},
        {"at": 300, "do": "send", "partition": "t-0"},
        {"at": 310, "do": "commit_transaction"},
    ]
    return Simulation(
        load(
            {
                "id": "MIXED",
                "title": {"en": "Versions side by side", "zh-Hans": "多个版本并存"},
                "profile": cluster,
                "topics": [{"name": "t", "partitions": 1}],
                "producers": [
                    {"name": name, "profile": version, "settings": {"transactional_id": name}}
                    for name, version in clients.items()
                ],
                "applications": [{"name": f"of-{name}", "client": name, "calls": calls} for name in clients],
            }
        )
    )


@pytest.mark.parametrize("cluster", ["k20", "k28"])
def test_each_client_has_a_version_of_its_own(cluster: str) -> None:
    simulation = mixed(cluster, old="k20", new="k28")
    old, new = (simulation.world.clients[name].memory.transactions for name in ("old", "new"))
    assert old is not None and new is not None
    strategies = (simulation.world.clients[name].memory.identity for name in ("old", "new"))
    assert tuple(map(type, strategies)) == (BlockingIdentity, QueuedIdentity)
    assert (old.recovery.raises_epoch, new.recovery.raises_epoch) == (False, True)
    assert (old.can_bump, new.can_bump) == (False, cluster == "k28"), "2.0 raises no epoch that is named"
    simulation.run()
    assert simulation.finished == "complete"
    (verdict,) = (one for one in simulation.verdicts() if one.partition == "t-0")
    assert "stored=2 duplicates=0 lost=0" in verdict.line()


def test_the_header_names_clients_of_another_version_than_the_cluster() -> None:
    assert mixed("k28", old="k20", new="k28").header()["client_versions"] == {"old": "2.0"}
    assert "client_versions" not in mixed("k28", one="k28").header()


def test_a_client_before_transactions_is_refused_them() -> None:
    with pytest.raises(Refused, match="CPT-7"):
        mixed("k28", old="k010")
