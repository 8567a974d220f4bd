"""Edits or writes the TOML text of a document. A short text is processed here. A long one may take seconds of processor
time, so it is processed in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.scenario.document import parse
from eosviz.bounded import runner
from eosviz.bounded.refusing import Refused
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios import editing
from eosviz.scenarios.editing import CannotEdit, Edit

HERE_BYTES_MAX = 8_000
"""At most this many bytes of text and edits are processed here."""


def edited(text: str, edits: list[Edit], asks: Caller) -> str:
    """The text after all edits. Raises CannotEdit, BadScenario if `parse` refuses the text, Busy or BeyondBounds."""
    if _size(text, edits) <= HERE_BYTES_MAX:
        return editing.all_edited(text, edits)
    parse(text)  # checks the bounds of the text first; a text that is no TOML needs no process
    return _answer(editing.Asked(text=text, edits=edits), asks)


def written(document: dict[str, Any], asks: Caller) -> str:
    """A new text for a document. Raises CannotEdit, Busy or BeyondBounds."""
    if _size(document) <= HERE_BYTES_MAX:
        return editing.written(document)
    return _answer(editing.Asked(document=document), asks)


def _size(*parts: Any) -> int:
    return sum(len(msgspec.json.encode(part)) for part in parts)


def _answer(asked: editing.Asked, asks: Caller) -> str:
    try:
        return runner.answer(TASKS["edit"], asked, asks).decode()
    except Refused as refused:
        raise CannotEdit(str(refused.params.get("why", ""))) from None
