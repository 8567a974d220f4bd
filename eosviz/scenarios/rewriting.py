"""Edits or writes the TOML text of a document: in this process if it is short, otherwise in a bounded process
(`eosviz/bounded`), because a long text may take seconds of processor time."""

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
"""If text and edits have together at most this many bytes, they are processed in this process."""


def edited(text: str, edits: list[Edit], asks: Caller) -> str:
    """The text after all edits. Raises CannotEdit, BadScenario if `parse` refuses the text, and Busy or
    BeyondBounds."""
    if _size(text, edits) <= HERE_BYTES_MAX:
        return editing.all_edited(text, edits)
    parse(text)  # This checks the text's limits first. A text that is not TOML needs no process.
    return _answer(editing.Asked(text=text, edits=edits), asks)


def written(document: dict[str, Any], asks: Caller) -> str:
    """A document as a new TOML text. Raises CannotEdit, Busy or BeyondBounds."""
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
