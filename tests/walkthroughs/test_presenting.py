"""Presenting: one page presents, and all its followers see its steps; a follower who looked at another step comes
back to the presenter's.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.db.backends.utils import CursorWrapper
from django.test import Client

from eosviz.asgi import application
from eosviz.walkthroughs import actions, presenting
from eosviz.walkthroughs.models import Branch, Presentation, Session
from tests.walkthroughs.conftest import BROWSER, root
from tests.walkthroughs.test_consumer import ORIGIN, Page, make_session, open_page, step_numbers
from tests.walkthroughs.test_pages import attributes
from tests.walkthroughs.test_pages import start as start_session

pytestmark = pytest.mark.django_db(transaction=True)

FOLLOWERS = 200
RIGHTS_QUERIES = 3
"""How many queries one check of the rights of all these sockets takes: for the presenter's cookie, the session and
the presentation.
"""
Json = dict[str, Any]


@asynccontextmanager
async def follow(token: uuid.UUID) -> AsyncIterator[Page]:
    """Yield the page of a visitor who has the address but no cookie."""
    headers = [(b"origin", ORIGIN), (b"host", b"localhost")]
    socket = WebsocketCommunicator(application, f"/ws/follow/{token}/", headers=headers)
    connected, _ = await socket.connect(timeout=20)
    assert connected
    try:
        yield Page(socket)
    finally:
        await socket.disconnect()


async def present(session: Session) -> uuid.UUID:
    presentation = await sync_to_async(presenting.start)(session)
    return presentation.token


async def at(page: Page, after: int = 0) -> Json:
    """Return the next position of the presenter whose number is above `after`; other messages are skipped."""
    while True:
        heard = await page.next()
        if heard["type"] == "presented" and heard["number"] > after:
            return heard


async def hello(page: Page, **have: int) -> Json:
    """Request everything, and return the presenter's position."""
    await page.say("hello", have=have)
    return await at(page)


async def test_followers_see_the_steps_and_are_taken_along() -> None:
    session, branch = await make_session()
    token = await present(session)
    async with open_page(session) as driver, follow(token) as one, follow(token) as other:
        assert (await hello(one))["step"] == 0
        await hello(other)
        await driver.ask("advance", branch=str(branch.id), after=0, count=5)
        selected = {"kind": "actor", "id": "broker-1"}
        await driver.say("present", branch=str(branch.id), step=4, view="spacetime", selection=selected)
        for page in (one, other):
            heard = [await page.next()]
            while heard[-1]["type"] != "presented":
                heard.append(await page.next())
            assert step_numbers(heard) == [1, 2, 3, 4, 5]
            last = heard[-1]
            assert (last["branch"], last["step"], last["view"]) == (str(branch.id), 4, "spacetime")
            assert last["selection"] == selected, "what it has not is not there: a page asks whether it is"
            assert last["ended"] is False


async def test_who_comes_late_or_comes_back_is_where_the_presenter_is() -> None:
    session, branch = await make_session()
    token = await present(session)
    async with open_page(session) as driver:
        async with follow(token) as page:
            await hello(page)
        await driver.ask("advance", branch=str(branch.id), after=0, count=8)
        await driver.say("present", branch=str(branch.id), step=7)
        await driver.ask("ping")
        async with follow(token) as page:
            welcome_to_presented = await page.until(await page.say("hello", have={str(branch.id): 3}))
            assert welcome_to_presented[-1]["session"]["continues"] is False
            heard = [await page.next(), await page.next()]
            assert step_numbers(heard) == [4, 5, 6, 7, 8]
            assert (heard[-1]["type"], heard[-1]["step"]) == ("presented", 7)


async def test_moves_are_numbered_so_that_a_late_one_is_recognised() -> None:
    session, branch = await make_session()
    token = await present(session)
    async with open_page(session) as driver, follow(token) as page:
        first = await hello(page)
        for view in ("text", "code", "stage"):
            await driver.say("present", branch=str(branch.id), step=0, view=view)
        assert [(await at(page))["number"] for _ in range(3)] == [first["number"] + n for n in (1, 2, 3)]


async def test_a_step_that_was_made_ahead_takes_followers_along_in_the_same_message() -> None:
    session, branch = await make_session()
    token = await present(session)
    selected = {"kind": "actor", "id": "broker-1"}
    advance = {"branch": str(branch.id), "count": 1, "ahead": True}
    place: Json = {"branch": str(branch.id), "view": "text", "selection": selected}
    async with open_page(session) as driver, follow(token) as page:
        await hello(page)
        await driver.ask("advance", after=0, **advance, present={"view": "text"})
        assert (await page.next())["presented"] is None, "the first step was not made ahead"
        assert (await driver.next())["type"] == "ahead"
        await driver.ask("advance", after=1, **advance, present={"view": "text", "selection": selected})
        steps = await page.next()
        assert step_numbers([steps]) == [2]
        assert (steps["presented"]["step"], steps["presented"]["number"]) == (2, 2)
        assert steps["presented"] | place == steps["presented"]
        await driver.say("present", step=2, **place)
        await driver.ask("ping")
        assert await page.socket.receive_nothing(), "the presenter is there already"
        await driver.say("present", step=1, **place)
        assert ((await page.next())["step"], (await hello(page))["number"]) == (1, 3)


async def test_a_step_is_stored_when_the_presentation_has_ended() -> None:
    session, branch = await make_session()
    await present(session)
    advance = {"branch": str(branch.id), "count": 1, "ahead": True, "present": {}}
    async with open_page(session) as driver:
        await driver.ask("advance", after=0, **advance)
        assert (await driver.next())["type"] == "ahead"
        await sync_to_async(presenting.end)(session.id)
        steps, done = await driver.ask("advance", after=1, **advance)
        assert (steps["presented"], done["newest"]) == (None, 2)


async def test_followers_can_look_at_everything_and_change_nothing() -> None:
    session, branch = await make_session()
    token = await present(session)
    async with follow(token) as page:
        await hello(page)
        name = str(branch.id)
        for asked in (
            {"type": "advance", "branch": name, "after": 0, "count": 1},
            {"type": "run_until", "branch": name, "after": 0, "until": "end"},
            {"type": "branch", "branch": name, "at": 0},
            {
                "type": "intervene",
                "branch": name,
                "after": 0,
                "intervention": {"action": "crash", "actor": "broker-1"},
            },
            {"type": "pause", "branch": name},
            {"type": "actions", "branch": name, "number": 0, "selection": {"kind": "actor", "id": "p1"}},
            {"type": "present", "branch": name, "step": 0},
            {"type": "rename", "branch": name, "name": "mine"},
        ):
            answer = (await page.ask(asked.pop("type"), **asked))[-1]  # type: ignore[arg-type]
            assert (answer["type"], answer["key"]) == ("error", "problem.only_followed"), asked
        sought = {"branch": name, "from": 1, "to": 9, "conditions": [{"on": "interesting"}]}
        assert (await page.ask("search", **sought))[-1]["type"] == "found"
        assert (await page.ask("keyframe", branch=name, number=0))[-1]["type"] == "keyframe"
        assert (await page.ask("window", branch=name, **{"from": 1, "to": 5}))[-1]["type"] == "steps"
        assert (await page.ask("transactions", branch=name))[-1]["lines"] == []
        assert (await page.ask("ping"))[-1]["type"] == "pong"
    assert await Branch.objects.aget(id=branch.id, newest=0, pauses=0)


async def test_how_closely_the_presenter_looks_and_the_answer_on_show_come_along() -> None:
    session, branch = await make_session()
    token = await present(session)
    link = {
        "key": "why.lso.held",
        "params": {"partition": "t-0", "offset": 1},
        "rules": ["TRX-1"],
        "subject": {"kind": "partition", "id": "t-0"},
        "compared": [["last stable offset", 1]],
        "step": 3,
    }
    why = {"key": "why.question.lso", "params": {"partition": "t-0"}, "links": [link]}
    async with open_page(session) as driver:
        async with follow(token) as page:
            first = await hello(page)
            assert (first["zoom"], first["why"]) == ("", None)
            await driver.say(
                "present", branch=str(branch.id), step=0, zoom="decision:3", view="code", why=why
            )
            place = await at(page, first["number"])
            assert place["zoom"] == "decision:3"
            shown = place["why"]["links"][0]
            assert (place["why"]["key"], shown["key"], shown["step"]) == (why["key"], link["key"], 3)
            assert shown["subject"]["id"] == "t-0"
        async with follow(token) as late:
            assert (await hello(late))["why"] == place["why"]
        for wrong in (
            {"zoom": "decision:0"},
            {"zoom": "near"},
            {"why": {**why, "key": "<b>"}},
            {"why": {**why, "links": [link] * 41}},
            {"why": {**why, "more": 1}},
        ):
            answer = (await driver.ask("present", branch=str(branch.id), step=0, **wrong))[-1]
            assert answer["code"] == "malformed", wrong


async def test_only_who_presents_moves_the_followers() -> None:
    session, branch = await make_session()
    other, other_branch = await make_session()
    async with open_page(session) as page:
        answer = (await page.ask("present", branch=str(branch.id), step=0))[-1]
        assert (answer["code"], answer["key"]) == ("refused", "problem.not_presented")
        await present(session)
        answer = (await page.ask("present", branch=str(other_branch.id), step=0))[-1]
        assert answer["code"] == "not_found"
    async with open_page(other) as page:
        answer = (await page.ask("present", branch=str(other_branch.id), step=0))[-1]
        assert answer["key"] == "problem.not_presented"


async def test_the_end_is_sent_and_the_address_leads_nowhere() -> None:
    session, _ = await make_session()
    token = await present(session)
    async with follow(token) as page:
        first = await hello(page)
        await sync_to_async(presenting.end)(session.id)
        place = await at(page, first["number"])
        assert place["ended"] is True
        assert (await page.socket.receive_output(timeout=20))["code"] == 4404
    assert not await Presentation.objects.aexists()
    assert await present(session) != token
    socket = WebsocketCommunicator(
        application, f"/ws/follow/{token}/", headers=[(b"origin", ORIGIN), (b"host", b"localhost")]
    )
    await socket.connect(timeout=20)
    assert json.loads(await socket.receive_from(timeout=20))["code"] == "not_found"
    assert (await socket.receive_output(timeout=20))["code"] == 4404


async def test_deleting_the_session_ends_it_for_all() -> None:
    session, _ = await make_session()
    token = await present(session)
    async with follow(token) as page:
        first = await hello(page)
        await sync_to_async(actions.delete_session)(BROWSER, session.id)
        assert (await at(page, first["number"]))["ended"] is True


async def test_two_hundred_followers_cost_no_more_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One move of the presenter is one message to the layer and the same few queries, however many follow; all
    followers get it.
    """
    session, branch = await make_session()
    token = await present(session)
    queries: list[str] = []
    execute = CursorWrapper.execute

    def counted(cursor: Any, sql: str, params: Any = None) -> Any:
        queries.append(sql)
        return execute(cursor, sql, params)

    async with AsyncExitStack() as stack:
        driver = await stack.enter_async_context(open_page(session))
        followers = [await stack.enter_async_context(follow(token)) for _ in range(FOLLOWERS)]
        for page in followers:
            await hello(page)
        monkeypatch.setattr(CursorWrapper, "execute", counted)
        await driver.say("present", branch=str(branch.id), step=0, view="text")
        places = await asyncio.gather(*(at(page, 1) for page in followers))
        assert {place["view"] for place in places} == {"text"}
        assert len(queries) <= 4 + RIGHTS_QUERIES, queries
        queries.clear()
        await driver.ask("advance", branch=str(branch.id), after=0, count=1)
        made = len(queries)
        heard = await asyncio.gather(*(page.next() for page in followers))
        assert [step_numbers([message]) for message in heard] == [[1]] * FOLLOWERS
        assert len(queries) <= made + RIGHTS_QUERIES


class TestPages:
    def test_the_owner_starts_and_ends_it(self, client: Client) -> None:
        session = start_session(client)
        address = client.post(f"/sessions/{session.id}/present").json()["address"]
        assert client.post(f"/sessions/{session.id}/present").json()["address"] == address
        given = attributes(client.get(f"/sessions/{session.id}/").content.decode(), "eos-player")
        assert given["presenting"] == address
        visitor = Client()
        page = visitor.get(address)
        given = attributes(page.content.decode(), "eos-player")
        assert (given["follow"], given["branch"]) == (address.split("/")[-2], str(root(session).id))
        # What a follower shares is a copy of the run, not the owner's session.
        assert address.endswith(given["share"].removesuffix("link")) and "export" not in given
        for path in ("present", "present/end"):
            assert visitor.post(f"/sessions/{session.id}/{path}").status_code == 404
            assert Client(enforce_csrf_checks=True).post(f"/sessions/{session.id}/{path}").status_code == 403
        assert client.post(f"/sessions/{session.id}/present/end").status_code == 204
        assert client.post(f"/sessions/{session.id}/present/end").status_code == 204
        assert visitor.get(address).status_code == 404
        assert "presenting=" not in client.get(f"/sessions/{session.id}/").content.decode()
