"""The contents of the reference pages, from the tables of the engine and of this site."""

from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from engine.explain.errors import ERRORS, FIELDS, ErrorEntry
from engine.explain.machines import machines
from engine.explain.sentences import catalogue
from engine.profile import Profile
from engine.profiles import PROFILES
from engine.scenario.shelf import library
from engine.switches import Switches
from eosviz.catalogue import interface_words
from eosviz.reference.signatures import Signature, with_error

REQUIREMENT = "requirement."
LIMIT = "limit."
CONTRADICTION = "CTR-"


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One of Kafka's errors, with its entry in the dictionary of errors. ``retriable``: whether Kafka's
    clients class it as retriable."""

    name: str
    code: int
    retriable: bool
    since: str
    outcome_key: str
    keys: tuple[tuple[str, str], ...]
    """(field of the entry, key in the catalogue) of each of the entry's sentences."""
    signatures: tuple[Signature, ...]
    """The known signatures in which clients get this error."""


def errors() -> list[ErrorRow]:
    """Kafka's errors, in the order of their codes."""
    return sorted((_error_row(entry) for entry in ERRORS.values()), key=lambda row: row.code)


def _error_row(entry: ErrorEntry) -> ErrorRow:
    error = entry.error
    keys = tuple((f"reference.error.{name}", entry.key(name)) for name in FIELDS)
    return ErrorRow(
        error.name, error.code, entry.retriable, entry.since, entry.outcome_key, keys, with_error(error.name)
    )


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One aspect in which versions of Kafka differ: the name of the field of `Profile`, and its value in each
    profile."""

    name: str
    values: tuple[Any, ...]

    @property
    def key(self) -> str:
        return f"reference.aspect.{self.name}"


def versions() -> list[VersionRow]:
    """One row for each field of `Profile` except its name and version."""
    aspects = [field.name for field in fields(Profile) if field.name not in ("name", "version")]
    return [
        VersionRow(name, tuple(getattr(profile, name) for profile in PROFILES.values())) for name in aspects
    ]


@dataclass(frozen=True, slots=True)
class SwitchRow:
    name: str
    default: Any


def switches() -> list[SwitchRow]:
    """The switches that a scenario can set, with their defaults."""
    return [SwitchRow(field.name, field.default) for field in fields(Switches)]


@cache
def requirements() -> list[str]:
    """The ids of all requirements that have a text, in the order of the catalogue."""
    names = [key.removeprefix(REQUIREMENT) for key in catalogue() if key.startswith(REQUIREMENT)]
    return [name for name in names if "." not in name]


@cache
def used_by_rows() -> dict[str, list[tuple[str, str]]]:
    """Dict of requirement's id → the rows of machines that implement it, as (machine, name of the row)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for machine in machines().values():
        for row in machine.rows:
            found.setdefault(row.spec, []).append((machine.name, row.name(machine.name)))
    return found


@cache
def shown_by() -> dict[str, list[str]]:
    """Dict of requirement's id → the scenarios that say that they show it."""
    found: dict[str, list[str]] = {}
    for scenario in library():
        for identifier in scenario.document.get("covers", ()):
            found.setdefault(identifier, []).append(scenario.id)
    return found


@dataclass(frozen=True, slots=True)
class RequirementRow:
    identifier: str
    scenarios: tuple[str, ...]

    @property
    def key(self) -> str:
        return REQUIREMENT + self.identifier


def requirement_rows(start: str) -> list[RequirementRow]:
    """The requirements whose id begins with ``start``, by number, each with the scenarios that show it."""
    named = [identifier for identifier in requirements() if identifier.startswith(start)]
    return [
        RequirementRow(identifier, tuple(shown_by().get(identifier, ())))
        for identifier in sorted(named, key=lambda name: int(name.rpartition("-")[2]))
    ]


TERM, HOUSE, CODE = "term.", "house.", "codebase."
"""The prefixes of the keys of terms that are used in Kafka and its field, on this site, and only in this
code."""


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term. ``key``: the key of its name in the catalogue. ``what``: the key of its meaning."""

    key: str

    @property
    def name(self) -> str:
        return self.key.partition(".")[2]

    @property
    def what(self) -> str:
        return f"{self.key}.what"


def terms(*groups: str) -> list[TermRow]:
    """The terms whose keys begin with one of these prefixes, prefix by prefix, in the order of the
    catalogue."""
    return [
        TermRow(key)
        for group in groups
        for key in interface_words()
        if key.startswith(group) and not key.endswith(".what")
    ]


PLAYER = ("player.panel.", "player.tab.", "player.key.", "player.guide.")


def player_words() -> list[str]:
    """The catalogue's keys of the player's panels, views and keyboard shortcuts, and of the texts about
    them."""
    return [key for key in interface_words() if key.startswith(PLAYER)]


def limits() -> list[str]:
    """The catalogue's keys of the sentences that say what the engine does not model."""
    return [key for key in interface_words() if key.startswith(LIMIT)]
