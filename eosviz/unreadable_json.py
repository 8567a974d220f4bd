"""The exceptions that msgspec raises for bytes that are not JSON, or are JSON of another type."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""In this order: for wrong syntax, type, range or length; for bytes that are not UTF-8; for nesting deeper
than Python's recursion limit."""
