"""Where a reader of a run stops, as the player counts (static/player/beats.ts): at each beat of the run, and at
some beats inside a beat."""

from collections.abc import Iterator, Sequence

from engine.shapes.plans import Beat


def stops_of(beats: Sequence[Beat]) -> list[Beat]:
    """The beats at whose steps `lands` a reader stops, in order."""
    return [stop for place, beat in enumerate(beats) for stop in _stops(beat, place == len(beats) - 1)]


def _stops(beat: Beat, is_last: bool) -> list[Beat]:
    """In the run's last beat, also the inner beats behind its landing."""
    behind = [one for one in _leaves(beat) if one["lands"] > beat["lands"]] if is_last else []
    by_step: dict[int, Beat] = {}
    for one in (*_with_added(beat), *behind):
        by_step.setdefault(one["lands"], one)
    return [by_step[step] for step in sorted(by_step)]


def _with_added(beat: Beat) -> Iterator[Beat]:
    yield beat
    for one in _inside(beat):
        if one.get("added"):
            yield from _with_added(one)


def _leaves(beat: Beat) -> Iterator[Beat]:
    for one in _inside(beat):
        yield from _leaves(one) if _inside(one) else (one,)


def _inside(beat: Beat) -> Sequence[Beat]:
    """Equal parts of a long beat are no beats of their own."""
    beats = beat.get("beats", [])
    return beats if any(one.get("kind") != "part" for one in beats) else []
