"""*Why*, asked with the API: the engine's chain of reasons for a stored step, at whatever step the session is now."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from engine.why.offering import questions_about
from eosviz.refusals import Problem
from eosviz.walkthroughs import simulations, tasks
from eosviz.walkthroughs.explaining import explained
from eosviz.walkthroughs.messages import Why, ask_why, encode
from eosviz.walkthroughs.models import Session
from tests.walkthroughs.conftest import carry_out, message, root

HELD = 75
"""At this step of SC-75, the partition is held back, and virtual time is about to jump to the timeout."""


@pytest.fixture
def held(start: Callable[..., Session]) -> Session:
    session = start("SC-75", "timeout")
    carry_out(session, "advance", root(session), after=0, count=90)
    return session


def ask(session: Session, number: int, **wanted: Any) -> Why:
    return explained(session.id, message("why", root(session), number=number, **wanted))  # type: ignore[arg-type]


def of_engine(number: int) -> Simulation:
    simulation = Simulation(entry("SC-75").scenario("timeout"))
    simulation.run(steps=number)
    return simulation


def test_what_stands_out_is_answered_at_once(held: Session) -> None:
    answer = ask(held, HELD)
    run = of_engine(HELD)
    assert [(one.question, one.subject) for one in answer.questions] == [
        (one.question, one.subject) for one in questions_about(run, None)
    ]
    assert (answer.question, answer.subject) == ("lso", "t-0")
    assert [one.key for one in answer.links] == [one.key for one in why(run, "lso", "t-0")]


@pytest.mark.parametrize("number", [HELD, 90])
def test_a_question_is_answered_for_its_step_and_changes_nothing(held: Session, number: int) -> None:
    selected = {"kind": "transaction", "id": "txn-1"}
    answer = ask(held, number, selection=selected, question="unended", subject="txn-1")
    assert [one.params for one in answer.links] == [
        one.params for one in why(of_engine(number), "unended", "txn-1")
    ]
    assert "unended" in [one.question for one in answer.questions]
    simulations.recent.clear()
    carry_out(held, "advance", root(held), after=90, count=2)
    assert root(held).newest == 92


def test_nothing_to_ask_is_an_answer(held: Session) -> None:
    answer = ask(held, HELD, selection={"kind": "message", "id": "1"})
    assert (answer.questions, answer.question, answer.links) == ([], None, [])


@pytest.mark.parametrize(
    ("question", "subject"), [("lso", "t-9"), ("weather", ""), ("unseen", "c-committed"), ("refused", "")]
)
def test_an_unknown_question_or_subject_is_answered_with_the_known_ones(
    held: Session, question: str, subject: str
) -> None:
    with pytest.raises(Problem) as caught:
        ask(held, HELD, question=question, subject=subject)
    assert (caught.value.code, caught.value.key) == ("not_found", "problem.why_unknown")
    assert caught.value.params["allowed"]


def test_a_step_that_is_not_made_yet_is_no_place_to_ask(held: Session) -> None:
    with pytest.raises(Problem) as caught:
        ask(held, 91)
    assert caught.value.code == "conflict"


def test_steps_of_another_engine_are_not_explained(held: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine would explain the steps that it makes itself, and not the recorded ones."""
    simulations.recent.clear()
    monkeypatch.setattr(simulations, "encode_step", lambda step: b"{}")
    with pytest.raises(Problem) as caught:
        ask(held, HELD)
    assert (caught.value.code, caught.value.key) == ("refused", "problem.engine_differs")


def test_the_subject_of_a_link_can_be_selected(held: Session) -> None:
    """The subject of a sentence has the same form as the selection that a page sends."""
    for one in ask(held, HELD).links:
        if one.subject is not None:
            sent = message("actions", root(held), number=HELD, selection=one.subject, id=uuid.uuid4())
            assert sent.selection.kind == one.subject["kind"]  # type: ignore[union-attr]


def test_a_page_that_asked_learns_that_its_task_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Any] = []

    def failing(*arguments: Any) -> Why:
        raise KeyError("replicas")

    monkeypatch.setattr(tasks, "explained", failing)
    monkeypatch.setattr(tasks, "publish", lambda session_id, frames, answer: messages.append(answer))
    asked = ask_why("1", 0)
    with pytest.raises(KeyError):
        tasks.find_why(str(uuid.uuid4()), encode(asked).decode())
    assert [(one.re, one.code, one.key) for one in messages] == [(str(asked.id), "refused", "problem.failed")]
    # The text of the exception is only in the log, with this code.
    assert messages[0].params == {"report": str(asked.id)[:8]}
