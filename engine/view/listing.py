"""Beats as text that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.explain.sentences import sentence


def beat_lines(beats: Iterable[Mapping[str, Any]], language: str = "en", indent: str = "") -> Iterator[str]:
    """One line a beat: its number, its steps, where a reader is set down, its title and kind; nested ones below it."""
    for beat in beats:
        own = beat.get("title")
        title = sentence(beat["key"], beat["params"], language) if own is None else own[language]
        kind = beat.get("kind", "")
        yield f"{indent}{beat['number']}. {beat['first']}–{beat['last']} → {beat['lands']}  {title}  ({kind})"
        yield from beat_lines(beat.get("beats", ()), language, f"{indent}   ")
