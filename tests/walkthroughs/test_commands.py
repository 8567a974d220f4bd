"""Commands: which steps they make, and that they make them only once."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.refusals import Problem
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs import actions, simulations
from eosviz.walkthroughs.limits import Limits
from eosviz.walkthroughs.made_steps import encode_step
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Command, Intervention, Keyframe, Session, Step
from eosviz.walkthroughs.questions import branch_summaries
from eosviz.walkthroughs.simulations import RecentSimulations, recent
from tests.walkthroughs.conftest import (
    BROWSER,
    carry_out,
    created,
    done,
    error,
    line_bodies,
    message,
    numbers,
    root,
    version,
)


def engine_bodies(scenario: str, count: int) -> list[bytes]:
    """Return the steps that the engine itself makes, without the site."""
    simulation = Simulation(entry(scenario).scenario())
    made = (simulation.step() for _ in range(count))
    return [encode_step(step) for step in made if step is not None]


def under_way(branch: Branch) -> int:
    """Return the id of a message that is under way at the newest step of a branch."""
    view = simulations.simulate_to(Branch.objects.line(branch), branch.newest).view()
    return int(next(iter(view["network"]["messages"])))


def to_a_message(session: Session, branch: Branch) -> int:
    """Step until a message is under way, and return its id."""
    while True:
        carry_out(session, "advance", branch, after=branch.newest, count=1)
        branch.refresh_from_db()
        view = simulations.simulate_to(Branch.objects.line(branch), branch.newest).view()
        if view["network"]["messages"]:
            return int(next(iter(view["network"]["messages"])))


class TestAdvance:
    def test_the_steps_are_those_of_the_engine(self, session: Session) -> None:
        branch = root(session)
        answer = done(carry_out(session, "advance", branch, after=0, count=70))
        assert (answer.newest, answer.reached, answer.stopped) == (70, 70, "count")
        assert numbers(branch) == list(range(1, 71))
        assert line_bodies(branch) == engine_bodies("SC-03", 70)

    def test_one_at_a_time_or_many_at_once_is_the_same(self, start: Callable[..., Session]) -> None:
        slow, fast = start(), start()
        for after in range(12):
            carry_out(slow, "advance", root(slow), after=after, count=1)
        carry_out(fast, "advance", root(fast), after=0, count=12)
        assert line_bodies(root(slow)) == line_bodies(root(fast))

    def test_a_repeat_under_its_id_makes_nothing_and_is_answered_the_same(self, session: Session) -> None:
        branch, command = root(session), uuid.uuid4()
        first = carry_out(session, "advance", branch, id=command, after=0, count=3)
        carry_out(session, "advance", branch, after=3, count=2)
        assert carry_out(session, "advance", branch, id=command, after=0, count=3) == first
        assert numbers(branch) == [1, 2, 3, 4, 5]
        assert Command.objects.filter(identifier=command).count() == 1

    def test_what_was_made_before_is_found(self, session: Session) -> None:
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=5)
        answer = done(carry_out(session, "advance", branch, after=2, count=2))
        assert (answer.reached, answer.newest) == (4, 5)
        assert numbers(branch) == [1, 2, 3, 4, 5]

    def test_two_asked_for_ahead_may_come_in_either_order(self, session: Session) -> None:
        branch = root(session)
        assert done(carry_out(session, "advance", branch, after=10, count=10)).reached == 20
        assert done(carry_out(session, "advance", branch, after=0, count=10)).reached == 10
        assert numbers(branch) == list(range(1, 21))

    def test_far_beyond_the_newest_step_is_a_conflict(self, session: Session) -> None:
        answer = error(carry_out(session, "advance", root(session), after=900, count=1))
        assert (answer.code, answer.key) == ("conflict", "problem.beyond_newest")
        assert numbers(root(session)) == []

    def test_an_id_that_was_used_for_something_else_is_a_conflict(self, session: Session) -> None:
        branch, command = root(session), uuid.uuid4()
        carry_out(session, "advance", branch, id=command, after=0, count=1)
        answer = error(carry_out(session, "advance", branch, id=command, after=1, count=1))
        assert (answer.code, answer.key) == ("conflict", "problem.id_used")
        assert numbers(branch) == [1]

    def test_stepping_on_reads_nothing(self, session: Session, django_assert_num_queries: Any) -> None:
        """In one transaction, the branch is moved on, and the step and the command are stored; a click waits for
        these statements.
        """
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=1)
        with django_assert_num_queries(5) as made:
            done(carry_out(session, "advance", branch, after=1, count=1))
        statements = [query["sql"].split()[0] for query in made.captured_queries]
        assert statements in (
            ["SAVEPOINT", "UPDATE", "INSERT", "INSERT", "RELEASE"],
            ["BEGIN", "UPDATE", "INSERT", "INSERT", "COMMIT"],
        )

    def test_at_the_end_the_reason_is_shown_and_stays(self, session: Session) -> None:
        branch = root(session)
        answer = done(carry_out(session, "run_until", branch, after=0, until="end"))
        branch.refresh_from_db()
        assert answer.stopped == "end"
        assert (branch.finished, branch.newest) == ("complete", answer.newest)
        again = done(carry_out(session, "advance", branch, after=branch.newest, count=5))
        assert (again.stopped, again.newest) == ("end", branch.newest)
        assert numbers(branch) == list(range(1, branch.newest + 1))

    def test_a_branch_of_another_session_is_not_found(self, start: Callable[..., Session]) -> None:
        mine, other = start(), start()
        answer = error(carry_out(mine, "advance", root(other), after=0, count=1))
        assert answer.code == "not_found"
        assert numbers(root(other)) == []

    def test_a_session_holds_no_more_steps_than_its_limit(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(actions, "LIMITS", Limits(steps_per_session=30))
        branch = root(session)
        answer = done(carry_out(session, "advance", branch, after=0, count=40))
        assert (answer.reached, answer.stopped) == (30, "limit")
        full = error(carry_out(session, "advance", branch, after=30, count=1))
        assert (full.code, full.params) == ("limit", {"most": 30})
        assert numbers(branch) == list(range(1, 31))


class TestRunUntil:
    def test_stops_at_the_next_interesting_step_and_a_repeat_finds_it(self, session: Session) -> None:
        branch = root(session)
        answer = done(carry_out(session, "run_until", branch, after=0, until="interesting"))
        reached = Step.objects.get(branch=branch, number=answer.reached)
        assert answer.stopped == "interesting"
        assert reached.interesting
        assert not Step.objects.filter(branch=branch, number__lt=reached.number, interesting=True).exists()
        carry_out(session, "advance", branch, after=answer.reached, count=30)
        found = done(carry_out(session, "run_until", branch, after=0, until="interesting"))
        assert (found.reached, found.stopped) == (answer.reached, "interesting")

    def test_stops_at_a_virtual_time(self, session: Session) -> None:
        branch = root(session)
        answer = done(carry_out(session, "run_until", branch, after=0, until="time", time=13))
        ats = list(Step.objects.filter(branch=branch).order_by("number").values_list("at", flat=True))
        assert answer.stopped == "time"
        assert ats[-1] >= 13
        assert all(at < 13 for at in ats[:-1])

    def test_stops_at_its_limit(self, session: Session) -> None:
        answer = done(carry_out(session, "run_until", root(session), after=0, until="end", limit=7))
        assert (answer.reached, answer.stopped) == (7, "limit")

    def test_stops_when_it_is_paused_and_keeps_what_was_made(self, long_session: Session) -> None:
        session = long_session
        branch = root(session)
        assert actions.pause(session.id, branch.id) == 1
        command: Any = message("run_until", branch, after=0, until="end")
        answer = done(actions.carry_out(session.id, command, pauses=0))
        assert (answer.stopped, answer.reached) == ("pause", 50)
        assert numbers(branch) == list(range(1, 51))
        fresh: Any = message("run_until", branch, after=50, until="end", limit=60)
        assert done(actions.carry_out(session.id, fresh, pauses=1)).stopped == "limit"


class TestKeyframes:
    def test_a_view_is_stored_at_0_and_every_500_steps(self, long_session: Session) -> None:
        session = long_session
        branch = root(session)
        carry_out(session, "run_until", branch, after=0, until="end", limit=1100)
        branch.refresh_from_db()
        held = list(Keyframe.objects.filter(branch=branch).order_by("number"))
        assert [keyframe.number for keyframe in held] == [0, 500, 1000]
        again = simulations.simulate_to(Branch.objects.line(branch), held[-1].number)
        assert held[-1].digest == again.digest()
        assert msgspec.json.decode(held[-1].view_json) == again.view()

    def test_the_nearest_one_of_the_whole_line_is_found(self, long_session: Session) -> None:
        session = long_session
        branch = root(session)
        carry_out(session, "run_until", branch, after=0, until="end", limit=600)
        child = created(carry_out(session, "branch", branch, at=550))
        line = Branch.objects.line(child)
        nearest = [Keyframe.objects.nearest(line, number) for number in (0, 499, 500, 550)]
        assert [keyframe and keyframe.number for keyframe in nearest] == [
            0,
            0,
            500,
            500,
        ]


class TestBranches:
    def test_a_branch_has_the_parent_line_and_goes_on_by_itself(self, session: Session) -> None:
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=20)
        child = created(carry_out(session, "branch", branch, at=8, name="what if"))
        assert (child.name, child.leaves_at, child.newest, child.parent_id) == ("what if", 8, 8, branch.id)
        carry_out(session, "advance", child, after=8, count=12)
        assert numbers(child) == list(range(9, 21))
        assert line_bodies(child) == line_bodies(branch)

    def test_a_branch_hangs_on_the_branch_that_holds_its_step(self, session: Session) -> None:
        trunk = root(session)
        carry_out(session, "advance", trunk, after=0, count=20)
        child = created(carry_out(session, "branch", trunk, at=12))
        carry_out(session, "advance", child, after=12, count=5)
        low = created(carry_out(session, "branch", child, at=6))
        at_the_joint = created(carry_out(session, "branch", child, at=12))
        high = created(carry_out(session, "branch", child, at=15))
        assert [low.parent_id, at_the_joint.parent_id, high.parent_id] == [trunk.id, trunk.id, child.id]
        for other in (low, at_the_joint, high):
            assert line_bodies(other) == line_bodies(trunk)[: other.newest]

    def test_beyond_the_newest_step_there_is_nothing_to_leave_from(self, session: Session) -> None:
        assert error(carry_out(session, "branch", root(session), at=1)).code == "conflict"
        assert Branch.objects.of_session(session.id).count() == 1

    def test_there_are_no_more_than_the_limit(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(actions, "LIMITS", Limits(branches_per_session=2))
        assert done(carry_out(session, "branch", root(session), at=0)).created
        answer = error(carry_out(session, "branch", root(session), at=0))
        assert (answer.code, answer.params) == ("limit", {"most": 2})
        assert Branch.objects.of_session(session.id).count() == 2


class TestInterventions:
    def test_changed_runs_have_letters_in_the_order_in_which_they_were_made(self, session: Session) -> None:
        def names() -> list[str]:
            return [summary.said["key"] + " " + summary.name for summary in branch_summaries(session.id)]

        branch = root(session)
        drop = {"action": "drop_message", "message": to_a_message(session, branch)}
        at = branch.newest
        done(carry_out(session, "branch", branch, at=0))
        assert names() == ["branch.original a", "branch.unchanged a"]
        done(carry_out(session, "intervene", branch, after=at, intervention=drop))
        assert names() == ["branch.changed b", "branch.original a"]
        done(carry_out(session, "intervene", branch, after=at, intervention=drop))
        assert names() == ["branch.changed b", "branch.original a", "branch.changed c"]

    def test_at_the_newest_step_the_branch_goes_on(self, session: Session) -> None:
        branch = root(session)
        dropped = to_a_message(session, branch)
        at = branch.newest
        before = line_bodies(branch)
        answer = done(
            carry_out(
                session,
                "intervene",
                branch,
                after=at,
                intervention={"action": "drop_message", "message": dropped},
            )
        )
        assert (answer.created, answer.newest) == (None, at + 1)
        branch.refresh_from_db()
        assert Intervention.objects.on(branch) == [
            {"after": at, "intervention": {"action": "drop_message", "message": dropped}}
        ]
        made = msgspec.json.decode(line_bodies(branch)[-1])
        assert line_bodies(branch)[:-1] == before
        assert {"id": dropped, "event": "dropped"} in made["messages"]

    def test_at_an_earlier_step_a_branch_starts_and_the_old_one_stays(self, session: Session) -> None:
        branch = root(session)
        dropped = to_a_message(session, branch)
        at = branch.newest
        carry_out(session, "advance", branch, after=at, count=30)
        before = line_bodies(branch)
        answer = done(
            carry_out(
                session,
                "intervene",
                branch,
                after=at,
                intervention={"action": "drop_message", "message": dropped},
            )
        )
        child = created(answer)
        assert (child.leaves_at, child.newest, child.parent_id) == (at, at + 1, branch.id)
        assert line_bodies(branch) == before
        assert line_bodies(child)[:at] == before[:at]
        assert line_bodies(child)[at] != before[at]
        carry_out(session, "run_until", child, after=at + 1, until="end")
        assert line_bodies(child)[at:] != before[at:]

    def test_a_repeat_starts_no_second_branch(self, session: Session) -> None:
        branch, command = root(session), uuid.uuid4()
        carry_out(session, "advance", branch, after=0, count=20)
        asked = {"after": 5, "intervention": {"action": "crash", "actor": "broker-2"}}
        first = carry_out(session, "intervene", branch, id=command, **asked)
        assert carry_out(session, "intervene", branch, id=command, **asked) == first
        assert Branch.objects.of_session(session.id).count() == 2

    def test_what_the_engine_refuses_leaves_nothing_and_the_run_goes_on_as_before(
        self, session: Session
    ) -> None:
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=10)
        answer = error(
            carry_out(
                session,
                "intervene",
                branch,
                after=10,
                intervention={"action": "drop_message", "message": 999},
            )
        )
        assert answer.code == "refused"
        assert answer.params["place"] == "message"
        carry_out(session, "advance", branch, after=10, count=10)
        branch.refresh_from_db()
        assert Intervention.objects.on(branch) == []
        assert line_bodies(branch) == engine_bodies("SC-03", 20)

    @pytest.mark.parametrize(
        "intervention",
        [
            {"action": "crash", "actor": "broker-2"},
            {"action": "pause", "actor": "p1"},
            {"action": "set", "path": "clients.p1.retries", "value": 7},
        ],
        ids=lambda intervention: str(intervention["action"]),
    )
    def test_a_run_with_interventions_can_be_made_again_anywhere(
        self, start: Callable[..., Session], intervention: dict[str, Any]
    ) -> None:
        kept, forgotten = start(), start()
        for session in (kept, forgotten):
            branch = root(session)
            for after, type, fields in (
                (0, "advance", {"count": 12}),
                (12, "intervene", {"intervention": intervention}),
                (13, "advance", {"count": 15}),
                (6, "intervene", {"intervention": intervention}),
            ):
                if session is forgotten:
                    recent.clear()
                done(carry_out(session, type, branch, after=after, **fields))
            child = Branch.objects.of_session(session.id)[1]
            if session is forgotten:
                recent.clear()
            done(carry_out(session, "run_until", child, after=7, until="end", limit=100))
        for one, other in zip(
            Branch.objects.of_session(kept.id), Branch.objects.of_session(forgotten.id), strict=True
        ):
            assert line_bodies(one) == line_bodies(other)


class TestOnce:
    def test_a_simulation_that_another_process_overtook_is_made_again(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two workers step in turn: each finds the other's steps stored, and continues from there."""
        branch = root(session)
        workers = [RecentSimulations(), RecentSimulations()]
        for after in range(8):
            monkeypatch.setattr(actions, "recent", workers[after % 2])
            assert done(carry_out(session, "advance", branch, after=after, count=1)).reached == after + 1
        assert line_bodies(branch) == engine_bodies("SC-03", 8)

    def test_a_chunk_that_came_too_late_is_thrown_away(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between making and storing the steps, another worker stores the same steps."""
        branch = root(session)
        other = RecentSimulations()
        store = actions.store
        overtaken: list[bool] = []

        def store_late(*arguments: Any) -> Any:
            if not overtaken:
                overtaken.append(True)
                with monkeypatch.context() as patched:
                    patched.setattr(actions, "recent", other)
                    done(carry_out(session, "advance", branch, after=0, count=3))
            return store(*arguments)

        monkeypatch.setattr(actions, "store", store_late)
        assert done(carry_out(session, "advance", branch, after=0, count=5)).reached == 5
        assert overtaken
        assert numbers(branch) == [1, 2, 3, 4, 5]
        assert line_bodies(branch) == engine_bodies("SC-03", 5)

    @pytest.mark.parametrize("dies_in", ["store", "publish"], ids=["before storing", "after storing"])
    def test_a_task_whose_worker_died_is_carried_out_by_the_next_one(
        self, session: Session, monkeypatch: pytest.MonkeyPatch, dies_in: str
    ) -> None:
        branch, command = root(session), uuid.uuid4()
        carry_out(session, "advance", branch, after=0, count=3)

        def die(*arguments: Any, **options: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as patched, pytest.raises(SystemExit):
            patched.setattr(actions, dies_in, die)
            carry_out(session, "advance", branch, id=command, after=3, count=2)
        assert numbers(branch) == [1, 2, 3] + ([4, 5] if dies_in == "publish" else [])
        assert done(carry_out(session, "advance", branch, id=command, after=3, count=2)).reached == 5
        assert line_bodies(branch) == engine_bodies("SC-03", 5)
        assert Command.objects.filter(identifier=command).count() == 1

    @pytest.mark.parametrize("dies_in", ["store_steps", "publish"], ids=["before storing", "after storing"])
    def test_an_intervention_whose_worker_died_happens_once(
        self, session: Session, monkeypatch: pytest.MonkeyPatch, dies_in: str
    ) -> None:
        branch, command = root(session), uuid.uuid4()
        carry_out(session, "advance", branch, after=0, count=8)
        asked = {"after": 5, "intervention": {"action": "crash", "actor": "broker-2"}}

        def die(*arguments: Any, **options: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as patched, pytest.raises(SystemExit):
            patched.setattr(actions, dies_in, die)
            carry_out(session, "intervene", branch, id=command, **asked)
        assert Branch.objects.of_session(session.id).count() == (2 if dies_in == "publish" else 1)
        created = done(carry_out(session, "intervene", branch, id=command, **asked)).created
        child = Branch.objects.of_session(session.id)[1]
        assert (str(child.id), numbers(child)) == (created, [6])
        assert Branch.objects.of_session(session.id).count() == 2

    @pytest.mark.parametrize(("keyframe", "newest"), [(0, 3), (500, 500), (500, 501)])
    def test_a_state_of_another_engine_is_not_gone_on_from(
        self, long_session: Session, keyframe: int, newest: int
    ) -> None:
        branch = root(long_session)
        carry_out(long_session, "run_until", branch, after=0, until="end", limit=newest)
        Keyframe.objects.filter(branch=branch, number=keyframe).update(digest="0" * 64)
        recent.clear()
        answer = carry_out(long_session, "advance", branch, after=newest, count=1)
        if keyframe == newest:
            # The keyframe's own step is the same, so this command succeeds; the next one that makes the run again
            # compares the state.
            assert done(answer).newest == newest + 1
        else:
            assert error(answer).key == "problem.engine_differs"
            assert error(answer).params == {"number": keyframe}

    def test_steps_of_another_engine_are_not_gone_on_from(self, session: Session) -> None:
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=5)
        Step.objects.filter(branch=branch, number=5).update(body=b'{"number":5}')
        recent.clear()
        answer = error(carry_out(session, "advance", branch, after=5, count=1))
        assert (answer.code, answer.key, answer.params) == (
            "refused",
            "problem.engine_differs",
            {"number": 5},
        )
        assert numbers(branch) == [1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
def test_four_threads_with_one_aim_store_each_step_once(
    start: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four workers with simulations of their own step the same branch to the same step at the same time."""
    from django.db import connection

    session = start()
    branch = root(session)
    of_thread = threading.local()

    class PerThread:
        def __getattr__(self, name: str) -> Any:
            if not hasattr(of_thread, "recent"):
                of_thread.recent = RecentSimulations()
            return getattr(of_thread.recent, name)

    monkeypatch.setattr(actions, "recent", PerThread())
    answers: list[Any] = []
    together = threading.Barrier(4)

    def work() -> None:
        together.wait()
        answers.extend(
            carry_out(session, "advance", branch, after=after, count=3) for after in range(0, 60, 3)
        )
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert numbers(branch) == list(range(1, 61))
    assert line_bodies(branch) == engine_bodies("SC-03", 60)
    stored = [answer for answer in answers if isinstance(answer, Done)]
    assert len(answers) == 80
    assert {answer.reached for answer in stored} == set(range(3, 61, 3))
    # A command that was overtaken five times in a row is refused, with a request to repeat it; no other error is
    # allowed.
    assert {answer.code for answer in answers if isinstance(answer, ErrorMessage)} <= {"unavailable"}


class TestSessions:
    def test_another_browser_sees_none_of_them(self, session: Session) -> None:
        assert list(Session.objects.of_browser(BROWSER)) == [session]
        assert not Session.objects.of_browser("b" * 48).exists()
        assert not Session.objects.of_browser("").exists()

    def test_a_browser_holds_no_more_than_the_limit(
        self, start: Callable[..., Session], settings: Any
    ) -> None:
        settings.QUOTAS = {**settings.QUOTAS, "sessions": 2}
        start()
        start()
        with pytest.raises(Problem) as caught:
            start()
        assert (caught.value.code, caught.value.params) == ("limit", {"most": 2, "used": 2})
        assert start(browser="b" * 48)

    def test_what_a_rule_refuses_makes_no_session(self, start: Callable[..., Session]) -> None:
        with pytest.raises(Problem) as caught:
            start("SC-07", "acks-one")
        assert (caught.value.code, caught.value.params["rule"]) == ("refused", "CFG-2")
        assert not Session.objects.exists()

    def test_deleting_removes_everything_of_a_session_and_nothing_else(
        self, start: Callable[..., Session]
    ) -> None:
        mine, other = start(), start(browser="b" * 48)
        carry_out(mine, "advance", root(mine), after=0, count=3)
        with pytest.raises(Problem):
            actions.delete_session(BROWSER, other.id)
        actions.delete_session(BROWSER, mine.id)
        assert list(Session.objects.all()) == [other]
        assert not Step.objects.exists()

    def test_a_session_keeps_the_version_it_was_started_with(self, session: Session) -> None:
        from eosviz.scenarios.actions import load_library

        held = version("SC-03")
        load_library(())
        assert not type(held).objects.library().exists()
        answer = done(carry_out(session, "advance", root(session), after=0, count=2))
        assert answer.reached == 2
