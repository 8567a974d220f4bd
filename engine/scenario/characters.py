"""The characters that no name and no text may contain, because they change a page without being seen.

The rule holds for scenario documents, and for names from users and files elsewhere. The characters are
written as escapes, which both Python's `re` and browsers read.
"""

from __future__ import annotations

import re

_DIRECTION = "\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff"

UNPRINTABLE = "\\x00-\\x1f\\x7f-\\x9f" + _DIRECTION
"""The contents of a character class of a regular expression: control characters, including line breaks and tabs
(a name is one line), and characters that change the direction of the following text."""

_IN_A_LINE = re.compile(f"[{UNPRINTABLE}]")
_IN_A_TEXT = re.compile(f"[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f{_DIRECTION}]")


def forbidden(text: str, *, one_line: bool) -> str | None:
    """The first character that a text may not contain, as `U+202E`; None when there is none."""
    found = (_IN_A_LINE if one_line else _IN_A_TEXT).search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"
