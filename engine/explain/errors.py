"""The error dictionary: for every error of the protocol its meaning, what was compared, what each side does.

The texts stand in ``catalogue/errors.toml`` under ``error.NAME.meaning``, ``.compared``, ``.answering`` (what the
answering side does), ``.asking`` (what the side that gets it does) and ``.versions``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import Error
from engine.explain.sentences import Sentence, catalogue

FIELDS = ("meaning", "compared", "answering", "asking", "versions")
SPECIFICATION = tuple(
    error for error in Error if error not in (Error.NONE, Error.OFFSET_OUT_OF_RANGE, Error.INVALID_RECORD)
)
"""Appendix A. What else an :class:`Error` may be is an answer that only recorded cases give."""

FATAL = "fatal"
ABORTABLE = "abortable"
RETRIED = "retried"


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One error. ``texts``: field to sentence."""

    error: Error
    texts: dict[str, Sentence]


def entry_of(error: Error) -> ErrorEntry | None:
    """The entry of an error; None when the dictionary has none."""
    known = catalogue()
    texts = {field: known.get(f"error.{error.name}.{field}") for field in FIELDS}
    found = {field: text for field, text in texts.items() if text is not None}
    return ErrorEntry(error, found) if len(found) == len(FIELDS) else None


def error_lines(error: Error, language: str) -> Iterator[str]:
    """An entry as text."""
    retriable = "retriable" if error.retriable else "not retriable"
    yield f"{error.name} ({error.code}), {retriable} for Produce"
    entry = entry_of(error)
    if entry is None:
        yield "  the dictionary has no entry"
        return
    for field, text in entry.texts.items():
        yield f"  {field}: {text.text(language)}"
