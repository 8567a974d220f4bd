"""Finds what the kinds of assignments (`kinds/`) need for judging. Two kinds need more than the judged steps of the
run: *predict* needs the questions, and *keep the guarantees* needs a run without interventions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from eosviz.bounded import runner
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.classroom.models import Attempt, Outcome
from eosviz.classroom.undisturbed_run import Asked, Found, run_alone
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Branch

RUNS_KEPT = 128
"""At most this many results are kept in each process, because an attempt's page needs one at each view."""


@dataclass(frozen=True, slots=True)
class Judgement:
    outcome: Outcome
    reason: str
    """The last part of the sentence's key, `classroom.reason.<reason>`. `sentence_params` fill the sentence."""
    score: int | None = None
    score_max: int | None = None
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def is_passed(self) -> bool:
        return self.outcome == Outcome.PASSED

    @property
    def sentence_key(self) -> str:
        return f"classroom.reason.{self.reason}"

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"score": self.score, "score_max": self.score_max, **self.evidence}


_RANK = {Outcome.PASSED: 2, Outcome.WAITING: 1, Outcome.FAILED: 0}


def counting(attempts: Iterable[Attempt]) -> Attempt | None:
    """Of one learner's attempts at one assignment, the one that counts: by outcome, then by right answers,
    then the later one. None if nothing was handed in."""
    handed_in = (one for one in attempts if one.outcome != Outcome.OPEN)
    return max(handed_in, key=_standing, default=None)


def _standing(attempt: Attempt) -> tuple[int, int, int]:
    return _RANK[Outcome(attempt.outcome)], attempt.score or 0, attempt.number


def first_branch(attempt: Attempt) -> Branch:
    """The first branch of the attempt's session."""
    branches = Branch.objects.filter(session=attempt.session).select_related("session__version")
    return branches.order_by("id")[0]


def broken_by_itself(version: ScenarioVersion, variant: str | None, asks: Caller) -> dict[str, int] | None:
    """The guarantees that a run without interventions breaks, each with the first step that breaks it. None if the
    engine refuses the scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).broken


def guarantees_of(version: ScenarioVersion, variant: str | None, asks: Caller) -> tuple[str, ...]:
    """The guarantees that the engine judges in runs of the scenario. Empty if the engine refuses the
    scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).guarantees


def failed_by_itself(version: ScenarioVersion, variant: str | None, asks: Caller) -> int:
    """How many records a run without interventions reports as failed and does not store. 0 if the engine refuses
    the scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).failed


@dataclass(frozen=True, slots=True)
class _Run:
    digest: str
    variant: str | None
    asks: Caller = field(compare=False)


@lru_cache(maxsize=RUNS_KEPT)
def _alone(run: _Run) -> Found:
    """The facts about the run without interventions. Raises Busy or BeyondBounds."""
    version = ScenarioVersion.objects.get(digest=run.digest)
    asked = Asked(version.document, version.identifier, run.variant)
    if version.library_position is not None:
        return run_alone(asked)
    return msgspec.json.decode(runner.answer(TASKS["alone"], asked, run.asks), type=Found)
