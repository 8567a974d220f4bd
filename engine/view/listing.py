"""Beats as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.explain.sentences import sentence


def beat_title(beat: Mapping[str, Any], language: str) -> str:
    """The title that the author gave to the beat; without one, the beat's own title, with the words that distinguish it
    from other beats of the same title. After both come the words about broken guarantees."""
    given = beat.get("title")
    title = sentence(beat["key"], beat["params"], language) if given is None else str(given[language])
    after = [beat.get("apart") if given is None else None, beat.get("ends")]
    return title + "".join(sentence(one["key"], one["params"], language) for one in after if one is not None)


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
