"""The parts of an error message about a document: what is wrong, and what is allowed.

The catalogue has these parts in every language (``scenario.wrong.…`` and ``scenario.allowed.…``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

SHOWN_MAX = 60
"""A message shows at most this many characters of a wrong value."""
NAMES_MAX = 100
"""A message lists at most this many existing names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The catalogue's words at ``key``, filled with ``params``. ``str`` of a phrase is English."""

    key: str
    params: dict[str, Any]

    def __str__(self) -> str:
        # Imported here, only for an error: the catalogue imports the tables, and the tables import this
        # module.
        from engine.explain.sentences import sentence

        return sentence(self.key, self.params)


Said: TypeAlias = str | Phrase


def wrong(name: str, /, **params: Any) -> Phrase:
    return Phrase(f"scenario.wrong.{name}", params)


def allowed(name: str, /, **params: Any) -> Phrase:
    return Phrase(f"scenario.allowed.{name}", params)


def for_page(said: Said) -> Any:
    """``said`` in the JSON form in which a page inserts it into its own sentence (docs/frame.md)."""
    return {"key": said.key, "params": said.params} if isinstance(said, Phrase) else said


def shown(value: Any) -> str:
    """A value of the document, shortened for a sentence."""
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 3] + "…"


def any_of(known: Iterable[Any], none: Said = "") -> Said:
    """The existing names as a phrase; ``none`` when there are none."""
    listed = [str(name) for name in known]
    if len(listed) > NAMES_MAX:
        return allowed("names_and_more", names=listed[:NAMES_MAX], more=len(listed) - NAMES_MAX)
    return ", ".join(listed) or none or allowed("none_exist")
