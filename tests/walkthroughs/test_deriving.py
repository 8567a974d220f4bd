"""Pages get derived facts with every step and view; nothing that is stored or has a digest contains them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.following import following
from eosviz.walkthroughs import questions
from eosviz.walkthroughs.models import Branch, Keyframe, Session, Step
from tests.walkthroughs.conftest import carry_out, line_bodies, line_sent, root

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
STEPS = 130


@pytest.fixture
def session(start: Callable[..., Session]) -> Session:
    session = start("SC-03")
    carry_out(session, "advance", root(session), after=0, count=STEPS)
    return session


def of_the_engine() -> list[Json]:
    run = Simulation(entry("SC-03").scenario(None))
    derived = following(run)
    made = (run.step() for _ in range(STEPS))
    facts = [derived.take(step.to_json()) for step in made if step is not None]
    return [msgspec.json.decode(msgspec.json.encode(one)) for one in facts]


def facts(branch: Branch) -> list[Json]:
    return [msgspec.json.decode(body)["derived"] for body in line_sent(branch)]


def near_view(branch: Branch, number: int) -> Json:
    answer: Json = msgspec.json.decode(msgspec.json.encode(questions.near_view_answer(branch, number, "")))
    return answer


def test_every_step_is_sent_with_what_the_engine_derives_of_it(session: Session) -> None:
    assert facts(root(session)) == of_the_engine()
    assert not any("derived" in msgspec.json.decode(body) for body in line_bodies(root(session)))


def test_a_view_is_sent_with_what_its_steps_led_to(session: Session) -> None:
    run = Simulation(entry("SC-03").scenario(None))
    for number in (0, 1, 60, STEPS):
        run.run(steps=number - run.number)
        seen = near_view(root(session), number)
        assert seen["view"]["derived"] == following(run).view()
        assert number == 0 or seen["step"]["derived"] == of_the_engine()[number - 1]


def test_a_session_of_before_has_it_derived_when_it_is_asked_for(session: Session) -> None:
    branch = root(session)
    now = facts(branch), [near_view(branch, number) for number in (0, 1, 60, STEPS)]
    Step.objects.filter(branch=branch).update(derived=None)
    Keyframe.objects.filter(branch=branch).update(derived=None)
    assert (facts(branch), [near_view(branch, number) for number in (0, 1, 60, STEPS)]) == now


def test_a_session_of_before_that_goes_on_has_both(session: Session) -> None:
    branch = root(session)
    now = facts(branch)
    Step.objects.filter(branch=branch, number__lte=70).update(derived=None)
    assert facts(branch) == now
