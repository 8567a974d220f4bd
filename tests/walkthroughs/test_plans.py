"""The plan of a branch is made once, stored, and extended by interventions in the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from django.test import Client

from engine.scenario.shelf import entry
from engine.view.run_ahead import plan_ahead
from eosviz.bounded.tasks import TASKS
from eosviz.walkthroughs import asked_run, planning, plans
from eosviz.walkthroughs.messages import Hello, PlanAnswer, read_message
from eosviz.walkthroughs.models import Branch, KeptPlan, Session
from tests.walkthroughs.conftest import carry_out, created, root

pytestmark = pytest.mark.django_db

CRASH = {"action": "crash", "actor": "broker-1"}
DROP = {"action": "drop_message", "message": 2}


def made(branch: Branch) -> dict[str, Any]:
    answer = plans.made_plan(with_version(branch), "r")
    assert answer is not None
    plan: dict[str, Any] = plan_of(answer)
    return plan


def plan_of(answer: PlanAnswer) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer.plan))


def with_version(branch: Branch) -> Branch:
    return Branch.objects.select_related("session__version").get(id=branch.id)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[planning.Asked]]:
    """What was asked of the process that plays runs ahead."""
    asked: list[planning.Asked] = []

    def counted(question: planning.Asked) -> bytes:
        asked.append(question)
        return planning.made(question)

    monkeypatch.setattr(plans, "made", counted)
    yield asked


def test_it_is_the_engine_s_and_is_made_once_for_all_sessions(
    start: Callable[..., Session], runs: list[planning.Asked]
) -> None:
    one, other = root(start("SC-03")), root(start("SC-03"))
    assert plans.kept_plan(with_version(one)) is None
    assert made(one) == made(other) == plan_ahead(entry("SC-03").scenario())
    assert len(runs) == 1
    kept = plans.kept_plan(with_version(other))
    assert kept is not None
    assert (kept.re, kept.branch, kept.interventions) == (None, str(other.id), 0)


def test_an_intervention_extends_the_plan_of_the_run_before_it(
    start: Callable[..., Session], runs: list[planning.Asked]
) -> None:
    session = start("SC-44", "k28")
    main = root(session)
    before = made(main)
    carry_out(session, "advance", main, after=0, count=40)
    answer = carry_out(session, "intervene", main, after=12, intervention=CRASH)
    branch = created(answer)
    assert plans.kept_plan(with_version(branch)) is None
    after = made(branch)
    assert runs[-1].before == before
    assert [one["name"] for one in after["brokers"]] == [one["name"] for one in before["brokers"]]
    assert after["lanes"]["t-0"]["leaders"][:1] == before["lanes"]["t-0"]["leaders"]
    assert after["beats"] != before["beats"]
    assert made(main) == before


def test_a_run_with_interventions_is_compared_although_the_run_as_written_has_no_plan_yet() -> None:
    crash = {"after": 12, "intervention": {"action": "crash", "actor": "participant-3"}}
    asked = planning.Asked(entry("SC-81").document, "SC-81", "refuses", [crash], None, 100)
    kept = msgspec.json.decode(planning.made(asked))["cost"]["kept"]
    assert [one["key"] for one in kept] == ["cost.reserved_still"]


def test_a_page_without_a_plan_receives_the_stored_one(start: Callable[..., Session]) -> None:
    session = start("SC-03")
    hello, again = (Hello(v=1, id=session.id, have=have) for have in ({}, {str(root(session).id): 0}))
    assert plans.on_arrival(session, hello) == []
    plan = made(root(session))
    (frame,) = plans.on_arrival(session, hello)
    answer = msgspec.json.decode(frame)
    assert (answer["type"], answer["re"], answer["plan"]) == ("plan", None, plan)
    assert plans.on_arrival(session, again) == []


def test_a_run_that_outgrew_its_plan_has_a_longer_one(
    long_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a stranger's scenario, which is played in a process of its own."""
    monkeypatch.setattr(plans, "STEPS_AHEAD", 100)
    branch = root(long_session)
    first = made(branch)
    assert (first["steps"], first["complete"]) == (100, False)
    carry_out(long_session, "advance", branch, after=0, count=120)
    assert plans.kept_plan(with_version(branch)) is None
    assert made(branch)["steps"] == 480
    assert KeptPlan.objects.count() == 1


def test_a_scenario_that_this_engine_does_not_run_has_no_plan_and_is_tried_once(
    start: Callable[..., Session], runs: list[planning.Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start("SC-03")
    monkeypatch.setattr(asked_run, "load", lambda *_, **__: entry("SC-07").scenario("six-in-flight"))
    assert made(root(session)) is None
    assert made(root(session)) is None
    assert len(runs) == 1


def test_what_a_busy_machine_did_not_make_in_time_is_not_kept_as_impossible(
    long_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = with_version(root(long_session))
    row = TASKS["plan"]
    monkeypatch.setitem(TASKS, "plan", replace(row, clock_seconds=0))
    assert made(branch) is None
    assert not KeptPlan.objects.exists()
    monkeypatch.setitem(TASKS, "plan", row)
    assert made(branch) is not None


def test_while_a_plan_is_made_no_other_process_makes_it(
    start: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = with_version(root(start("SC-03")))
    meanwhile: list[PlanAnswer | None] = []

    def slowly(question: planning.Asked) -> bytes:
        meanwhile.append(plans.made_plan(branch, "other"))
        return planning.made(question)

    monkeypatch.setattr(plans, "made", slowly)
    assert plans.made_plan(branch, "one") is not None
    assert meanwhile == [None]


def test_the_plan_of_a_new_session_is_made_before_its_page_asks(
    client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/sessions/new", {"scenario": "SC-03"})
    assert plans.kept_plan(with_version(root(Session.objects.get()))) is not None


def test_the_store_stays_small(start: Callable[..., Session], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "KEPT_PLANS_MAX", 1)
    made(root(start("SC-03")))
    newest = made(root(start("SC-80", "two-nodes")))
    (kept,) = KeptPlan.objects.all()
    assert msgspec.json.decode(kept.plan_json) == newest


def test_a_page_asks_for_it_by_branch() -> None:
    asked = read_message(
        b'{"v": 1, "id": "00000000-0000-0000-0000-000000000001", "type": "plan", "branch": "7"}'
    )
    assert asked.branch == "7"  # type: ignore[union-attr]
