"""A class with an instructor and a learner, and people in no class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role
from eosviz.classroom import actions
from eosviz.classroom.models import Assignment, Attempt, Classroom
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.models import Prediction
from eosviz.walkthroughs.models import Session
from tests.accounts.conftest import person, signed_in
from tests.walkthroughs.conftest import _no_simulation_of_another_test, carry_out, root  # noqa: F401


@pytest.fixture(autouse=True)
def _no_attempts_of_another_test() -> None:
    cache.clear()


@dataclass
class School:
    """A class, and people by the names of their parts, such as `learner`."""

    classroom: Classroom
    people: dict[str, User]
    _signed_in: dict[str, str] = field(default_factory=dict)
    """Name → session cookie of each person who has signed in before."""

    def browser(self, who: str) -> Client:
        """Return a new browser that is signed in as this person."""
        if who == "anonymous":
            return Client()
        if who not in self._signed_in:
            self._signed_in[who] = signed_in(self.people[who]).cookies["sessionid"].value
        browser = Client()
        browser.cookies["sessionid"] = self._signed_in[who]
        return browser

    def assign(self, kind: str, scenario: str | None = "SC-03", **fields: Any) -> Assignment:
        """Create an assignment with these values, as the form would."""
        version = scenario and ScenarioVersion.objects.library().get(identifier=scenario)
        given = Assignment(kind=kind, title=f"{kind} it", version=version or None, **fields)
        return actions.give_assignment(self.classroom, self.people["instructor"], given)

    def attempt(self, assignment: Assignment, **chosen: Any) -> Attempt:
        return actions.begin(self.people["learner"], assignment, chosen)


@pytest.fixture
def school(db: None) -> School:
    return make_school()


def make_school() -> School:
    people = {
        "learner": person("lea@example.org"),
        "other learner": person("leo@example.org"),
        "stranger": person("stan@example.org"),
        "instructor": person("ina@example.org", Role.INSTRUCTOR),
        "other instructor": person("ines@example.org", Role.INSTRUCTOR),
        "administrator": person("adam@example.org", Role.ADMINISTRATOR),
    }
    classroom = actions.create_class(people["instructor"], "Streams 1")
    for learner in ("learner", "other learner"):
        actions.join(people[learner], classroom.code)
    return School(classroom, people)


def session_of(attempt: Attempt) -> Session:
    assert attempt.session is not None
    return attempt.session


def answer_question(
    session: Session, at: int, *, checkpoint: int = 0, ask: str = "x", choice: str = "a", right: bool = False
) -> None:
    """Store a learner's answer to a question at step `at` of the first branch."""
    Prediction.objects.create(
        session=session,
        branch=root(session),
        at=at,
        checkpoint=checkpoint,
        ask=ask,
        choice=choice,
        right=right,
    )


def run_to_the_end(attempt: Attempt) -> None:
    session = session_of(attempt)
    branch = root(session)
    while branch.finished is None:
        carry_out(session, "run_until", branch, after=branch.newest, until="end")
        branch.refresh_from_db()
