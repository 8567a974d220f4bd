"""Values in files that are opened in a spreadsheet."""

from __future__ import annotations

from typing import Any

_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def inert(value: Any) -> Any:
    """The text, with a prefix if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGINS_A_FORMULA) else value
