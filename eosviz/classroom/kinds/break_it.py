"""The kind *Break a guarantee*: the learner breaks a guarantee with a limited number of interventions."""

from __future__ import annotations

from typing import Any

from django import forms

from eosviz.accounts.forms import words
from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds.guarantees import guarantee_field
from eosviz.classroom.kinds.kind import Kind, Say, wrong_at
from eosviz.classroom.models import BUDGET_MAX, Assignment, Attempt, Outcome
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Branch, Intervention, line_among, line_interventions


class BreakIt(Kind):
    name = "break"
    order = 3

    def fields(self) -> dict[str, forms.Field]:
        return {
            "guarantee": guarantee_field(may_be_every=False),
            "budget": forms.IntegerField(
                label=words("classroom.budget"),
                help_text=words("classroom.budget.why"),
                min_value=1,
                max_value=BUDGET_MAX,
                initial=2,
            ),
        }

    def check(self, version: ScenarioVersion, broken: dict[str, int], cleaned: dict[str, Any]) -> None:
        guarantee = cleaned.get("guarantee", "")
        if guarantee in broken:
            raise wrong_at("guarantee", "classroom.wrong.broken_already", step=broken[guarantee])

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        named = say(assignment.guarantee_key)
        return [say("classroom.task.break", guarantee=named, budget=assignment.budget)]

    def judge(self, attempt: Attempt) -> Judgement:
        """Judge by the branch that broke the guarantee with the fewest interventions before the breaking
        step."""
        guarantee, budget = attempt.assignment.guarantee, attempt.assignment.budget or 0
        found: list[tuple[int, Branch]] = []
        branches = list(Branch.objects.of_session(attempt.session_id)) if attempt.session_id else []
        by_id = {branch.id: branch for branch in branches}
        own = Intervention.objects.by_branch(branches)
        for branch in branches:
            step = branch.first_broken.get(guarantee)
            if step is None:
                continue
            made = [one for one in line_interventions(line_among(branch, by_id), own) if one["after"] < step]
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
