"""The library: every scenario document that comes with the engine, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.scenario.document import BadScenario, Scenario, load, parse
from engine.scenario.phrases import any_of, wrong


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """One library document. ``variants``: its variants by name, in the order of the document."""

    id: str
    file: str
    text: str
    document: dict[str, Any]
    variants: tuple[str, ...]

    def scenario(self, variant: str | None = None, settings: dict[str, Any] | None = None) -> Scenario:
        return load(self.document, variant, settings, text=self.text, source=self.file)


def in_order(identifier: str) -> int:
    """A sort key: the position of a document in the library, from the number in its id."""
    return int(identifier.removeprefix("SC-"))


@cache
def library() -> tuple[LibraryEntry, ...]:
    """All documents, ordered by the numbers in their ids, so that SC-101 comes after SC-94."""
    entries = []
    for item in resources.files("engine.scenario").joinpath("library").iterdir():
        if item.name.endswith(".toml"):
            text = item.read_text(encoding="utf-8")
            document = parse(text, item.name)
            variants = tuple(variant["name"] for variant in document.get("variants", []))
            entries.append(LibraryEntry(str(document.get("id")), item.name, text, document, variants))
    return tuple(sorted(entries, key=lambda found: in_order(found.id)))


def entry(scenario: str) -> LibraryEntry:
    """The entry with this id, in upper or lower case. Raises BadScenario, which names the existing ids, if there is
    none."""
    for found in library():
        if found.id.lower() == scenario.lower():
            return found
    raise BadScenario(scenario, wrong("no_scenario"), any_of(found.id for found in library()))
