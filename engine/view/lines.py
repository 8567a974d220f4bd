"""Makes the lines of a beat. A line is either one step with its own sentence, or the number of adjacent steps that
only support others."""

from __future__ import annotations

from collections.abc import Sequence

from engine.shapes.plans import BeatLine
from engine.view.beat_step import BeatStep
from engine.view.plumbing import PURPOSE_OF, PURPOSES_MAX, REPEATED

_NAMES = ("one", "two", "three")
_SLOTS = ("first", "second", "third")


def lines_of(steps: Sequence[BeatStep], lands: int, repeated: Sequence[bool]) -> list[BeatLine]:
    """The lines of a beat's steps. ``lands``: the number of the step that the reader sees first. ``repeated``: for each
    step, whether it belongs to a stretch of repeats."""
    lines: list[BeatLine] = []
    folded: list[BeatStep] = []
    purposes: dict[str, None] = {}

    def close() -> None:
        if folded:
            lines.append(_counted(folded, list(purposes)))
            folded.clear()
            purposes.clear()

    for step, is_repeated in zip(steps, repeated, strict=True):
        purpose = REPEATED if is_repeated and step.number != lands else _purpose(step, lands)
        if purpose is None:
            close()
            lines.append({"first": step.number, "last": step.number, "key": None, "params": {}})
            continue
        if purpose not in purposes and len(purposes) == PURPOSES_MAX:
            close()
        purposes[purpose] = None
        folded.append(step)
    close()
    return lines


def _purpose(step: BeatStep, lands: int) -> str | None:
    if step.stands_out or step.number == lands:
        return None
    return PURPOSE_OF.get(step.key)


def _counted(steps: Sequence[BeatStep], purposes: list[str]) -> BeatLine:
    named = {
        slot: {"key": f"beat.line.{purpose}", "params": {}}
        for slot, purpose in zip(_SLOTS, purposes, strict=False)
    }
    return {
        "first": steps[0].number,
        "last": steps[-1].number,
        "key": f"beat.line.{_NAMES[len(purposes) - 1]}",
        "params": {"count": len(steps), **named},
    }
