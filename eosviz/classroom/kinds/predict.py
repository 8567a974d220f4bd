"""The kind *Predict*: the learner answers every question of a run before the run continues."""

from __future__ import annotations

from typing import Any

from django import forms

from engine.shapes.questions import Question
from eosviz.accounts.forms import words
from eosviz.classroom.judging import Judgement, first_branch
from eosviz.classroom.kinds.kind import Kind, Say
from eosviz.classroom.models import WRONG_MAX, Assignment, Attempt, Outcome
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.asking import asked_on
from eosviz.tracks.models import Prediction
from eosviz.walkthroughs.models import Intervention


class Predict(Kind):
    name = "predict"
    order = 2
    asks_questions = True

    def fields(self) -> dict[str, forms.Field]:
        return {
            "wrong_max": forms.IntegerField(
                label=words("classroom.wrong_max"),
                help_text=words("classroom.wrong_max.why"),
                min_value=0,
                max_value=WRONG_MAX,
                initial=0,
            )
        }

    def offers(self, version: ScenarioVersion) -> bool:
        return bool(version.document.get("checkpoints"))

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        most = assignment.wrong_max
        how = say("classroom.task.predict.most", wrong=most) if most else say("classroom.task.predict.all")
        return [say("classroom.task.predict"), how]

    def judge(self, attempt: Attempt) -> Judgement:
        """Judge by the answers to all questions of the attempt's first branch. A skipped question counts as
        answered wrongly. An attempt with interventions has failed."""
        line = [first_branch(attempt)]
        if Intervention.objects.count_on(line[0]):
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
            return Judgement(
                Outcome.FAILED, "mispredicted", right, len(asked), {**evidence, "needed": needed}
            )
        return Judgement(Outcome.PASSED, "predicted", right, len(asked), evidence)


def _mistake(question: Question, choice: str) -> dict[str, Any]:
    """What the assignment's page shows about a wrong prediction: keys and parameters of the question, of the
    answer that was given, and of the right answer."""
    said = {one["id"]: {"key": one["key"], "params": one["params"]} for one in question["choices"]}
    return {
        "at": question["at"],
        "ask": question["ask"],
        "choice": choice,
        "question": {"key": question["key"], "params": question["params"]},
        "answer": said.get(choice),
        "right": said.get(question["right"]),
    }
