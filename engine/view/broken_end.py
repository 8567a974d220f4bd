"""Lets the last headline of a run say which guarantees the run breaks."""

from __future__ import annotations

from collections.abc import Sequence

from engine.shapes.plans import Beat, Words
from engine.view.although import words
from engine.view.beat_step import BeatStep
from engine.view.openers import HANGS, LET_GO
from engine.view.stops import stops_of

COUNTED = frozenset({"lost", "duplicated", "reordered"})
"""The guarantees about single records. If the run breaks only one of them, the headline counts these records."""
NAMES = {"hanging": (HANGS.name, LET_GO.name)}
"""Dict of guarantee → the kinds of beats whose title says that it is broken. For other guarantees, it is the kind
`broken_<guarantee>`."""


def with_broken_end(beats: Sequence[Beat], steps: Sequence[BeatStep]) -> list[Beat]:
    """The beats of the run, with ``ends`` on the beat at which a reader stops last. The guarantees that its own title
    names are left out; without others, no beat has ``ends``."""
    bare = [_bare(beat) for beat in beats]
    last = stops_of(bare)[-1:]
    broken = dict.fromkeys(name for step in steps for name, *_ in step.broken)
    named = [name for name in broken if not _is_named(name, last[0]["kind"])] if last else []
    return [_marked(beat, last[0], _ends(named, steps)) for beat in bare] if named else bare


def _ends(named: Sequence[str], steps: Sequence[BeatStep]) -> Words:
    (name, *more) = named
    if more or name not in COUNTED:
        return words("clause.ends_broken", guarantees=list(named))
    serials = {one for step in steps for of, _, found in step.broken if of == name for one in found}
    return words(f"clause.ends_broken_{name}", count=len(serials))


def _is_named(guarantee: str, kind: str) -> bool:
    return kind in NAMES.get(guarantee, (f"broken_{guarantee}",))


def _bare(beat: Beat) -> Beat:
    """The beat without the mark of an earlier plan."""
    own: Beat = {**beat}
    own.pop("ends", None)
    if "beats" in beat:
        own["beats"] = list(map(_bare, beat["beats"]))
    return own


def _marked(beat: Beat, last: Beat, ends: Words) -> Beat:
    own: Beat = {**beat}
    if beat is last:
        own["ends"] = ends
    if "beats" in beat:
        own["beats"] = [_marked(part, last, ends) for part in beat["beats"]]
    return own
