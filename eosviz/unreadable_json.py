"""The exceptions of the JSON library for bytes that are no JSON, or JSON of another type."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Syntax, type, range and length; bytes that are no UTF-8; nesting deeper than Python's recursion limit, where the
library stops."""
