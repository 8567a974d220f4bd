"""What the reference pages show, taken from the engine's own tables: nothing is written a second time."""

import pkgutil
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from typing import Any

import engine
from engine.errors import Error
from engine.explain import catalogue
from engine.machine import Machine
from engine.profiles import PROFILES, Profile
from engine.switches import Switches

REQUIREMENT = "requirement."


@cache
def machines() -> dict[str, Machine]:
    """Every state machine of the engine by name: whatever stands as one at the top of a module."""
    found: dict[str, Machine] = {}
    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        if module.name == "engine.__main__":
            continue
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Machine):
                found[value.name] = value
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One of Kafka's errors; ``retriable`` is about a Produce answer."""

    name: str
    code: int
    retriable: bool


def errors() -> list[ErrorRow]:
    """In the order of their codes."""
    return sorted(
        (ErrorRow(error.name, error.code, error.retriable) for error in Error), key=lambda row: row.code
    )


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One aspect: the field's name and its value in each profile, in the profiles' order."""

    name: str
    values: tuple[Any, ...]

    @property
    def key(self) -> str:
        return f"reference.aspect.{self.name}"


def versions() -> list[VersionRow]:
    """A row for each aspect in which the profiles may differ."""
    aspects = [field.name for field in fields(Profile) if field.name not in ("name", "version")]
    return [
        VersionRow(name, tuple(getattr(profile, name) for profile in PROFILES.values())) for name in aspects
    ]


@dataclass(frozen=True, slots=True)
class SwitchRow:
    name: str
    default: Any


def switches() -> list[SwitchRow]:
    """The mechanisms that a laboratory run may turn off."""
    return [SwitchRow(field.name, field.default) for field in fields(Switches)]


@cache
def requirements() -> list[str]:
    """Every requirement ID that has a text, grouped as in the catalogue."""
    return [key.removeprefix(REQUIREMENT) for key in catalogue() if key.startswith(REQUIREMENT)]


@cache
def used_by_rows() -> dict[str, list[tuple[str, str]]]:
    """Requirement ID to the machine rows that carry it out: (machine, row's name)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for machine in machines().values():
        for row in machine.rows:
            found.setdefault(row.spec, []).append((machine.name, row.name(machine.name)))
    return found
