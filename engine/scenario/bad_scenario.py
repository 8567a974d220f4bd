"""The error of a scenario document, and the check that a name exists."""

from __future__ import annotations

from typing import Any


class BadScenario(Exception):
    """A document that cannot be played: where, what is wrong, what is allowed."""

    def __init__(
        self, place: str, wrong: str, allowed: str, *, source: str = "", line: int | None = None
    ) -> None:
        self.place = place
        self.wrong = wrong
        self.allowed = allowed
        self.source = source
        self.line = line
        super().__init__(place, wrong, allowed)

    def __str__(self) -> str:
        at = self.source or "scenario"
        if self.line is not None:
            at += f":{self.line}"
        return f"{at}: {self.place}: {self.wrong}; allowed: {self.allowed}"


def known(place: str, name: Any, names: list[str]) -> None:
    """Raises BadScenario unless ``name`` is one of ``names``."""
    if name not in names:
        raise BadScenario(place, "missing" if name is None else repr(name), ", ".join(names) or "none exist")
