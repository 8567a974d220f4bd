"""Functions with which the kinds of assignments (`kinds/`) judge attempts. Most kinds need only the judged
steps of the attempt's run; *predict* also needs the questions, and *keep the guarantees* a run without
interventions."""

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
"""Each process keeps at most this many results of runs, because an attempt's page needs one each time it is
viewed."""


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
    """Of one learner's attempts at one assignment, the one that counts: the one with the best outcome, of
    these the one with the most right answers, of these the latest. None if no attempt was submitted."""
    handed_in = (one for one in attempts if one.outcome != Outcome.OPEN)
    return max(handed_in, key=_standing, default=None)


def _standing(attempt: Attempt) -> tuple[int, int, int]:
    return _RANK[Outcome(attempt.outcome)], attempt.score or 0, attempt.number


def first_branch(attempt: Attempt) -> Branch:
    """The first branch of the attempt's session."""
    branches = Branch.objects.filter(session=attempt.session).select_related("session__version")
    return branches.order_by("id")[0]


def broken_by_itself(version: ScenarioVersion, variant: str | None, asks: Caller) -> dict[str, int] | None:
    """Dict of guarantee → the first step that breaks it in a run without interventions, for each broken
    guarantee. None if the engine refuses the scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).broken


def guarantees_of(version: ScenarioVersion, variant: str | None, asks: Caller) -> tuple[str, ...]:
    """The names of the guarantees that the engine judges in runs of the scenario. Empty if the engine refuses
    the scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).guarantees


def failed_by_itself(version: ScenarioVersion, variant: str | None, asks: Caller) -> int:
    """The number of records that a run without interventions reports as failed and does not store. 0 if the
    engine refuses the scenario. Raises Busy or BeyondBounds."""
    return _alone(_Run(version.digest, variant, asks)).failed


@dataclass(frozen=True, slots=True)
class _Run:
    digest: str
    variant: str | None
    asks: Caller = field(compare=False)


@lru_cache(maxsize=RUNS_KEPT)
def _alone(run: _Run) -> Found:
    """What a run without interventions shows. Raises Busy or BeyondBounds."""
    version = ScenarioVersion.objects.get(digest=run.digest)
    asked = Asked(version.document, version.identifier, run.variant)
    if version.library_position is not None:
        return run_alone(asked)
    return msgspec.json.decode(runner.answer(TASKS["alone"], asked, run.asks), type=Found)
