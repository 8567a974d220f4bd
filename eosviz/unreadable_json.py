"""What the JSON library raises for bytes of a stranger that are no JSON, or not of the expected type."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Syntax, type, range and length; bytes that are no UTF-8; brackets nested too deep, which the library stops at the
depth that Python allows a function to call itself."""
