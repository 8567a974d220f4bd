"""Makes values safe for files that people open in a spreadsheet."""

from __future__ import annotations

from typing import Any

_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def inert(value: Any) -> Any:
    """The same value, but a text that a spreadsheet would take for a formula gets an apostrophe at its
    beginning."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGINS_A_FORMULA) else value
