"""Gets the questions of a branch. The engine derives them from the scenario and the interventions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from engine.shapes.questions import Question
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds
from eosviz.bounded.register import Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.questioning import TakesLong, found
from eosviz.walkthroughs.asked_run import AskedRun
from eosviz.walkthroughs.bounded_problems import problems
from eosviz.walkthroughs.models import Branch, line_interventions

HERE_SECONDS_MAX = 0.3
"""The run of a user's scenario is first tried in this process, for at most this many seconds of processor
time."""
KEPT = 128
"""Each process keeps the questions of at most this many runs, which is enough for a class of thirty with a
few branches each."""


def asked_on(line: list[Branch]) -> list[Question]:
    """All questions in the run of a branch. `line`: its ancestors and the branch itself. Raises Busy or
    BeyondBounds. Must not be called in a transaction, because it may wait."""
    session = line[0].session
    return _asked(session.version, session.variant, line_interventions(line), caller(session.owner))


def asked_alone(version: ScenarioVersion, variant: str | None, asks: Caller) -> list[Question]:
    """All questions in the run without interventions. Raises Busy or BeyondBounds, like `asked_on`."""
    return _asked(version, variant, [], asks)


def _asked(version: ScenarioVersion, variant: str | None, done: list[Any], asks: Caller) -> list[Question]:
    if not version.document.get("checkpoints"):
        return []
    made = _made(_Run(version.digest, variant, msgspec.json.encode(done, order="sorted"), asks))
    if made is None:
        raise BeyondBounds(TASKS["questions"].beyond)
    return made


def questions_or_problem(line: list[Branch]) -> list[Question]:
    """Like `asked_on`, for a page that waits: raises Problem where that raises Busy or BeyondBounds."""
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
    """The questions of a run; None if they could not be determined. If a run takes longer than
    HERE_SECONDS_MAX, it is made in a bounded process, unless it is the library's."""
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
