"""A sweep document that cannot be run: where, what is wrong, what is allowed, each a sentence of the catalogue."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any

from engine.errors import Refused
from engine.scenario.document import BadScenario

SHOWN_CHARACTERS_MAX = 80


class BadSweep(Exception):
    """``wrong`` and ``allowed`` name `sweeps.wrong.<wrong>` and `sweeps.allowed.<allowed>`; ``params`` fill both.

    ``nearest``: of the names that are right there, the one that is most like the wrong one; empty when none is like it.
    """

    def __init__(self, place: str, wrong: str, allowed: str, /, nearest: str = "", **params: Any) -> None:
        super().__init__(place, wrong, allowed, params)
        self.place = place
        self.wrong = f"sweeps.wrong.{wrong}"
        self.allowed = f"sweeps.allowed.{allowed}"
        self.nearest = nearest
        self.params = params

    def __str__(self) -> str:
        """In English, in one line, for the command line and the log."""
        wrong, allowed = self.in_english()
        near = f"; nearest: {self.nearest}" if self.nearest else ""
        return f"{self.place}: {wrong}{near}; allowed: {allowed}"

    def in_english(self) -> tuple[str, str]:
        """What is wrong, and what is allowed."""
        # Imported when something is refused: executors have no catalogue, and nothing is refused there.
        from eosviz.catalogue import say

        return say(self.wrong, "en", self.params), say(self.allowed, "en", self.params)


class BadScenarioOfSweep(BadSweep):
    """The scenario refused it: its loader, or the client that would be configured so. The words are the scenario's."""

    def __init__(self, bad: BadScenario | Refused, nearest: str = "", place: str = "") -> None:
        """``place``: in the sweep's document, where that is another one than in the scenario's."""
        super().__init__(place or bad.place, "scenario", "scenario", nearest)
        self.bad = bad

    def in_english(self) -> tuple[str, str]:
        if isinstance(self.bad, Refused):
            return self.bad.reason, self.bad.remedy
        return self.bad.wrong, self.bad.allowed


def bad_value(place: str, value: Any, allowed: str, /, **params: Any) -> BadSweep:
    """What stands at a place is not what may stand there."""
    if value is None:
        return BadSweep(place, "missing", allowed, **params)
    return BadSweep(place, "value", allowed, value=shown(value), **params)


def shown(value: Any) -> str:
    """As the document has it."""
    return json.dumps(value, ensure_ascii=False, default=str)[:SHOWN_CHARACTERS_MAX]


def nearest_of(name: Any, known: Iterable[str]) -> str:
    """The one of ``known`` that is most like ``name``; empty when none is."""
    found = difflib.get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return found[0] if found else ""
