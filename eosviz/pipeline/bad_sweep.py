"""A sweep document that cannot be run: where, what is wrong, what is allowed, each a sentence of the catalogue."""

from __future__ import annotations

import json
from typing import Any

from engine.scenario import BadScenario

SHOWN_CHARACTERS_MAX = 80


class BadSweep(Exception):
    """``wrong`` and ``allowed`` name `sweeps.wrong.<wrong>` and `sweeps.allowed.<allowed>`; ``params`` fill both."""

    def __init__(self, place: str, wrong: str, allowed: str, /, **params: Any) -> None:
        super().__init__(place, wrong, allowed, params)
        self.place = place
        self.wrong = f"sweeps.wrong.{wrong}"
        self.allowed = f"sweeps.allowed.{allowed}"
        self.params = params

    def __str__(self) -> str:
        """In English, in one line, for the command line and the log."""
        # Imported when something is refused: executors have no catalogue, and nothing is refused there.
        from eosviz.catalogue import say

        wrong, allowed = (say(key, "en", self.params) for key in (self.wrong, self.allowed))
        return f"{self.place}: {wrong}; allowed: {allowed}"


class BadScenarioOfSweep(BadSweep):
    """The scenario's loader refused it; its words are the scenario's."""

    def __init__(self, bad: BadScenario) -> None:
        super().__init__(bad.place, "scenario", "scenario")
        self.bad = bad

    def __str__(self) -> str:
        return f"{self.bad.place}: {self.bad.wrong}; allowed: {self.bad.allowed}"


def bad_value(place: str, value: Any, allowed: str, /, **params: Any) -> BadSweep:
    """What stands at a place is not what may stand there."""
    if value is None:
        return BadSweep(place, "missing", allowed, **params)
    return BadSweep(place, "value", allowed, value=shown(value), **params)


def shown(value: Any) -> str:
    """As the document has it."""
    return json.dumps(value, ensure_ascii=False, default=str)[:SHOWN_CHARACTERS_MAX]
