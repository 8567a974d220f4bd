"""Beats as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.explain.sentences import sentence


def beat_lines(beats: Iterable[Mapping[str, Any]], language: str = "en", indent: str = "") -> Iterator[str]:
    """One line for each beat: its number, its steps, the step that a reader sees first, its title and its
    kind. Nested beats follow below."""
    for beat in beats:
        own = beat.get("title")
        title = sentence(beat["key"], beat["params"], language) if own is None else own[language]
        kind = beat.get("kind", "")
        for passed in beat.get("passed", ()):
            yield f"{indent}   · {passed['step']}  {sentence(passed['key'], passed['params'], language)}"
        yield f"{indent}{beat['number']}. {beat['first']}–{beat['last']} → {beat['lands']}  {title}  ({kind})"
        yield from beat_lines(beat.get("beats", ()), language, f"{indent}   ")
