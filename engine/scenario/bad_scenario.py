"""The error of a scenario document, and the check that a name exists."""

from __future__ import annotations

from typing import Any

from engine.scenario.phrases import Said, any_of, for_page, shown, wrong

MISSING = wrong("missing")


class BadScenario(Exception):
    """An error in a scenario document: its place, what is wrong, and what is allowed.

    ``wrong`` and ``allowed`` are English, for the command line and the log. ``sentences`` has both for pages, in
    any language.
    """

    def __init__(
        self, place: str, wrong: Said, allowed: Said, *, source: str = "", line: int | None = None
    ) -> None:
        self.place = place
        self.is_missing = wrong == MISSING
        self.source = source
        self.line = line
        self._said = (wrong, allowed)
        super().__init__(place, wrong, allowed)

    @property
    def wrong(self) -> str:
        return str(self._said[0])

    @property
    def allowed(self) -> str:
        return str(self._said[1])

    @property
    def sentences(self) -> dict[str, Any]:
        """The two sentences of a page's message in any language: ``reason`` and ``allowed``. Each is a dict of
        ``key`` and ``params``, or a name or value as text, which needs no translation."""
        return {"reason": for_page(self._said[0]), "allowed": for_page(self._said[1])}

    def __str__(self) -> str:
        at = self.source or "scenario"
        if self.line is not None:
            at += f":{self.line}"
        return f"{at}: {self.place}: {self.wrong}; instead: {self.allowed}"


def known(place: str, name: Any, existing: list[str]) -> None:
    """Raises BadScenario unless ``name`` is one of ``existing``."""
    if name not in existing:
        raise BadScenario(place, MISSING if name is None else shown(name), any_of(existing))
