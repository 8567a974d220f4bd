"""An error in a sweep document: the place of the error, a sentence that says what is wrong, and one that says
what is allowed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any

from engine.errors import Refused
from engine.scenario.document import BadScenario

SHOWN_CHARACTERS_MAX = 80


class BadSweep(Exception):
    """An error in a sweep document. ``place``: where it is. ``wrong`` and ``allowed``: the last parts of the
    keys `sweeps.wrong.<wrong>` and `sweeps.allowed.<allowed>`; ``params`` fill both sentences. ``nearest``:
    the valid name that is most similar to the wrong one; empty if none is similar."""

    def __init__(self, place: str, wrong: str, allowed: str, /, nearest: str = "", **params: Any) -> None:
        super().__init__(place, wrong, allowed, params)
        self.place = place
        self.wrong = f"sweeps.wrong.{wrong}"
        self.allowed = f"sweeps.allowed.{allowed}"
        self.nearest = nearest
        self.params = params

    def __str__(self) -> str:
        """The error in English, in one line, for the command line and the server's log."""
        wrong, allowed = self.in_english()
        near = f"; nearest: {self.nearest}" if self.nearest else ""
        return f"{self.place}: {wrong}{near}; instead: {allowed}"

    def in_english(self) -> tuple[str, str]:
        """In English, the sentences that say what is wrong and what is allowed."""
        # Imported only when something is wrong: executors have no catalogue, and find nothing wrong.
        from eosviz.catalogue import say

        return say(self.wrong, "en", self.params), say(self.allowed, "en", self.params)


class BadScenarioOfSweep(BadSweep):
    """A mistake that the reader of scenarios, or a client's configuration, found in a scenario of the sweep.
    It has their sentences."""

    def __init__(self, bad: BadScenario | Refused, nearest: str = "", place: str = "") -> None:
        """``place``: the place in the sweep's document; empty if it is the same as the place in the
        scenario's."""
        super().__init__(place or bad.place, "scenario", "scenario", nearest)
        self.bad = bad

    def in_english(self) -> tuple[str, str]:
        if isinstance(self.bad, Refused):
            return self.bad.reason, self.bad.remedy
        return self.bad.wrong, self.bad.allowed


def bad_value(place: str, value: Any, allowed: str, /, **params: Any) -> BadSweep:
    """The error for ``value`` at ``place``, which is not allowed there or, if it is None, is missing."""
    if value is None:
        return BadSweep(place, "missing", allowed, **params)
    return BadSweep(place, "value", allowed, value=shown(value), **params)


def shown(value: Any) -> str:
    """The value as JSON, cut after SHOWN_CHARACTERS_MAX characters."""
    return json.dumps(value, ensure_ascii=False, default=str)[:SHOWN_CHARACTERS_MAX]


def nearest_of(name: Any, known: Iterable[str]) -> str:
    """The one of ``known`` that is most similar to ``name``; empty if none is similar."""
    found = difflib.get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return found[0] if found else ""
