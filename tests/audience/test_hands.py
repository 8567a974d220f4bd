"""Hands of followers: who raises them, who sees them, and when they are lowered."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from eosviz.audience.models import AWAY_SECONDS, Answer, Follower, Hand, Poll
from eosviz.audience.sockets import FollowerSocket
from eosviz.walkthroughs import actions, presenting
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.models import Session
from eosviz.walkthroughs.presenting_messages import OfFollower, OfPresenter
from tests.audience.conftest import ANSWER_SECONDS_MAX, follower, hands_of, presenter
from tests.classroom.conftest import School
from tests.walkthroughs.conftest import version
from tests.walkthroughs.test_consumer import make_session

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]


async def presented(scenario: str = "SC-03") -> tuple[Session, str, uuid.UUID]:
    session, branch = await make_session(scenario)
    presentation = await sync_to_async(presenting.start)(session)
    return session, str(branch.id), presentation.token


async def test_a_hand_is_seen_where_it_was_raised_gone_to_and_lowered() -> None:
    session, branch, token = await presented()
    async with presenter(session) as driver, follower(token) as one, follower(token) as other:
        await driver.asked("advance", branch=branch, after=0, count=5)
        assert await hands_of(driver) == []
        answer = await one.asked("raise_hand", branch=branch, step=4, text="  Why not?  ")
        assert answer["raised"] == {"branch": branch, "step": 4, "text": "Why not?"}
        assert (answer["follower"], answer["name"]) == (1, None)
        await driver.of("audience")
        await other.asked("raise_hand", branch=branch, step=2)
        heard = await driver.of("audience")
        assert [(hand["follower"], hand["step"], hand["text"], hand["name"]) for hand in heard["hands"]] == [
            (1, 4, "Why not?", None),
            (2, 2, "", None),
        ]
        # A hand that was lowered and is raised again has a new step. Its owner and the presenter both learn when it
        # is lowered.
        await one.asked("raise_hand", branch=branch, step=5)
        assert [hand["step"] for hand in (await driver.of("audience"))["hands"]] == [5, 2]
        left = await driver.asked("lower_hands", followers=[2])
        assert [hand["follower"] for hand in left["hands"]] == [1]
        assert (await other.of("hand"))["raised"] is None
        await one.asked("lower_hand")
        assert (await driver.of("audience"))["hands"] == []
        for page in (one, other):
            await page.asked("raise_hand", branch=branch, step=1)
        assert (await driver.asked("lower_hands"))["hands"] == []
        for page in (one, other):
            assert (await page.of("hand"))["raised"] is None
    assert not await Hand.objects.aexists()


async def test_a_hand_outlives_a_lost_connection_and_not_its_follower() -> None:
    session, branch, token = await presented()
    name = uuid.uuid4()
    async with presenter(session) as driver:
        async with follower(token, name) as page:
            await page.asked("raise_hand", branch=branch, step=0, text="Here")
        assert [(hand["text"], hand["away"]) for hand in await hands_of(driver)] == [("Here", True)]
        async with follower(token, name) as page:
            assert [hand["away"] for hand in await hands_of(driver)] == [False]
            async with follower(token, name):
                pass  # the older connection of this page ends after the newer one was made
            await page.asked("ping")
        # If the presenter loses the connection, the hands stay.
    async with presenter(session) as driver:
        assert [hand["text"] for hand in await hands_of(driver)] == ["Here"]
        long_ago = timezone.now() - timedelta(seconds=AWAY_SECONDS + 1)
        await Hand.objects.aupdate(away_since=long_ago)
        assert await hands_of(driver) == []
        async with follower(token, name) as page:
            await page.say("hello", follower=str(name))
            assert (await page.of("hand"))["raised"] is None


async def test_another_page_of_the_same_person_may_close(school: School) -> None:
    session, branch, token = await presented()
    lea = school.people["learner"]
    async with presenter(session) as driver, follower(token, user=lea) as page:
        await page.asked("raise_hand", branch=branch, step=0)
        async with follower(token, user=lea) as second:
            assert (await second.asked("raise_hand", branch=branch, step=0, text="from here"))[
                "follower"
            ] == 1
        # The hand belongs to the page where it was raised last; that page has left, so the hand counts as away.
        assert [(hand["text"], hand["away"]) for hand in await hands_of(driver)] == [("from here", True)]
        await page.asked("raise_hand", branch=branch, step=0)
        async with follower(token, user=lea):
            pass
        assert [hand["away"] for hand in await hands_of(driver)] == [False]


async def test_only_the_teacher_of_a_class_receives_names(school: School) -> None:
    people = school.people

    @sync_to_async
    def of(owner: str) -> tuple[Session, str, uuid.UUID]:
        session = actions.create_session(people[owner].owner_key, version("SC-03"))
        return session, str(session.branches.get().id), presenting.start(session).token

    seen: dict[str, list[str | None]] = {}
    for owner in ("instructor", "other instructor", "learner"):
        session, branch, token = await of(owner)
        async with (
            presenter(session) as driver,
            follower(token, user=people["other learner"]) as leo,
            follower(token, user=people["stranger"]) as stan,
            follower(token) as stranger,
        ):
            answers = [
                await page.asked("raise_hand", branch=branch, step=0) for page in (leo, stan, stranger)
            ]
            hands = await hands_of(driver)
            seen[owner] = [hand["name"] for hand in hands]
            assert [one["name"] for one in answers] == seen[owner], "each is told what the presenter sees"
            assert [hand["follower"] for hand in hands] == [1, 2, 3]
    assert seen == {
        "instructor": [people["other learner"].called, None, None],
        "other instructor": [None, None, None],
        "learner": [None, None, None],
    }


async def test_hands_are_bounded_and_the_page_states_every_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    session, branch, token = await presented()
    async with follower(token) as page:
        limits = (await page.asked("hello"))["limits"]
        assert limits["hand_characters"] == LIMITS.hand_characters
        for wrong, key in (
            ({"text": "x" * (LIMITS.hand_characters + 1)}, "problem.too_long"),
            ({"text": "two\nlines"}, "problem.not_one_line"),
            ({"step": 1}, "problem.hand_beyond"),
            ({"branch": "999999999"}, "problem.no_branch"),
        ):
            answer = await page.asked("raise_hand", **{"branch": branch, "step": 0, **wrong})
            assert (answer["type"], answer["key"]) == ("error", key)
        # A refused attempt also counts against the limit, which slows guessing down.
        answers = [await page.asked("lower_hand") for _ in range(LIMITS.follower_deeds_per_minute)]
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert refused and {answer["code"] for answer in refused} == {"too_frequent"}
    presentation = await sync_to_async(lambda: session.presentation)()
    await Follower.objects.abulk_create(
        Follower(presentation=presentation, key=str(number), number=number)
        for number in range(1, LIMITS.followers_heard + 1)
    )
    async with follower(token) as late:
        answer = await late.asked("raise_hand", branch=branch, step=0)
        assert (answer["code"], answer["params"]) == ("limit", {"followers": LIMITS.followers_heard})


async def test_who_says_nothing_of_themselves_only_looks_on() -> None:
    session, branch, token = await presented()
    async with presenter(session) as driver, follower(token) as page:
        await page.say("hello")
        async with follower(token) as silent:
            silent_answers = await silent.asked("attend")
        assert silent_answers["key"] == "problem.only_followed"
        for asked in ("raise_hand", "lower_hand", "answer_poll"):
            fields: Json = {
                "raise_hand": {"branch": branch, "step": 0},
                "answer_poll": {"poll": 1, "choice": "a"},
            }.get(asked, {})
            assert (await driver.asked(asked, **fields))["key"] == "problem.only_followers"
    async with presenter((await make_session())[0]) as alone:
        for asked in ("attend", "lower_hands"):
            assert (await alone.asked(asked))["key"] == "problem.not_presented"


async def test_nothing_is_left_of_a_presentation() -> None:
    session, branch, token = await presented()
    async with follower(token) as page:
        await page.asked("raise_hand", branch=branch, step=0, text="Mine")
        await sync_to_async(presenting.end)(session.id)
        assert (await page.of("presented"))["ended"]
        assert (await page.socket.receive_output(timeout=ANSWER_SECONDS_MAX))["code"] == 4404
    for model in (Follower, Hand, Poll, Answer):
        assert not await model.objects.aexists()


def test_followers_have_an_answer_to_every_message() -> None:
    from typing import get_args

    from eosviz.audience.sockets import PresenterSocket
    from eosviz.walkthroughs.messages import AnyFromPage

    every = set(get_args(AnyFromPage))
    assert set(get_args(OfFollower)) | set(get_args(OfPresenter)) < every
    assert set(FollowerSocket.handlers) == every == set(PresenterSocket.handlers)
