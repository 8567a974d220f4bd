"""Polls at a checkpoint: opening, answering, counting, closing and revealing."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from contextlib import AsyncExitStack
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db.backends.utils import CursorWrapper

from engine.predict.finding import questions
from engine.scenario.shelf import entry
from eosviz.audience import sockets
from eosviz.audience.coalescing import Coalesced
from eosviz.audience.models import POLL_CHANGES, Answer, PollState
from tests.audience.conftest import Heard, follower, presenter
from tests.audience.test_hands import presented
from tests.classroom.conftest import School

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
QUESTION = questions(entry("SC-03").scenario(), [])[0].to_json()
RIGHT = QUESTION["right"]
WRONG = next(choice["id"] for choice in QUESTION["choices"] if choice["id"] != RIGHT)


async def opened_poll(driver: Heard, branch: str) -> Json:
    await driver.asked("attend")
    poll: Json = (await driver.asked("open_poll", branch=branch, at=QUESTION["at"]))["poll"]
    return poll


async def test_from_the_question_to_the_engines_answer() -> None:
    session, branch, token = await presented()
    async with presenter(session) as driver, follower(token) as one, follower(token) as other:
        poll = await opened_poll(driver, branch)
        assert (poll["state"], poll["at"], poll["key"]) == ("open", QUESTION["at"], QUESTION["key"])
        for page in (one, other):
            asked = (await page.of("poll"))["poll"]
            assert asked["choices"] == QUESTION["choices"]
            assert [asked[field] for field in ("counts", "answers", "right", "reasons")] == [None] * 4
        assert (await one.asked("answer_poll", poll=poll["id"], choice=WRONG))["choice"] == WRONG
        await driver.of("audience")
        await other.asked("answer_poll", poll=poll["id"], choice=RIGHT)
        counts = (await driver.of("audience"))["poll"]["counts"]
        assert (counts[RIGHT], counts[WRONG], sum(counts.values())) == (1, 1, 2)
        # While the poll is open, a follower may change the answer. Followers see the counts once the presenter shows
        # them.
        await one.asked("answer_poll", poll=poll["id"], choice=RIGHT)
        assert (await driver.of("audience"))["poll"]["counts"][RIGHT] == 2
        await driver.asked("change_poll", poll=poll["id"], change="show")
        assert (await other.of("poll"))["poll"]["counts"][RIGHT] == 2
        await driver.asked("change_poll", poll=poll["id"], change="close")
        shown = (await other.of("poll"))["poll"]
        assert (shown["state"], shown["right"]) == ("closed", None)
        refused = await one.asked("answer_poll", poll=poll["id"], choice=WRONG)
        assert refused["key"] == "problem.poll_closed"
        await driver.asked("change_poll", poll=poll["id"], change="reveal")
        shown = (await other.of("poll"))["poll"]
        assert (shown["state"], shown["right"], shown["reasons"]) == ("revealed", RIGHT, QUESTION["reasons"])
        assert (await driver.asked("change_poll", poll=poll["id"], change="end"))["poll"] is None
        assert (await other.of("poll"))["poll"] is None


async def test_a_poll_outlives_lost_connections_on_both_sides() -> None:
    session, branch, token = await presented()
    name = uuid.uuid4()
    async with presenter(session) as driver, follower(token, name) as page:
        poll = await opened_poll(driver, branch)
        await page.asked("answer_poll", poll=poll["id"], choice=WRONG)
    async with follower(token, name) as page:
        await page.say("hello", follower=str(name))
        assert (await page.of("poll"))["poll"]["id"] == poll["id"]
        assert await page.of("answered") == {
            "v": 1, "type": "answered", "poll": poll["id"], "choice": WRONG, "re": None,
        }  # fmt: skip
        async with presenter(session) as driver:
            found = (await driver.asked("attend"))["poll"]
            assert (found["state"], found["counts"][WRONG]) == ("open", 1)
            # Opening the same poll again returns the open one, and repeating a change changes nothing.
            assert (await opened_poll(driver, branch))["id"] == poll["id"]
            numbers = [
                (await driver.asked("change_poll", poll=poll["id"], change="close"))["poll"]["state"]
                for _ in range(2)
            ]
            assert numbers == ["closed", "closed"]
            again = await opened_poll(driver, branch)
            assert (again["id"], again["counts"][WRONG]) == (poll["id"] + 1, 0)
            late = await page.asked("answer_poll", poll=poll["id"], choice=RIGHT)
            assert late["key"] == "problem.poll_over"


async def test_only_the_engines_questions_and_choices_are_taken() -> None:
    session, branch, token = await presented()
    async with presenter(session) as driver, follower(token) as page:
        for at in (0, 9_999):
            assert (await driver.asked("open_poll", branch=branch, at=at))["key"] == "problem.no_question"
        assert (await driver.asked("open_poll", branch="77777777", at=0))["key"] == "problem.no_branch"
        assert (await driver.asked("change_poll", poll=1, change="close"))["key"] == "problem.poll_over"
        poll = await opened_poll(driver, branch)
        refused = await page.asked("answer_poll", poll=poll["id"], choice="nonsense")
        assert refused["key"] == "problem.no_choice"
        for asked, fields in (
            ("open_poll", {"branch": branch, "at": QUESTION["at"]}),
            ("change_poll", {"poll": poll["id"], "change": "reveal"}),
        ):
            assert (await page.asked(asked, **fields))["key"] == "problem.only_followed"
    assert not await Answer.objects.aexists()


async def test_the_teacher_reads_who_of_the_class_said_what(school: School) -> None:
    from eosviz.walkthroughs import actions, presenting
    from tests.walkthroughs.conftest import version

    people = school.people

    @sync_to_async
    def start() -> tuple[Any, str, uuid.UUID]:
        session = actions.create_session(people["instructor"].owner_key, version("SC-03"))
        return session, str(session.branches.get().id), presenting.start(session).token

    session, branch, token = await start()
    async with (
        presenter(session) as driver,
        follower(token, user=people["learner"]) as lea,
        follower(token, user=people["stranger"]) as stan,
    ):
        poll = await opened_poll(driver, branch)
        for page in (lea, stan):
            await page.asked("answer_poll", poll=poll["id"], choice=WRONG)
        answer = await driver.asked("attend")
        assert answer["names"] == {WRONG: [people["learner"].called]}
        assert answer["poll"]["counts"][WRONG] == 2
        await driver.asked("change_poll", poll=poll["id"], change="show")
        while (shown := await lea.of("poll"))["poll"]["counts"] is None:
            pass
        assert people["learner"].called not in str(shown)


def test_every_state_and_change_is_allowed_or_refused() -> None:
    changes = ("show", "hide", "close", "reveal", "end")
    assert {state for state, _ in POLL_CHANGES} == set(PollState.values)
    for state, change in itertools.product(PollState.values, changes):
        target = POLL_CHANGES.get((state, change))
        if target is None:
            assert state in ("revealed", "over"), (state, change)
        else:
            assert list(PollState.values).index(target) >= list(PollState.values).index(state)


async def test_what_many_ask_for_is_done_once() -> None:
    done = 0
    rest = asyncio.Event()

    async def work() -> None:
        nonlocal done
        done += 1

    async def pause(seconds: float) -> None:
        await rest.wait()

    looking = Coalesced(work, 1, pause)
    looking.ask()
    await asyncio.sleep(0)
    assert done == 1
    for _ in range(200):
        looking.ask()
        await asyncio.sleep(0)
    assert done == 1
    rest.set()
    for _ in range(10):
        await asyncio.sleep(0)
    assert done == 2
    looking.stop()
    looking.ask()  # a timer that was set before the end
    for _ in range(10):
        await asyncio.sleep(0)
    assert done == 2


@pytest.mark.parametrize("followers", [50, pytest.param(200, marks=pytest.mark.slow)])
async def test_many_answers_are_no_storm(followers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All followers answer while the page of the presenter waits for the counts: then the server reads them once,
    with a few queries, and sends one message to all.
    """
    resting, look = asyncio.Event(), asyncio.Semaphore(0)
    held = False

    async def pause(_: float) -> None:
        if held:
            resting.set()
            await look.acquire()

    def held_when_asked(work: Any, seconds: float) -> Coalesced:
        return Coalesced(work, seconds, pause)

    monkeypatch.setattr(sockets, "Coalesced", held_when_asked)
    session, branch, token = await presented()
    async with AsyncExitStack() as stack:
        driver = await stack.enter_async_context(presenter(session))
        pages = [await stack.enter_async_context(follower(token)) for _ in range(followers)]
        poll = await opened_poll(driver, branch)
        await driver.asked("change_poll", poll=poll["id"], change="show")
        held = True
        await pages[0].asked("answer_poll", poll=poll["id"], choice=RIGHT)
        await resting.wait()
        for number, page in enumerate(pages[1:]):
            await page.asked("answer_poll", poll=poll["id"], choice=(RIGHT, WRONG)[number % 2])
        queries: list[str] = []
        execute = CursorWrapper.execute

        def counted(cursor: Any, sql: str, params: Any = None) -> Any:
            queries.append(sql)
            return execute(cursor, sql, params)

        monkeypatch.setattr(CursorWrapper, "execute", counted)
        look.release()
        # After at most one message with only the first answer, the presenter's next message counts all answers.
        heard = [0]
        while heard[-1] < followers:
            heard.append((await driver.of("audience"))["poll"]["answers"])
        assert set(heard) <= {0, 1, followers}
        assert len(queries) <= 12, queries
        shown = [(await page.of("poll"))["poll"] for page in pages[1:3]]
        while shown[-1]["answers"] != followers:
            shown.append((await pages[2].of("poll"))["poll"])
        assert len(shown) <= 6
