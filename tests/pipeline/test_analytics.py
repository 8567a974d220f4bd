"""Analytics: what is counted of visits and moves, and the whole way from a reader's trail to an instructor's page."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pyspark.sql import SparkSession

from eosviz.accounts.actions import delete_account
from eosviz.accounts.belongings import account_file
from eosviz.analytics import actions
from eosviz.analytics.gathering import gather
from eosviz.analytics.job import _frame, run_analysis
from eosviz.analytics.management.commands.analytics import _lines as printed_by_command
from eosviz.analytics.measures import MOVES_SCHEMA, RULES_SCHEMA, VISITS_SCHEMA, Frames, figures
from eosviz.analytics.models import BACKS_MAX, Analysis, Figure, Trail
from eosviz.classroom import actions as class_actions
from eosviz.classroom.models import Attempt
from eosviz.pipeline.actions import claim
from eosviz.pipeline.models import State
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.models import Prediction
from eosviz.walkthroughs.models import Branch, Command, Session
from tests.accounts.conftest import person, signed_in
from tests.classroom.conftest import School, answer_question, run_to_the_end, school, session_of  # noqa: F401
from tests.walkthroughs.conftest import _no_simulation_of_another_test, root  # noqa: F401

pytestmark = pytest.mark.spark

Row = dict[str, Any]
LEAST = 2
MISSING_WORDS = re.compile(r"\[[a-z_]+(?:\.[a-z_]+)+\]")
"""Matches a key that the catalogue does not have, as a page shows it."""


def visit(number: int, person: int, **fields: Any) -> Row:
    usual = {
        "group": "class", "scenario": "library SC-03", "version": 1, "variant": "", "reach": 10, "last": 10,
        "ended": True, "own_way": False,
    }  # fmt: skip
    return {"visit": number, "person": person, **usual, **fields}


def move(visit: int, kind: str, step: int, times: int = 1, answered: int = 0) -> Row:
    return {"visit": visit, "kind": kind, "step": step, "times": times, "answered": answered}


@pytest.fixture(scope="module")
def counted(spark: SparkSession) -> dict[tuple[Any, ...], Row]:
    """Return the figures by (kind, group, version, step, rule, before), of two versions of a lesson and a visit
    without steps.
    """
    visits = [
        visit(0, 0, reach=4, last=4, ended=False),
        visit(1, 1, reach=9, last=4, ended=False),
        visit(2, 2),
        visit(3, 2, group="alone"),
        visit(4, 3, reach=6, last=6, ended=False, own_way=True),
        *(visit(10 + number, 10 + number, version=2) for number in range(12)),
    ]
    moves = [
        move(0, "back", 3, 5),
        move(2, "back", 3),
        move(3, "back", 3),
        move(4, "branched", 6),
        move(0, "wrong", 2),
        move(1, "wrong", 2),
        # A learner who came back is counted with the first answer. The newest visits are first.
        move(2, "right", 2, answered=200),
        move(3, "wrong", 2, answered=100),
        *(move(10 + number, "right", 2) for number in range(12)),
    ]
    rules = [
        {"version": 1, "variant": "", "step": step, "rule": rule}
        for step, rule in ((2, "SEQ-11"), (3, "SEQ-11"), (9, "MRK-5"), (4, "CON-3"))
    ]
    frames = Frames.of(
        _frame(spark, visits, VISITS_SCHEMA),
        _frame(spark, moves, MOVES_SCHEMA),
        _frame(spark, rules, RULES_SCHEMA),
    )
    found = [row.asDict() for row in figures(frames, LEAST).collect()]
    frames.forget()
    keys = ("kind", "group", "version", "step", "rule", "before")
    by_key = {tuple(row[key] for key in keys): row for row in found}
    assert len(by_key) == len(found)
    return by_key


def counts_of(row: Row) -> tuple[int, int, int]:
    return row["people"], row["times"], row["of"]


def test_people_are_counted_of_those_who_were_there(counted: dict[tuple[Any, ...], Row]) -> None:
    assert counts_of(counted["left", "", 1, 4, None, None]) == (2, 2, 4)
    assert counts_of(counted["back", "", 1, 3, None, None]) == (2, 7, 4)  # one of the people in two visits
    assert counts_of(counted["branched", "", 1, 6, None, None]) == (1, 1, 3)
    assert counts_of(counted["wrong", "", 1, 2, None, None]) == (3, 3, 3)
    assert counts_of(counted["wrong", "class", 1, None, None, None]) == (2, 2, 3)
    assert counts_of(counted["ended", "", 1, None, None, None]) == (1, 1, 4)
    assert counts_of(counted["wrong", "", 1, None, None, None]) == (3, 3, 3)


@pytest.mark.django_db
def test_a_learner_who_answers_again_is_counted_by_the_first_answer(
    spark: SparkSession,
    school: School,  # noqa: F811
) -> None:
    """The first attempt was answered wrongly; the second one, whose session is newer, rightly."""
    assignment = school.assign("predict", attempts_max=2)
    learner = person("again@example.org")
    class_actions.join(learner, school.classroom.code)
    for is_right in (False, True):
        attempt = class_actions.begin(learner, assignment, {})
        branch = root(session_of(attempt))
        Branch.objects.filter(id=branch.id).update(newest=20, finished="complete")
        answer_question(session_of(attempt), 9, right=is_right)
        class_actions.hand_in(attempt)
    gathered = gather(school.classroom, timezone.now())
    assert len(gathered.visits) == 2
    frames = Frames.of(
        _frame(spark, gathered.visits, VISITS_SCHEMA),
        _frame(spark, gathered.moves, MOVES_SCHEMA),
        _frame(spark, gathered.rules, RULES_SCHEMA),
    )
    wrong = [row.asDict() for row in figures(frames, 1).where("kind = 'wrong' and group = ''").collect()]
    frames.forget()
    assert sorted((row["step"] or 0, *counts_of(row)) for row in wrong) == [(0, 1, 1, 1), (9, 1, 1, 1)]


def test_rules_are_counted_over_their_steps(counted: dict[tuple[Any, ...], Row]) -> None:
    assert counts_of(counted["confused", "", None, None, "SEQ-11", None]) == (3, 10, 4)
    assert counts_of(counted["confused", "", None, None, "CON-3", None]) == (2, 2, 4)
    assert ("confused", "", None, None, "MRK-5", None) not in counted


def test_a_change_is_shown_with_its_interval(counted: dict[tuple[Any, ...], Row]) -> None:
    ended = counted["ended", "", 2, None, None, 1]
    assert (ended["people"], ended["of"], ended["people_before"], ended["of_before"]) == (12, 12, 1, 4)
    assert ended["low"] == pytest.approx(0.2394, abs=1e-4) and ended["high"] == pytest.approx(
        0.9544, abs=1e-4
    )
    branched = counted["branched", "", 2, None, None, 1]
    assert branched["low"] < 0 < branched["high"]


def test_what_is_about_few_people_is_withheld(counted: dict[tuple[Any, ...], Row]) -> None:
    assert counted["left", "", 1, 4, None, None]["shown"]
    assert not counted["branched", "", 1, 6, None, None]["shown"]
    # Figures about a single person are not shown, nor those that would reveal one by the difference between class and
    # all.
    assert not counted["back", "alone", 1, 3, None, None]["shown"]
    assert not counted["back", "class", 1, 3, None, None]["shown"]
    assert counted["back", "", 1, 3, None, None]["shown"]
    for row in counted.values():
        if row["shown"]:
            assert row["people"] == 0 or row["people"] >= LEAST
            assert row["of"] >= LEAST


# -- from a trail to the page --------------------------------------------------------------------------------


def learners_of(school: School, count: int) -> list[Attempt]:  # noqa: F811
    """Return attempts of so many learners at one assignment; all but the first were run to the end."""
    assignment = school.assign("predict")
    found = []
    for number in range(count):
        learner = person(f"learner-{number}@example.org")
        class_actions.join(learner, school.classroom.code)
        found.append(class_actions.begin(learner, assignment, {}))
    for attempt in found[1:]:
        run_to_the_end(attempt)
    return found


def send_trail(attempt: Attempt, last: int, furthest: int, backs: list[int]) -> int:
    body = {"branch": str(root(session_of(attempt)).id), "last": last, "furthest": furthest, "backs": backs}
    browser = signed_in(attempt.user)
    answer = browser.post(f"/sessions/{attempt.session_id}/trail", body, content_type="application/json")
    return answer.status_code


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_class_sees_where_its_learners_stumble(spark: SparkSession, school: School) -> None:  # noqa: F811
    attempts = learners_of(school, 4)
    newest = root(session_of(attempts[1])).newest
    for attempt in attempts[1:]:
        assert send_trail(attempt, newest, newest, [7]) == 204
        for checkpoint, step in enumerate((5, 7)):
            answer_question(session_of(attempt), step, checkpoint=checkpoint)
    older = Analysis.objects.create(classroom=school.classroom, state=State.DONE)
    day_before = older.created - timedelta(days=1)
    lost = Analysis.objects.create(classroom=school.classroom, state=State.RUNNING, beat=day_before)
    analysis = actions.ask(school.classroom)
    assert analysis != lost
    assert actions.ask(school.classroom) == analysis  # the waiting analysis is used
    assert claim(analysis)
    # A figure of a process that was killed after it had stored it.
    Figure.objects.create(analysis=analysis, kind="back", step=7, people=9, times=9, of=9, low=0, high=1)
    run_analysis(spark, analysis)
    analysis.refresh_from_db()
    assert (analysis.state, analysis.people, analysis.sessions, analysis.under_way) == (State.DONE, 3, 3, 1)
    at_seven = analysis.figures.get(kind="back", step=7, group="")
    assert (at_seven.people, at_seven.of) == (3, 3)
    assert at_seven.said is not None and at_seven.said["key"]
    assert analysis.figures.filter(kind="wrong", step=5, people=3).exists()

    page_address = f"/classes/{school.classroom.id}/analytics/"
    assert printed_by_command(analysis)[-1] == page_address

    browser = school.browser("instructor")
    overview = browser.get(page_address).content.decode()
    assert "100\u00a0% (3 of 3" in overview and "example.org" not in overview
    assert MISSING_WORDS.findall(overview) == []
    version = at_seven.version_id
    for language in ("en", "zh-hans"):
        browser.cookies["django_language"] = language
        page = browser.get(f"/classes/{school.classroom.id}/analytics/?version={version}&variant=")
        content = page.content.decode()
        assert 'class="step-bars"' in content and "step=7" in content
        # a step's sentence is shown once, whatever happened at the step
        assert content.count('rowspan="2"') == 1
        assert MISSING_WORDS.findall(content) == []
    assert browser.get(f"/classes/{school.classroom.id}/analytics/?version=999").status_code == 404

    assert Analysis.objects.get() == analysis
    assert actions.ask_for_all() != []  # one learner has a run that has not ended; tomorrow it counts as left
    Command.objects.all().update(answered=timezone.now() - timedelta(days=3))
    Session.objects.all().update(created=timezone.now() - timedelta(days=3))
    Trail.objects.all().update(changed=timezone.now() - timedelta(days=3))
    assert gather(school.classroom, timezone.now()).under_way == 0
    # A session that is being deleted, as a concurrent reader of the database finds it.
    Branch.objects.filter(session=attempts[1].session).delete()
    assert len(gather(school.classroom, timezone.now()).visits) == 3


@pytest.mark.django_db
def test_the_page_says_in_the_readers_time_zone_when_it_counted(school: School) -> None:  # noqa: F811
    finished = datetime(2026, 11, 28, 19, 11, tzinfo=UTC)
    Analysis.objects.create(classroom=school.classroom, state=State.DONE, finished=finished)
    browser = school.browser("instructor")
    browser.cookies["time_zone"] = "Asia/Shanghai"
    page = browser.get(f"/classes/{school.classroom.id}/analytics/").content.decode()
    assert "counted 2026-11-29 03:11 UTC+8." in page


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"[" * 4_000, b'{"branch": ' + b"[" * 4_000, b'{"branch": "\xff"}', b""])
def test_a_trail_that_no_page_leaves_is_refused(school: School, body: bytes) -> None:  # noqa: F811
    attempt = learners_of(school, 1)[0]
    address = f"/sessions/{attempt.session_id}/trail"
    answer = signed_in(attempt.user).post(address, body, content_type="application/json")
    assert (answer.status_code, answer.content) == (400, b"not a message of this page")


@pytest.mark.django_db
def test_only_informed_learners_leave_a_trail(school: School) -> None:  # noqa: F811
    attempt = learners_of(school, 1)[0]
    assert send_trail(attempt, 3, 5, [5, 5, 4]) == 204
    assert send_trail(attempt, 2, 2, [5]) == 204
    trail = Trail.objects.get(session=attempt.session)
    assert (trail.last, trail.furthest, trail.backs) == (0, 0, {})  # steps that do not exist yet
    Branch.objects.filter(session=attempt.session).update(newest=9)
    assert send_trail(attempt, 3, 5, [5, 5, 4]) == 204
    trail.refresh_from_db()
    assert (trail.last, trail.furthest, trail.backs) == (3, 5, {"5": 2, "4": 1})
    assert account_file(attempt.user)["trails"][0]["furthest"] == 5

    stranger = school.people["stranger"]
    version = ScenarioVersion.objects.library().get(identifier="SC-03")
    own = Session.objects.create(owner=stranger.owner_key, version=version, header=b"{}")
    branch = Branch.objects.create(session=own, name="main", newest=9)
    body = {"branch": str(branch.id), "last": 3, "furthest": 3, "backs": []}
    browser = signed_in(stranger)
    for agreed, trails in ((False, 0), (True, 1)):
        browser.post("/account/", {"name": "", **({"counted": "on"} if agreed else {})})
        browser.post(f"/sessions/{own.id}/trail", body, content_type="application/json")
        assert Trail.objects.filter(session=own).count() == trails
        stranger.refresh_from_db()
        assert stranger.counted is agreed
    assert browser.post(f"/sessions/{own.id}/trail", b"{", content_type="application/json").status_code == 400
    delete_account(stranger)
    assert not Trail.objects.filter(session=own.id).exists()


@pytest.mark.django_db
def test_a_learner_who_acted_at_a_step_was_there(school: School) -> None:  # noqa: F811
    """If a page was closed in haste, the answers stored meanwhile prove that its reader got further than the page
    said.
    """
    session = session_of(learners_of(school, 1)[0])
    branch = root(session)
    Branch.objects.filter(id=branch.id).update(newest=20, finished="complete")
    Trail.objects.create(session=session, last=4, furthest=3, backs={"2": 1})
    answer_question(session, 9)
    gathered = gather(school.classroom, timezone.now())
    assert [one["reach"] for one in gathered.visits] == [9]
    Prediction.objects.all().delete()
    assert [one["reach"] for one in gather(school.classroom, timezone.now()).visits] == [4]


@pytest.mark.django_db
def test_a_trail_has_a_bound(school: School) -> None:  # noqa: F811
    session = session_of(learners_of(school, 1)[0])
    branch = root(session)
    Branch.objects.filter(id=branch.id).update(newest=10_000)
    for first in range(0, BACKS_MAX + 50, 50):
        actions.note_trail(session, branch.id, 0, 0, list(range(first, first + 50)))
    trail = Trail.objects.get(session=session)
    assert (len(trail.backs), trail.backs_more) == (BACKS_MAX, 50)


@pytest.mark.django_db
def test_the_command_names_a_class_that_does_not_exist() -> None:
    for wanted in ("nonsense", "00000000-0000-0000-0000-000000000000"):
        with pytest.raises(CommandError, match="no such class"):
            call_command("analytics", "--class", wanted, stdout=io.StringIO())
    assert not Figure.objects.exists()
