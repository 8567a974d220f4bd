"""Finds every state machine of the engine in its module, and shows its rows as text."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import engine
from engine.explain.in_force import needs_of
from engine.explain.sentences import catalogue
from engine.machine import Machine, Row
from engine.telling.rows import row_key


@cache
def machines() -> dict[str, Machine[Any]]:
    """Dict of name → machine, for each machine at the top level of a module. Importing the modules also checks the
    tables."""
    found: dict[str, Machine[Any]] = {}
    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        if module.name == "engine.__main__":
            continue
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Machine):
                found[value.name] = value
    return dict(sorted(found.items()))


def machine_json(machine: Machine[Any]) -> dict[str, object]:
    """The states, events and rows of a machine, for diagrams and reference pages. ``why`` of a row is a catalogue
    key; ``versions`` and ``level`` say which versions have the row (``in_force``)."""
    return {
        "name": machine.name,
        "initial": machine.initial,
        "states": list(machine.states),
        "terminal": sorted(machine.terminal),
        "events": list(machine.events),
        "rows": [
            {
                "source": row.source,
                "on": row.on,
                "when": row.when,
                "target": row.target,
                "reply": row.reply,
                "effects": list(row.effects),
                "why": row_key(row),
                "spec": row.spec,
                **needs_of(row.only_if, row.unless),
            }
            for row in machine.rows
        ],
    }


def summary_lines() -> Iterator[str]:
    """One line for each machine."""
    for machine in machines().values():
        refused = sum(row.refused for row in machine.rows)
        yield (
            f"{machine.name:<24} {len(machine.states):>3} states {len(machine.events):>3} events "
            f"{len(machine.rows):>4} rows, {refused} refuse"
        )


def machine_lines(machine: Machine[Any], language: str = "en") -> Iterator[str]:
    """The lines of a machine: each state, and under it its rows with their reasons, in the order in which they are
    tried."""
    yield f"{machine.name}: starts at {machine.initial}, ends at {', '.join(sorted(machine.terminal)) or 'no state'}"
    for state in machine.states:
        yield ""
        yield state
        rows = [row for row in machine.rows if row.source == state]
        if not rows:
            yield "  nothing happens here any more"
        for row in rows:
            yield from _row_lines(row, language)


def _row_lines(row: Row, language: str) -> Iterator[str]:
    guard = f" when {row.when}" if row.when else ""
    outcome = f"→ {row.target}" if row.target is not None else "refused"
    reply = f", answers {row.reply}" if row.reply else ""
    effects = f"; {', '.join(row.effects)}" if row.effects else ""
    versions = _having(needs_of(row.only_if, row.unless))
    yield f"  {row.on}{guard}  {outcome}{reply}{effects}  [{row.spec}]{versions}"
    known = catalogue().get(row_key(row))
    if known is not None:
        yield f"      {known.text(language)}"


def _having(needed: dict[str, Any]) -> str:
    """The versions that have a row, and the level of ``transaction.version`` that it needs, as text; empty if all
    versions have it."""
    if not needed:
        return ""
    level = f", level {needed['level']}" if "level" in needed else ""
    return f"  Kafka {', '.join(needed['versions'])}{level}"
