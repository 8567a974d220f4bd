"""The base class of the kinds of assignments. A kind decides which fields its form has, which tasks it
refuses, when an attempt has passed, and what learners read, do and answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms

from eosviz.classroom.judging import Judgement
from eosviz.classroom.models import Assignment, Attempt
from eosviz.language import say_here
from eosviz.scenarios.models import ScenarioVersion

Say = Callable[..., str]
"""The type of the function `say(key, **params)`, which returns the text of a key in the reader's language."""


def written(value: Any) -> str:
    """A value that a learner chose, as text in the spelling of the scenario's document and of the forms."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class StartForm(forms.Form):
    """The form in which a learner chooses something before an attempt begins."""

    @property
    def chosen(self) -> dict[str, Any]:
        """Dict of path in the scenario's document → chosen value. It is stored with the attempt."""
        raise NotImplementedError


class Kind:
    """The base of all kinds. By default any scenario may be assigned, and the learner presses *Submit* at the
    end."""

    name: ClassVar[str]
    """The kind's name, of at most ten letters. The catalogue must have the keys `classroom.kind.<name>`,
    `classroom.kind.<name>.why` and `classroom.task.<name>`."""
    order: ClassVar[int]
    """The position of the kind in lists."""
    needs_scenario: ClassVar[bool] = True
    """False if an assignment may consist of the instructor's text alone."""
    takes_tracks: ClassVar[bool] = False
    """Whether a track may be assigned instead of a scenario."""
    is_judged_by_run: ClassVar[bool] = True
    """Whether the attempt's run decides the judgement. If so, the page of results shows how far the run has
    got."""
    standing_key: ClassVar[str] = "classroom.as_it_stands"
    """The key of the words that introduce the judgement which an open attempt would get now."""
    asks_questions: ClassVar[bool] = False
    """Whether the task is to answer the run's questions. If so, a run without a question is refused, and the
    page of results shows the steps whose question was answered wrongly."""
    is_read: ClassVar[bool] = False
    """Whether an instructor reads the learner's text and decides. If so, `answer_fields` has the field
    `text`."""

    @property
    def template(self) -> str:
        """The path of the template with which an open attempt is submitted; a part of the assignment's
        page."""
        return f"classroom/hand_in/{'text' if self.is_read else 'judged'}.html"

    @property
    def key(self) -> str:
        return f"classroom.kind.{self.name}"

    @property
    def why_key(self) -> str:
        return f"{self.key}.why"

    def fields(self) -> dict[str, forms.Field]:
        """Dict of column of `Assignment` → field of the assignment's form, for the fields that only this kind
        has."""
        return {}

    def answer_fields(self) -> dict[str, forms.Field]:
        """Dict of name → field, for the fields that a learner fills in to submit an attempt. If there are
        any, `judge` is called only when the attempt is submitted. It finds their values in `attempt.chosen`,
        and the value of `text` in `attempt.text`."""
        return {}

    def chosen_labels(self, attempt: Attempt) -> dict[str, str]:
        """Dict of key in `attempt.chosen` → the label under which pages show its value. A key is the path of
        a setting or the name of one of the `answer_fields`."""
        fields = self.answer_fields()
        return {name: str(fields[name].label) if name in fields else name for name in attempt.chosen}

    def offers(self, version: ScenarioVersion) -> bool:
        """Whether this scenario can be assigned. Only its document is checked; nothing is run."""
        return True

    def check(self, version: ScenarioVersion, broken: dict[str, int], cleaned: dict[str, Any]) -> None:
        """Check the task when an instructor assigns it. `broken`: guarantee → the first step that breaks it
        in the run without interventions. `cleaned`: the form's values. Raises ValidationError (`wrong_at`) if
        the task is impossible, or is done without any action."""

    def judge(self, attempt: Attempt) -> Judgement:
        """The judgement that the attempt would get if it were submitted now. Changes nothing. Raises Busy or
        BeyondBounds."""
        raise NotImplementedError

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        """The sentences that say what learners have to do."""
        return [say(f"classroom.task.{self.name}")]

    def start_form(self, assignment: Assignment, data: Any = None) -> StartForm | None:
        """The form in which a learner chooses something before an attempt begins. None if there is nothing to
        choose."""
        return None


def wrong_at(field: str, key: str, **params: Any) -> forms.ValidationError:
    """The error that refuses the value of the form's field `field`."""
    return forms.ValidationError({field: [say_here(key, **params)]})
