"""The questions of a branch: made by the engine out of the scenario and what was done to its run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec

from engine.shapes.questions import Question
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds
from eosviz.bounded.register import Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.questioning import TakesLong, found
from eosviz.walkthroughs.asked_run import AskedRun
from eosviz.walkthroughs.models import Branch, line_interventions
from eosviz.walkthroughs.runs_apart import problems

HERE_SECONDS_MAX = 0.3
"""Of the processor."""
KEPT = 128
"""Lists of questions kept per process: a class of thirty with a few branches each."""


def asked_on(line: list[Branch]) -> list[Question]:
    """Every question that this line meets, as far as its run goes if nobody does anything more to it. Raises Busy or
    BeyondBounds: the run cannot be made, now or at all. Not within a transaction: it may wait for its turn."""
    session = line[0].session
    version: ScenarioVersion = session.version
    if not version.document.get("checkpoints"):
        return []
    done = msgspec.json.encode(line_interventions(line), order="sorted")
    made = _made(_Run(version.digest, session.variant, done, caller(session.owner)))
    if made is None:
        raise BeyondBounds(TASKS["questions"].beyond)
    return made


def told_on(line: list[Branch]) -> list[Question]:
    """`asked_on` for who waits at a page. Raises Problem."""
    with problems():
        return asked_on(line)


@dataclass(frozen=True, slots=True)
class _Run:
    digest: str
    variant: str | None
    done: bytes
    asks: Caller = field(compare=False)


@lru_cache(maxsize=KEPT)
def _made(run: _Run) -> list[Question] | None:
    """The library's runs, which are ours, are made here; all others as long as that takes a moment, so that a reader
    does not go past a question before it is there, else in a bounded process. None: it grew beyond its
    bounds, and would again."""
    version = ScenarioVersion.objects.get(digest=run.digest)
    asked = AskedRun(version.document, version.identifier, run.variant, msgspec.json.decode(run.done))
    if version.library_position is not None:
        return found(asked)
    with suppress(TakesLong):
        return found(asked, HERE_SECONDS_MAX)
    try:
        made: list[Question] = msgspec.json.decode(runner.answer(TASKS["questions"], asked, run.asks))
    except BeyondBounds:
        return None
    return made
