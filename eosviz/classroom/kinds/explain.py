"""*Explain*: the learner writes a text, and an instructor reads it."""

from __future__ import annotations

from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds.kind import Kind
from eosviz.classroom.models import Attempt, Outcome


class Explain(Kind):
    name = "explain"
    order = 5
    needs_scenario = False
    is_judged_by_run = False
    is_read = True

    def judge(self, attempt: Attempt) -> Judgement:
        """The decision of the instructor who reads the text; before it, `waiting`."""
        return Judgement(Outcome(attempt.outcome) if attempt.handed_in else Outcome.WAITING, "read_by_person")
