"""Beats as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.explain.sentences import sentence


def beat_title(beat: Mapping[str, Any], language: str) -> str:
    """The title that the author gave to the beat; without one, the beat's own title, with the words that distinguish it
    from other beats of the same title."""
    if (given := beat.get("title")) is not None:
        return str(given[language])
    apart = beat.get("apart")
    which = "" if apart is None else sentence(apart["key"], apart["params"], language)
    return sentence(beat["key"], beat["params"], language) + which


def beat_lines(beats: Iterable[Mapping[str, Any]], language: str = "en", indent: str = "") -> Iterator[str]:
    """Lines for each beat: its number, its steps, the step that a reader sees first, its title and its kind,
    and its nested beats."""
    for beat in beats:
        title = beat_title(beat, language)
        kind = beat.get("kind", "")
        for passed in beat.get("passed", ()):
            yield f"{indent}   · {passed['step']}  {sentence(passed['key'], passed['params'], language)}"
        yield f"{indent}{beat['number']}. {beat['first']}–{beat['last']} → {beat['lands']}  {title}  ({kind})"
        yield from beat_lines(beat.get("beats", ()), language, f"{indent}   ")
