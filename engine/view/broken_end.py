"""Lets the last headline of a run say which guarantees the run breaks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.shapes.plans import Beat
from engine.view.although import words
from engine.view.beat_step import BeatStep
from engine.view.openers import HANGS, LET_GO
from engine.view.stops import stops_of

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
    return [_marked(beat, last[0], named) for beat in bare] if named else bare


def _is_named(guarantee: str, kind: str) -> bool:
    return kind in NAMES.get(guarantee, (f"broken_{guarantee}",))


def _bare(beat: Beat) -> Beat:
    """The beat without the mark of an earlier plan."""
    own: Beat = {**beat}
    own.pop("ends", None)
    if "beats" in beat:
        own["beats"] = list(map(_bare, beat["beats"]))
    return own


def _marked(beat: Beat, last: Beat, broken: Collection[str]) -> Beat:
    own: Beat = {**beat}
    if beat is last:
        own["ends"] = words("clause.ends_broken", guarantees=list(broken))
    if "beats" in beat:
        own["beats"] = [_marked(part, last, broken) for part in beat["beats"]]
    return own
