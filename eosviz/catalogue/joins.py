"""Joins texts with the punctuation of the language. The player does the same (static/player/joins.ts)."""

from __future__ import annotations

from collections.abc import Iterable

from eosviz.catalogue import say


def listed(names: Iterable[object], language: str) -> str:
    """A list of names: `t-0, t-1`."""
    return say("join.list", language).join(map(str, names))


def facts(parts: Iterable[str], language: str) -> str:
    """Several statements about one thing: `5 records stored, 1 lost`."""
    return say("join.comma", language).join(parts)


def clauses(parts: Iterable[str], language: str) -> str:
    """Parts that may contain commas: `a; b`."""
    return say("join.semicolon", language).join(parts)


def named(name: str, statement: str, language: str) -> str:
    """A statement about a name: `t-0: 5 records stored`."""
    return f"{name}{say('join.colon', language)}{statement}"


__all__ = ["clauses", "facts", "listed", "named"]
