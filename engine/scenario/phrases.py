"""What is wrong in a document, and what is allowed there: parts of sentences, which the catalogue has in every
language (``scenario.wrong.…`` and ``scenario.allowed.…``). Names and values are the same in all of them: plain texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

SHOWN_MAX = 60
"""Characters of a value that was not expected."""
NAMES_MAX = 100
"""Names of what there is; the others are counted."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The catalogue's words at ``key``, filled with ``params``. As text it is English."""

    key: str
    params: dict[str, Any]

    def __str__(self) -> str:
        # Imported only for an error, because the catalogue imports the tables, and the tables import this module.
        from engine.explain.sentences import sentence

        return sentence(self.key, self.params)


Said: TypeAlias = str | Phrase


def wrong(name: str, /, **params: Any) -> Phrase:
    return Phrase(f"scenario.wrong.{name}", params)


def allowed(name: str, /, **params: Any) -> Phrase:
    return Phrase(f"scenario.allowed.{name}", params)


def told(said: Said) -> Any:
    """A value that a page fills into its own sentence (docs/frame.md)."""
    return {"key": said.key, "params": said.params} if isinstance(said, Phrase) else said


def shown(value: Any) -> str:
    """A value of the document, shortened to fit into a sentence."""
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 3] + "…"


def any_of(known: Iterable[Any], none: Said = "") -> Said:
    """The names that exist; ``none`` if there are none."""
    listed = [str(name) for name in known]
    if len(listed) > NAMES_MAX:
        return allowed("names_and_more", names=listed[:NAMES_MAX], more=len(listed) - NAMES_MAX)
    return ", ".join(listed) or none or allowed("none_exist")
