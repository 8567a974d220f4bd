"""Coordinators and clients name no state: what depends on a state is a row of the table, or a set of states defined
beside the rows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import engine
from engine.broker import producer_id_states
from engine.client import batch_states, client_states
from engine.coordinator import group_states, marker_states, transaction_states
from engine.machine import Machine
from tests.syntax_tree import parsed, tree_of

OF_CLIENT = (batch_states, client_states)
OF_COORDINATOR = (group_states, marker_states, producer_id_states, transaction_states)
TABLES = (*OF_CLIENT, *OF_COORDINATOR)


def states_of(tables: tuple[ModuleType, ...]) -> set[str]:
    machines = (value for table in tables for value in vars(table).values() if isinstance(value, Machine))
    return {state for machine in machines for state in machine.states}


ROOT = Path(engine.__file__).parent
ROLES = sorted(
    path
    for path in (
        *(ROOT / "client").glob("*.py"),
        *(ROOT / "coordinator").glob("*.py"),
        ROOT / "broker" / "group_host.py",
        ROOT / "broker" / "producer_ids.py",
        ROOT / "broker" / "transaction_host.py",
    )
    if f"engine.{path.parent.name}.{path.stem}" not in {table.__name__ for table in TABLES}
)


def named_states(tree: ast.Module, tables: tuple[ModuleType, ...] = TABLES) -> Iterator[str]:
    """Yield every state that a module names: as a text, by importing its constant, or as an attribute of its table.
    ``tables``: the tables whose states a text may name.
    """
    states = states_of(TABLES)
    texts = states_of(tables)
    aliases: dict[str, ModuleType] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            module = import_module(node.module)
            for name in node.names:
                value = getattr(module, name.name)
                if isinstance(value, ModuleType) and value in TABLES:
                    aliases[name.asname or name.name] = value
                elif module in TABLES and isinstance(value, str) and value in states:
                    yield f"{node.lineno}: {name.name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in texts:
            yield f"{node.lineno}: {node.value!r}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = getattr(aliases.get(node.value.id), node.attr, None)
            if isinstance(value, str) and value in states:
                yield f"{node.lineno}: {node.value.id}.{node.attr}"


@pytest.mark.parametrize("path", ROLES, ids=lambda path: path.stem)
def test_no_role_names_a_state(path: Path) -> None:
    tables = OF_CLIENT if path.parent.name == "client" else OF_COORDINATOR
    assert list(named_states(tree_of(path), tables)) == []


@pytest.mark.parametrize(
    "code",
    [
        'if metadata.state == "Ongoing": pass',
        "from engine.coordinator.transaction_states import ONGOING",
        "from engine.client import client_states as states\nself.state = states.READY",
    ],
)
def test_a_state_that_is_named_is_found(code: str) -> None:
    assert len(list(named_states(parsed(code)))) == 1
