"""The kind *Explain*: the learner writes a text, and an instructor reads and judges it."""

from __future__ import annotations

from django import forms

from eosviz.accounts.forms import words
from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds.kind import Kind
from eosviz.classroom.models import TEXT_CHARACTERS_MAX, Attempt, Outcome


class Explain(Kind):
    name = "explain"
    order = 5
    needs_scenario = False
    is_judged_by_run = False
    is_read = True

    def answer_fields(self) -> dict[str, forms.Field]:
        return {
            "text": forms.CharField(
                label=words("classroom.your_text"),
                max_length=TEXT_CHARACTERS_MAX,
                widget=forms.Textarea(attrs={"rows": 8}),
            )
        }

    def judge(self, attempt: Attempt) -> Judgement:
        """The judgement by the instructor who reads the text; `waiting` until the instructor has decided."""
        return Judgement(Outcome(attempt.outcome) if attempt.handed_in else Outcome.WAITING, "read_by_person")
