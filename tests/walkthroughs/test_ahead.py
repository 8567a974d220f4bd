"""The step that is made ahead, before it is requested: whether it is the right one, and which process stores it."""

from __future__ import annotations

import json
import uuid
from typing import Any

import msgspec
import pytest

from engine.errors import EngineError
from engine.simulation import Simulation
from eosviz.walkthroughs import actions, ahead, simulations
from eosviz.walkthroughs.ahead import answer_ahead, go_on_ahead, look_ahead
from eosviz.walkthroughs.kept_ahead import KeptAhead
from eosviz.walkthroughs.messages import Advance, AskActions, AskAhead, CommandAnswer, Done
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import recent
from eosviz.walkthroughs.storing_ahead import store_in_transaction
from tests.walkthroughs.conftest import carry_out, done, line_bodies, line_sent, message, numbers, root

Sent = list[dict[str, Any]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The events that were sent to the page's socket."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(ahead, "send_to_page", lambda page, event: found.append(event))
    return found


@pytest.fixture
def steps_sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The messages that the socket sent to its page."""
    found: Sent = []
    kept = KeptAhead()
    monkeypatch.setattr(ahead, "send_to_page", lambda page, event: found.append(json.loads(kept.keep(event))))
    return found


def look(session: Session) -> None:
    look_ahead(session.id, root(session).id, "page")


def test_the_step_made_ahead_is_the_one_that_is_stored_when_it_is_asked_for(
    session: Session, steps_sent: Sent
) -> None:
    branch = root(session)
    for after in range(30):
        carry_out(session, "advance", branch, after=after, count=1)
        look(session)
        assert numbers(branch) == list(range(1, after + 2))
    assert [message["after"] for message in steps_sent] == list(range(1, 31))
    bodies = [json.loads(body) for body in line_sent(branch)]
    assert [message["step"] for message in steps_sent[:-1]] == bodies[1:]


def test_a_run_continues_from_the_step_made_ahead_as_without_it(session: Session, start: Any) -> None:
    carry_out(session, "advance", root(session), after=0, count=3)
    look(session)
    answer = done(carry_out(session, "run_until", root(session), after=3, until="interesting"))
    look(session)
    carry_out(session, "run_until", root(session), after=answer.newest, until="end")
    plain = start()
    carry_out(plain, "run_until", root(plain), after=0, until="end")
    assert line_bodies(root(session)) == line_bodies(root(plain))
    assert root(session).finished == root(plain).finished == "complete"


def test_where_nothing_follows_no_step_is_sent_and_the_end_is_found(
    session: Session, steps_sent: Sent, start: Any
) -> None:
    plain = start()
    last = done(carry_out(plain, "run_until", root(plain), after=0, until="end")).newest
    carry_out(session, "advance", root(session), after=0, count=last)
    assert root(session).finished is None
    look(session)
    assert steps_sent == []
    assert done(carry_out(session, "advance", root(session), after=last, count=1)).stopped == "end"
    assert (root(session).newest, root(session).finished) == (last, "complete")


def test_what_is_done_first_makes_another_step(session: Session, steps_sent: Sent) -> None:
    carry_out(session, "advance", root(session), after=0, count=12)
    look(session)
    crash = {"action": "crash", "actor": "broker-3"}
    carry_out(session, "intervene", root(session), after=12, intervention=crash)
    stored = json.loads(line_bodies(root(session))[-1])
    assert stored["number"] == steps_sent[0]["step"]["number"] == 13
    assert stored["kind"] != steps_sent[0]["step"]["kind"]


def test_what_is_asked_about_the_newest_step_is_answered_as_of_then(session: Session) -> None:
    def offers() -> list[tuple[str, bool]]:
        asked = message("actions", root(session), number=12, selection={"kind": "actor", "id": "broker-2"})
        assert isinstance(asked, AskActions)
        return [(offer.action, offer.enabled) for offer in actions.offered(session.id, asked)]

    carry_out(session, "advance", root(session), after=0, count=12)
    before = offers()
    look(session)
    assert offers() == before
    assert done(carry_out(session, "advance", root(session), after=12, count=1)).newest == 13


def test_a_step_that_another_process_stored_is_the_one_that_counts(
    session: Session, steps_sent: Sent
) -> None:
    carry_out(session, "advance", root(session), after=0, count=5)
    look(session)
    held = list(recent._slots.items())
    recent.clear()  # As another process, which knows nothing of this one's runs.
    carry_out(session, "advance", root(session), after=5, count=2)
    recent._slots.update(held)
    answer = carry_out(session, "advance", root(session), after=5, count=4)
    assert isinstance(answer, Done)
    assert answer.newest == 9
    assert numbers(root(session)) == list(range(1, 10))


def test_a_failure_of_the_engine_is_reported_to_the_page_that_asked(
    session: Session, steps_sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(simulation: Simulation) -> None:
        raise EngineError("on purpose")

    carry_out(session, "advance", root(session), after=0, count=5)
    with monkeypatch.context() as patched:
        patched.setattr(Simulation, "step", broken)
        look(session)
    assert steps_sent == []
    assert done(carry_out(session, "advance", root(session), after=5, count=1)).newest == 6


def test_beyond_its_bound_nothing_is_made(
    session: Session, steps_sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "STEPS_MAX", 4)
    carry_out(session, "advance", root(session), after=0, count=4)
    look(session)
    carry_out(session, "advance", root(session), after=4, count=1)
    look(session)
    assert [message["after"] for message in steps_sent] == [4]


def asked(session: Session, after: int) -> AskAhead:
    found = message("ahead", root(session), after=after)
    assert isinstance(found, AskAhead)
    return found


def test_who_has_stepped_nowhere_yet_may_ask(session: Session) -> None:
    answer = answer_ahead(session.id, asked(session, 0))
    assert answer_ahead(session.id, asked(session, 0)).step == answer.step
    assert numbers(root(session)) == []
    carry_out(session, "advance", root(session), after=0, count=1)
    assert isinstance(answer.step, msgspec.Raw)
    assert line_sent(root(session)) == [bytes(answer.step)]


def test_no_step_is_sent_ahead_of_another_step_than_the_newest_or_after_the_end(session: Session) -> None:
    carry_out(session, "advance", root(session), after=0, count=4)
    assert answer_ahead(session.id, asked(session, 3)).step is None
    last = done(carry_out(session, "run_until", root(session), after=4, until="end")).newest
    assert answer_ahead(session.id, asked(session, last)).step is None


# -- stored by the socket that keeps it ------------------------------------------------------------------------


def store(session: Session, event: dict[str, Any], **asked: Any) -> tuple[list[bytes], CommandAnswer] | None:
    """Do what a socket does that has received this event when its page requests the step. Returns None if the socket
    leaves the step to a worker.
    """
    kept = KeptAhead()
    after = json.loads(kept.keep(event))["after"]
    command = message("advance", root(session), **{"after": after, "count": 1, **asked})
    assert isinstance(command, Advance)
    made = kept.take(command)
    assert kept.take(command) is None
    stored = None if made is None else store_in_transaction(session.id, command, made)
    return None if stored is None else stored[:2]


def step_of(session: Session, after: int) -> Advance:
    command = message("advance", root(session), after=after, count=1)
    assert isinstance(command, Advance)
    return command


def take_and_store(session: Session, kept: KeptAhead, after: int) -> tuple[list[bytes], CommandAnswer] | None:
    """Let the socket store the kept step after `after`. Returns None if it leaves the step to a worker."""
    command = step_of(session, after)
    made = kept.take(command)
    stored = None if made is None else store_in_transaction(session.id, command, made)
    return None if stored is None else stored[:2]


def test_what_sockets_store_is_what_a_worker_stores(
    session: Session, sent: list[dict[str, Any]], start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    kept, tasks = KeptAhead(), 0
    shown = [kept.keep(sent.pop())]
    with monkeypatch.context() as patched:
        patched.setattr(simulations, "simulate_to", None)  # The kept run must continue.
        for number in range(2, 40):
            frames, answer = take_and_store(session, kept, number - 1) or ([], None)
            assert isinstance(answer, Done)
            assert (answer.newest, answer.reached, answer.stopped) == (number, number, "count")
            (stored,) = json.loads(frames[0])["steps"]
            assert (json.loads(shown[-1])["after"], json.loads(shown[-1])["step"]) == (number - 1, stored)
            further = kept.after(str(root(session).id), number)
            if further is None:
                tasks += 1
                go_on_ahead(session.id, root(session).id, kept.first, number, "page")
                further = kept.keep(sent.pop())
            shown.append(further)
    assert tasks == 19  # The first step was sent alone, the others in pairs.
    plain = start()
    carry_out(plain, "advance", root(plain), after=0, count=39)
    assert line_sent(root(session)) == line_sent(root(plain))
    assert numbers(root(session)) == list(range(1, 40))


def test_a_step_that_is_no_more_the_next_is_left_to_a_worker(
    session: Session, sent: list[dict[str, Any]]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=12)
    look(session)
    crash = {"action": "crash", "actor": "broker-3"}
    carry_out(session, "intervene", root(session), after=12, intervention=crash)
    before = line_bodies(root(session))
    assert store(session, sent.pop()) is None
    assert line_bodies(root(session)) == before


def test_a_command_that_was_carried_out_is_left_to_a_worker(
    session: Session, sent: list[dict[str, Any]]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    again = uuid.uuid4()
    assert store(session, sent[0], id=again) is not None
    assert store(session, sent[0], id=again) is None
    answer = carry_out(session, "advance", root(session), id=again, after=1, count=1)
    assert isinstance(answer, Done)
    assert (answer.newest, numbers(root(session))) == (2, [1, 2])


@pytest.mark.parametrize("asked", [{"count": 2}, {"after": 2}])
def test_what_asks_for_another_step_is_left_to_a_worker(
    session: Session, sent: list[dict[str, Any]], asked: dict[str, int]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    assert store(session, sent[0], **asked) is None


def test_a_worker_that_hears_late_of_what_a_socket_stored_answers_all_the_same(
    session: Session, sent: list[dict[str, Any]]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    assert store(session, sent.pop()) is not None
    assert done(carry_out(session, "advance", root(session), after=1, count=1)).newest == 2
    assert done(carry_out(session, "advance", root(session), after=2, count=2)).newest == 4
    go_on_ahead(session.id, root(session).id, 2, 2, "page")
    assert (sent, numbers(root(session))) == ([], [1, 2, 3, 4])


def test_another_worker_goes_on_after_what_a_socket_stored(
    session: Session, sent: list[dict[str, Any]]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=5)
    look(session)
    assert store(session, sent.pop()) is not None
    recent.clear()  # As another process, which knows nothing of this one's runs.
    go_on_ahead(session.id, root(session).id, 6, 6, "page")
    assert json.loads(KeptAhead().keep(sent.pop()))["after"] == 6


@pytest.fixture
def two_ahead(session: Session, sent: list[dict[str, Any]]) -> KeptAhead:
    """Return a socket that keeps the steps 3 and 4 of a session with two stored steps."""
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    kept = KeptAhead()
    kept.keep(sent.pop())
    assert take_and_store(session, kept, 1) is not None
    go_on_ahead(session.id, root(session).id, 2, 2, "page")
    kept.keep(sent.pop())
    return kept


@pytest.mark.parametrize("stored", [0, 1, 2])
@pytest.mark.parametrize(("kind", "asked"), [("advance", {"count": 1}), ("run_until", {"until": "end"})])
def test_a_worker_goes_on_wherever_the_socket_stopped(
    session: Session, two_ahead: KeptAhead, start: Any, stored: int, kind: str, asked: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for after in range(2, 2 + stored):
        assert take_and_store(session, two_ahead, after) is not None
    with monkeypatch.context() as patched:
        patched.setattr(simulations, "simulate_to", None)  # The kept run must continue.
        answer = done(carry_out(session, kind, root(session), after=2 + stored, **asked))
        if kind == "advance":
            assert answer.newest == 3 + stored
            answer = done(carry_out(session, "run_until", root(session), after=answer.newest, until="end"))
    plain = start()
    assert answer.newest == done(carry_out(plain, "run_until", root(plain), after=0, until="end")).newest
    assert line_bodies(root(session)) == line_bodies(root(plain))
    assert root(session).finished == root(plain).finished == "complete"


def test_an_act_between_two_steps_made_ahead_makes_another_step(
    session: Session, two_ahead: KeptAhead, sent: list[dict[str, Any]]
) -> None:
    assert take_and_store(session, two_ahead, 2) is not None
    crash = {"action": "crash", "actor": "broker-3"}
    carry_out(session, "intervene", root(session), after=3, intervention=crash)
    assert take_and_store(session, two_ahead, 3) is None
    assert json.loads(line_bodies(root(session))[-1])["kind"] == "fault"
    # A task that runs late finds the steps that the socket has stored.
    go_on_ahead(session.id, root(session).id, 3, 3, "page")
    assert (sent, numbers(root(session))) == ([], [1, 2, 3, 4])
    assert done(carry_out(session, "advance", root(session), after=4, count=1)).newest == 5


def test_the_end_of_the_run_is_found_after_the_last_step_made_ahead(
    session: Session, sent: list[dict[str, Any]], start: Any
) -> None:
    plain = start()
    last = done(carry_out(plain, "run_until", root(plain), after=0, until="end")).newest
    carry_out(session, "advance", root(session), after=0, count=last - 2)
    look(session)
    kept = KeptAhead()
    kept.keep(sent.pop())
    assert take_and_store(session, kept, last - 2) is not None
    go_on_ahead(session.id, root(session).id, last - 1, last - 1, "page")
    kept.keep(sent.pop())
    assert kept.after(str(root(session).id), last - 1) is not None
    assert take_and_store(session, kept, last - 1) is not None
    assert kept.after(str(root(session).id), last) is None
    go_on_ahead(session.id, root(session).id, last, last, "page")
    assert (sent, root(session).finished) == ([], None)
    assert done(carry_out(session, "advance", root(session), after=last, count=1)).stopped == "end"
    assert (root(session).newest, root(session).finished) == (last, "complete")


def test_a_keyframe_and_what_was_not_counted_are_left_to_a_worker(
    long_session: Session, sent: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_on(number: int) -> int:
        """Make a step, and return how many of the next two steps the socket may store."""
        carry_out(long_session, "advance", root(long_session), after=root(long_session).newest, count=1)
        go_on_ahead(long_session.id, root(long_session).id, number, number, "page")
        storable: int = sent.pop()["storable"]
        return storable

    carry_out(long_session, "advance", root(long_session), after=0, count=496)
    assert (go_on(497), go_on(498), go_on(499), go_on(500)) == (2, 1, 0, 2)
    for budget in (0, 1, 2):
        with recent.of(root(long_session).id) as slot:
            slot.budget = budget + 1
        assert go_on(501 + budget) == budget


def test_a_session_that_is_gone_takes_no_step(session: Session, sent: list[dict[str, Any]]) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look(session)
    kept = KeptAhead()
    kept.keep(sent.pop())
    command = message("advance", root(session), after=1, count=1)
    assert isinstance(command, Advance)
    Branch.objects.filter(session=session).delete()
    made = kept.take(command)
    assert made is not None
    assert store_in_transaction(session.id, command, made) is None
