"""The exceptions of msgspec for bytes that are no JSON, or JSON of another type."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""In this order: wrong syntax, type, range or length; bytes that are no UTF-8; nesting deeper than Python's
recursion limit."""
