"""Decides when an attempt is done. The engine judged every step when the step was made, and this module reads those
judgements. Only *make it hold* needs another run. The module writes nothing. The `Judgement` of an open attempt is the
result if it were handed in now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from engine.scenario.tracks import tracks
from engine.shapes.questions import Question
from eosviz.bounded import runner
from eosviz.bounded.register import Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.classroom.models import Attempt, Kind, Outcome
from eosviz.classroom.undisturbed_run import Asked, Found, run_alone
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.asking import asked_on
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs.models import Branch, line_interventions

RUNS_KEPT = 128
"""Results kept in each process: an attempt's page asks for one with each view."""


@dataclass(frozen=True, slots=True)
class Judgement:
    outcome: Outcome
    reason: str
    """The sentence is `classroom.reason.<reason>` with `said_params`."""
    score: int | None = None
    score_max: int | None = None
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def is_passed(self) -> bool:
        return self.outcome == Outcome.PASSED

    @property
    def said_key(self) -> str:
        return f"classroom.reason.{self.reason}"

    @property
    def said_params(self) -> dict[str, Any]:
        return {"score": self.score, "score_max": self.score_max, **self.evidence}


def judge(attempt: Attempt) -> Judgement:
    """The judgement at this moment. Raises Busy or BeyondBounds if a run that decides it cannot be made, now or at
    all."""
    if attempt.session_id is None and not attempt.assignment.track and attempt.assignment.version_id:
        return Judgement(Outcome.FAILED, "run_deleted")
    return _JUDGES[Kind(attempt.assignment.kind)](attempt)


_RANK = {Outcome.PASSED: 2, Outcome.WAITING: 1, Outcome.FAILED: 0}


def counting(attempts: Iterable[Attempt]) -> Attempt | None:
    """The attempt that counts among one learner's attempts at one assignment: done before waiting before not done,
    then the one with more right answers, then the later one. None if nothing was handed in."""
    handed_in = (one for one in attempts if one.outcome != Outcome.OPEN)
    return max(handed_in, key=_standing, default=None)


def _standing(attempt: Attempt) -> tuple[int, int, int]:
    return _RANK[Outcome(attempt.outcome)], attempt.score or 0, attempt.number


def _watch(attempt: Attempt) -> Judgement:
    if attempt.assignment.track:
        return _track(attempt)
    root = _root(attempt)
    if root.interventions:
        return Judgement(Outcome.FAILED, "changed_run")
    if root.finished is None:
        return Judgement(Outcome.FAILED, "not_at_the_end", evidence={"step": root.newest})
    return Judgement(Outcome.PASSED, "watched", evidence={"step": root.newest})


def _track(attempt: Attempt) -> Judgement:
    track = next((one for one in tracks() if one.name == attempt.assignment.track), None)
    count = len(track.items) if track is not None else 0
    visits = Visit.objects.of_browser(attempt.user.owner_key)
    done = visits.filter(track=attempt.assignment.track, done=True, position__lte=count).count()
    outcome = Outcome.PASSED if count and done == count else Outcome.FAILED
    return Judgement(outcome, "track", evidence={"done": done, "count": count})


def _predict(attempt: Attempt) -> Judgement:
    """Every question of the run without interventions; the first answer counts, a skipped question counts as
    unanswered. Done with at most the assignment's number of wrong answers, and at least one right answer."""
    line = [_root(attempt)]
    if line[0].interventions:
        return Judgement(Outcome.FAILED, "changed_run")
    asked = asked_on(line)
    answers = {answer.at: answer for answer in Prediction.objects.of_line(line)}
    wrong = [
        _mistake(one, answers[one["at"]].choice)
        for one in asked
        if one["at"] in answers and answers[one["at"]].right is not True
    ]
    unanswered = [one["at"] for one in asked if one["at"] not in answers]
    right = len(asked) - len(wrong) - len(unanswered)
    evidence = {"wrong": wrong, "unanswered": len(unanswered)}
    if unanswered:
        return Judgement(Outcome.FAILED, "unanswered", right, len(asked), evidence)
    needed = max(1, len(asked) - attempt.assignment.wrong_max)
    if right < needed:
        return Judgement(Outcome.FAILED, "mispredicted", right, len(asked), {**evidence, "needed": needed})
    return Judgement(Outcome.PASSED, "predicted", right, len(asked), evidence)


def _mistake(question: Question, choice: str) -> dict[str, Any]:
    """A wrong prediction as its page says it: the keys and parameters of question, answer and right answer. A skipped
    question has no answer."""
    said = {one["id"]: {"key": one["key"], "params": one["params"]} for one in question["choices"]}
    return {
        "at": question["at"],
        "ask": question["ask"],
        "choice": choice,
        "question": {"key": question["key"], "params": question["params"]},
        "answer": said.get(choice),
        "right": said.get(question["right"]),
    }


def _break(attempt: Attempt) -> Judgement:
    """The branch that broke the guarantee with the fewest interventions before that step."""
    guarantee, budget = attempt.assignment.guarantee, attempt.assignment.budget or 0
    found: list[tuple[int, Branch]] = []
    branches = list(Branch.objects.of_session(attempt.session_id)) if attempt.session_id else []
    by_id = {branch.id: branch for branch in branches}
    for branch in branches:
        step = branch.first_broken.get(guarantee)
        if step is None:
            continue
        made = [one for one in line_interventions(_line(branch, by_id)) if one["after"] < step]
        found.append((len(made), branch))
    if not found:
        return Judgement(Outcome.FAILED, "nothing_broken", evidence={"budget": budget})
    used, branch = min(found, key=lambda one: (one[0], one[1].id))
    evidence = {
        "branch": branch.name,
        "step": branch.first_broken[guarantee],
        "used": used,
        "budget": budget,
    }
    if used > budget:
        return Judgement(Outcome.FAILED, "over_budget", evidence=evidence)
    return Judgement(Outcome.PASSED, "broken", evidence=evidence)


def _line(branch: Branch, by_id: dict[int, Branch]) -> list[Branch]:
    line = [branch]
    while line[-1].parent_id is not None:
        line.append(by_id[line[-1].parent_id])
    return line[::-1]


def _hold(attempt: Attempt) -> Judgement:
    """The engine makes the run again with the chosen settings and without interventions: what the learner did in
    the attempt's run does not count."""
    if attempt.session is None:
        return Judgement(Outcome.FAILED, "run_deleted")
    guarantee = attempt.assignment.guarantee
    asks = caller(attempt.user.owner_key)
    every = broken_by_itself(attempt.session.version, attempt.session.variant, asks) or {}
    broken = {name: step for name, step in every.items() if guarantee in ("", name)}
    if broken:
        name, step = min(broken.items(), key=lambda one: (one[1], one[0]))
        return Judgement(Outcome.FAILED, "did_not_hold", evidence={"broken": name, "step": step})
    return Judgement(Outcome.PASSED, "held")


def _explain(attempt: Attempt) -> Judgement:
    """An instructor reads the text: this is their decision, and `waiting` before it."""
    return Judgement(Outcome(attempt.outcome) if attempt.handed_in else Outcome.WAITING, "read_by_person")


_JUDGES: dict[Kind, Callable[[Attempt], Judgement]] = {
    Kind.WATCH: _watch,
    Kind.PREDICT: _predict,
    Kind.BREAK: _break,
    Kind.HOLD: _hold,
    Kind.EXPLAIN: _explain,
}


def _root(attempt: Attempt) -> Branch:
    """The branch that the session began with. An intervention at its newest step makes no new branch, so it is in
    `interventions` here."""
    branches = Branch.objects.filter(session=attempt.session).select_related("session__version")
    return branches.order_by("id")[0]


def broken_by_itself(version: ScenarioVersion, variant: str | None, asks: Caller) -> dict[str, int] | None:
    """The guarantees that a run without interventions breaks, each with the first step that breaks it. None if the
    engine refuses the scenario. Raises Busy or BeyondBounds."""
    return _broken(_Run(version.digest, variant, asks))


@dataclass(frozen=True, slots=True)
class _Run:
    digest: str
    variant: str | None
    asks: Caller = field(compare=False)


@lru_cache(maxsize=RUNS_KEPT)
def _broken(run: _Run) -> dict[str, int] | None:
    """Runs of the library are made here, all others in a bounded process."""
    version = ScenarioVersion.objects.get(digest=run.digest)
    asked = Asked(version.document, version.identifier, run.variant)
    if version.library_position is not None:
        return run_alone(asked).broken
    return msgspec.json.decode(runner.answer(TASKS["alone"], asked, run.asks), type=Found).broken
