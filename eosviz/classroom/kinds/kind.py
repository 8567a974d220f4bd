"""The interface of a kind of assignment: the fields of its form, what it refuses, when an attempt is done, and what
learners read, do and answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms

from eosviz.classroom.judging import Judgement
from eosviz.classroom.models import Assignment, Attempt
from eosviz.language import say_here
from eosviz.scenarios.models import ScenarioVersion

Say = Callable[..., str]
"""A sentence of the catalogue in the reader's language: `say(key, **params)`."""


def written(value: Any) -> str:
    """A value that a learner chose, as the scenario's document and the forms write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class StartForm(forms.Form):
    """The form for what a learner chooses before an attempt begins."""

    @property
    def chosen(self) -> dict[str, Any]:
        """The choices that are stored with the attempt: path in the scenario's document → value."""
        raise NotImplementedError


class Kind:
    """The base of all kinds: any scenario may be assigned, and the learner presses *Submit* at the end."""

    name: ClassVar[str]
    """The name, of at most ten letters. The catalogue has `classroom.kind.<name>`,
    `classroom.kind.<name>.why` and `classroom.task.<name>`."""
    order: ClassVar[int]
    """The position of the kind in lists."""
    needs_scenario: ClassVar[bool] = True
    """False if the instructor's text alone may be the task."""
    takes_tracks: ClassVar[bool] = False
    """Whether a track may be assigned instead of a scenario."""
    is_judged_by_run: ClassVar[bool] = True
    """Whether the attempt is judged by its run, so that the results show how far the run has got."""
    standing_key: ClassVar[str] = "classroom.as_it_stands"
    """The key of the words before the reason of the judgement that submitting now would give."""
    asks_questions: ClassVar[bool] = False
    """Whether the task is to answer the run's questions: a run without one is refused, and the results show
    the steps whose question was answered wrongly."""
    is_read: ClassVar[bool] = False
    """Whether an instructor reads the learner's text and decides; `answer_fields` has the field `text`."""

    @property
    def template(self) -> str:
        """The part of the assignment's page in which an open attempt is handed in."""
        return f"classroom/hand_in/{'text' if self.is_read else 'judged'}.html"

    @property
    def key(self) -> str:
        return f"classroom.kind.{self.name}"

    @property
    def why_key(self) -> str:
        return f"{self.key}.why"

    def fields(self) -> dict[str, forms.Field]:
        """The fields of the assignment's form that only this kind has: column of `Assignment` → field."""
        return {}

    def answer_fields(self) -> dict[str, forms.Field]:
        """The fields that a learner fills in to submit an attempt: name → field. `judge` finds the values in
        `attempt.chosen`, and that of `text` in `attempt.text`, and is called only when the attempt is submitted."""
        return {}

    def chosen_labels(self, attempt: Attempt) -> dict[str, str]:
        """The labels with which pages name the entries of `attempt.chosen`: path of a setting, or name of one of
        `answer_fields` → label."""
        fields = self.answer_fields()
        return {name: str(fields[name].label) if name in fields else name for name in attempt.chosen}

    def offers(self, version: ScenarioVersion) -> bool:
        """Whether this scenario can be assigned, as far as its document shows that."""
        return True

    def check(self, version: ScenarioVersion, broken: dict[str, int], cleaned: dict[str, Any]) -> None:
        """Check the task when an instructor assigns it. `broken`: guarantee → the first step that breaks it
        in the run without interventions. `cleaned`: the form's values. Raises ValidationError (`wrong_at`)
        for a task that is impossible or done from the start."""

    def judge(self, attempt: Attempt) -> Judgement:
        """The judgement that the attempt would get if it were handed in now. Reads only. Raises Busy or
        BeyondBounds."""
        raise NotImplementedError

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        """The sentences that tell learners what to do."""
        return [say(f"classroom.task.{self.name}")]

    def start_form(self, assignment: Assignment, data: Any = None) -> StartForm | None:
        """The form for what a learner chooses before an attempt begins. None if there is nothing to
        choose."""
        return None


def wrong_at(field: str, key: str, **params: Any) -> forms.ValidationError:
    """The error that refuses the value of a field of the form."""
    return forms.ValidationError({field: [say_here(key, **params)]})
