"""The step that is made before it is asked for: the one that comes, or none."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from engine.errors import EngineError
from engine.simulation import Simulation
from eosviz.walkthroughs import actions, ahead
from eosviz.walkthroughs.ahead import look_ahead, told_ahead
from eosviz.walkthroughs.messages import AskActions, AskAhead, Done
from eosviz.walkthroughs.models import Session
from tests.walkthroughs.conftest import carry_out, line_bodies, line_sent, message, numbers, root

Told = list[dict[str, Any]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    """What was sent to the page."""
    found: Told = []
    monkeypatch.setattr(ahead, "send_to_page", lambda page, event: found.append(json.loads(event["frame"])))
    return found


def look(session: Session) -> None:
    look_ahead(session.id, root(session).id, "page")


def test_the_step_made_ahead_is_the_one_that_is_stored_when_it_is_asked_for(
    session: Session, told: Told
) -> None:
    branch = root(session)
    for after in range(30):
        carry_out(session, "advance", branch, after=after, count=1)
        look(session)
        assert numbers(branch) == list(range(1, after + 2))
    assert [message["after"] for message in told] == list(range(1, 31))
    bodies = [json.loads(body) for body in line_sent(branch)]
    assert [message["step"] for message in told[:-1]] == bodies[1:]


def test_a_run_goes_on_from_the_step_made_ahead_as_if_nobody_had_looked(session: Session, start: Any) -> None:
    carry_out(session, "advance", root(session), after=0, count=3)
    look(session)
    answer = carry_out(session, "run_until", root(session), after=3, until="interesting")
    look(session)
    carry_out(session, "run_until", root(session), after=answer.newest, until="end")
    plain = start()
    carry_out(plain, "run_until", root(plain), after=0, until="end")
    assert line_bodies(root(session)) == line_bodies(root(plain))
    assert root(session).finished == root(plain).finished == "complete"


def test_where_nothing_follows_nothing_is_told_and_the_end_is_found(
    session: Session, told: Told, start: Any
) -> None:
    plain = start()
    last = carry_out(plain, "run_until", root(plain), after=0, until="end").newest
    carry_out(session, "advance", root(session), after=0, count=last)
    assert root(session).finished is None
    look(session)
    assert told == []
    assert carry_out(session, "advance", root(session), after=last, count=1).stopped == "end"
    assert (root(session).newest, root(session).finished) == (last, "complete")


def test_what_is_done_first_makes_another_step(session: Session, told: Told) -> None:
    carry_out(session, "advance", root(session), after=0, count=12)
    look(session)
    crash = {"action": "crash", "actor": "broker-3"}
    carry_out(session, "intervene", root(session), after=12, intervention=crash)
    stored = json.loads(line_bodies(root(session))[-1])
    assert stored["number"] == told[0]["step"]["number"] == 13
    assert stored["kind"] != told[0]["step"]["kind"]


def test_what_is_asked_about_the_newest_step_is_answered_as_of_then(session: Session) -> None:
    def offers() -> list[tuple[str, bool]]:
        asked = message("actions", root(session), number=12, selection={"kind": "actor", "id": "broker-2"})
        assert isinstance(asked, AskActions)
        return [(offer.action, offer.enabled) for offer in actions.offered(session.id, asked)]

    carry_out(session, "advance", root(session), after=0, count=12)
    before = offers()
    look(session)
    assert offers() == before
    assert carry_out(session, "advance", root(session), after=12, count=1).newest == 13


def test_a_step_that_another_process_stored_is_the_one_that_counts(session: Session, told: Told) -> None:
    carry_out(session, "advance", root(session), after=0, count=5)
    look(session)
    held = list(actions.recent._slots.items())
    actions.recent.clear()  # Another process, which knows nothing of this one's.
    carry_out(session, "advance", root(session), after=5, count=2)
    actions.recent._slots.update(held)
    answer = carry_out(session, "advance", root(session), after=5, count=4)
    assert isinstance(answer, Done)
    assert answer.newest == 9
    assert numbers(root(session)) == list(range(1, 10))


def test_what_the_engine_cannot_make_is_told_to_who_asks_for_it(
    session: Session, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(simulation: Simulation) -> None:
        raise EngineError("on purpose")

    carry_out(session, "advance", root(session), after=0, count=5)
    with monkeypatch.context() as patched:
        patched.setattr(Simulation, "step", broken)
        look(session)
    assert told == []
    assert carry_out(session, "advance", root(session), after=5, count=1).newest == 6


def test_beyond_its_bound_nothing_is_made(
    session: Session, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "STEPS_MAX", 4)
    carry_out(session, "advance", root(session), after=0, count=4)
    look(session)
    carry_out(session, "advance", root(session), after=4, count=1)
    look(session)
    assert [message["after"] for message in told] == [4]


def asked(session: Session, after: int) -> AskAhead:
    found = message("ahead", root(session), after=after)
    assert isinstance(found, AskAhead)
    return found


def test_who_has_stepped_nowhere_yet_may_ask(session: Session) -> None:
    answer = told_ahead(session.id, asked(session, 0))
    assert told_ahead(session.id, asked(session, 0)).step == answer.step
    assert numbers(root(session)) == []
    carry_out(session, "advance", root(session), after=0, count=1)
    assert isinstance(answer.step, msgspec.Raw)
    assert line_sent(root(session)) == [bytes(answer.step)]


def test_who_asks_about_another_step_than_the_newest_or_after_the_end_is_told_none(session: Session) -> None:
    carry_out(session, "advance", root(session), after=0, count=4)
    assert told_ahead(session.id, asked(session, 3)).step is None
    last = carry_out(session, "run_until", root(session), after=4, until="end").newest
    assert told_ahead(session.id, asked(session, last)).step is None
