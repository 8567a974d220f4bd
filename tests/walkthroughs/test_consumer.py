"""The socket: the protocol of docs/websocket.md as a whole, with the real engine, channel layer and database."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.sessions.backends.db import SessionStore
from django.http import SimpleCookie
from kombu.exceptions import OperationalError

from eosviz.asgi import application
from eosviz.walkthroughs import actions, tasks
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.models import Branch, Session, Step
from tests.contract.fitting import heard
from tests.walkthroughs.conftest import BROWSER, version

pytestmark = pytest.mark.django_db(transaction=True)

ORIGIN = b"http://localhost"
Json = dict[str, Any]


@sync_to_async
def make_session(scenario: str = "SC-03", browser: str = BROWSER) -> tuple[Session, Branch]:
    session = actions.create_session(browser, version(scenario))
    return session, Branch.objects.of_session(session.id)[0]


@sync_to_async
def cookie_of(browser: str) -> bytes:
    store = SessionStore()
    store["browser"] = browser
    store.save()
    assert store.session_key is not None
    cookie: SimpleCookie = SimpleCookie({"sessionid": store.session_key})
    return cookie.output(header="").strip().split(";")[0].encode()


class Page:
    """Does what a page does: sends messages, and sorts those that come."""

    def __init__(self, socket: WebsocketCommunicator) -> None:
        self.socket = socket

    async def say(self, type: str, id: str | None = None, **fields: Any) -> str:
        command = id or str(uuid.uuid4())
        await self.socket.send_to(text_data=json.dumps({"v": 1, "id": command, "type": type, **fields}))
        return command

    async def next(self) -> Json:
        found: Json = heard(json.loads(await self.socket.receive_from(timeout=20)))
        return found

    async def until(self, re: str) -> list[Json]:
        """Return all messages up to the answer to this id."""
        heard = [await self.next()]
        while heard[-1].get("re") != re:
            heard.append(await self.next())
        return heard

    async def until_steps(self) -> Json:
        """Return the next message with steps."""
        while (heard := await self.next())["type"] != "steps":
            pass
        return heard

    async def ask(self, type: str, **fields: Any) -> list[Json]:
        return await self.until(await self.say(type, **fields))


@asynccontextmanager
async def open_page(session: Session, browser: str = BROWSER, origin: bytes = ORIGIN) -> AsyncIterator[Page]:
    headers = [(b"cookie", await cookie_of(browser)), (b"origin", origin), (b"host", b"localhost")]
    socket = WebsocketCommunicator(application, f"/ws/sessions/{session.id}/", headers=headers)
    connected, _ = await socket.connect(timeout=10)
    assert connected
    try:
        yield Page(socket)
    finally:
        await socket.disconnect()


def step_numbers(heard: list[Json]) -> list[int]:
    return [step["number"] for message in heard if message["type"] == "steps" for step in message["steps"]]


async def test_from_hello_to_the_end() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        welcome = (await page.ask("hello", have={str(branch.id): 0}))[-1]
        assert welcome["type"] == "welcome"
        assert welcome["session"]["scenario"] == "SC-03"
        assert welcome["header"]["profile"] == "k28"
        assert [item["id"] for item in welcome["branches"]] == [str(branch.id)]
        assert welcome["limits"]["advance_steps"] == LIMITS.advance_steps
        heard = await page.ask("advance", branch=str(branch.id), after=0, count=1)
        assert [message["type"] for message in heard] == ["steps", "done"]
        assert step_numbers(heard) == [1]
        heard = await page.ask("run_until", branch=str(branch.id), after=1, until="end")
        numbers = step_numbers(heard)
        assert numbers == list(range(2, numbers[-1] + 1))
        assert heard[-1] | {"re": ""} == {
            "type": "done",
            "v": 1,
            "re": "",
            "branch": str(branch.id),
            "newest": numbers[-1],
            "reached": numbers[-1],
            "stopped": "end",
            "created": None,
            "hits": [],
        }
        summaries = [message["branches"][0] for message in heard if message["type"] == "branches"]
        assert summaries[-1]["finished"] == "complete"


async def test_a_run_to_a_breakpoint_and_a_search_name_the_same_step() -> None:
    session, branch = await make_session()
    conditions = [{"on": "rule", "rule": "SEQ-11"}]
    async with open_page(session) as page:
        heard = await page.ask(
            "run_until", branch=str(branch.id), after=0, until="breakpoint", conditions=conditions
        )
        assert (heard[-1]["stopped"], heard[-1]["hits"]) == ("breakpoint", [0])
        (found,) = await page.ask(
            "search", branch=str(branch.id), conditions=conditions, **{"from": 1, "to": 500}
        )
        assert found["type"] == "found"
        assert found["numbers"] == [heard[-1]["reached"]] == [found["newest"]]
        assert found["hits"][0]["key"] == "broker.duplicate_found"
        wrong = {"on": "state", "machine": "coffee", "state": "HOT"}
        refused = (
            await page.ask("search", branch=str(branch.id), conditions=[wrong], **{"from": 1, "to": 9})
        )[-1]
        assert (refused["code"], refused["params"]["field"]) == ("malformed", "conditions[0].machine")


async def test_every_page_hears_a_branch_s_new_name() -> None:
    session, branch = await make_session()
    async with open_page(session) as one, open_page(session) as other:
        await one.ask("hello")
        await other.ask("hello")
        heard = await one.ask("rename", branch=str(branch.id), name=" what if ")
        assert heard[-1] == {
            "type": "renamed",
            "v": 1,
            "re": heard[-1]["re"],
            "branch": str(branch.id),
            "name": "what if",
        }
        message = await other.next()
        assert (message["type"], message["branches"][0]["name"]) == ("branches", "what if")
        blank = (await one.ask("rename", branch=str(branch.id), name="  "))[-1]
        assert (blank["code"], blank["key"]) == ("malformed", "problem.blank_name")


async def test_what_was_missed_comes_after_the_next_hello() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        await page.ask("advance", branch=str(branch.id), after=0, count=30)
    async with open_page(session) as page:
        hello = await page.say("hello", have={str(branch.id): 12, "999999": 3})
        heard = await page.until(hello)
        heard.append(await page.next())
        assert step_numbers(heard) == list(range(13, 31))


async def test_a_command_that_was_not_answered_is_answered_on_the_next_socket() -> None:
    session, branch = await make_session()
    command = str(uuid.uuid4())
    async with open_page(session) as page:
        await page.say("advance", id=command, branch=str(branch.id), after=0, count=5)
        await page.until(command)
    async with open_page(session) as page:
        heard = await page.ask("advance", id=command, branch=str(branch.id), after=0, count=5)
        assert step_numbers(heard) == [1, 2, 3, 4, 5]
        assert heard[-1]["type"] == "done"
    assert await sync_to_async(Step.objects.filter(branch=branch).count)() == 5


async def test_all_pages_of_a_session_get_the_steps_and_one_gets_the_answer() -> None:
    session, branch = await make_session()
    async with open_page(session) as one, open_page(session) as other:
        await one.ask("hello")
        await other.ask("hello")
        await one.ask("advance", branch=str(branch.id), after=0, count=2)
        assert step_numbers([await other.next()]) == [1, 2]
        assert await other.socket.receive_nothing(timeout=0.2)


async def test_questions_are_answered_from_what_is_stored() -> None:
    session, branch = await make_session()
    name = str(branch.id)
    async with open_page(session) as page:
        await page.ask("advance", branch=name, after=0, count=20)
        window = (await page.ask("window", branch=name, **{"from": 5, "to": 9}))[-1]
        assert (window["type"], step_numbers([window]), window["newest"]) == ("steps", [5, 6, 7, 8, 9], 20)
        beyond = (await page.ask("window", branch=name, **{"from": 18, "to": 40}))[-1]
        assert step_numbers([beyond]) == [18, 19, 20]
        keyframe = (await page.ask("keyframe", branch=name, number=20))[-1]
        assert (keyframe["number"], keyframe["view"]["time"]) == (0, 0)
        way = (await page.ask("difference", branch=name, **{"from": 0, "to": 20}))[-1]
        assert (way["type"], way["from"], way["to"], way["step"]["number"]) == ("difference", 0, 20, 20)
        assert (await page.ask("pause", branch=name))[-1]["stopped"] == "pause"
        assert (await page.ask("ping"))[-1]["type"] == "pong"


async def test_a_branch_and_an_intervention() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        await page.ask("advance", branch=str(branch.id), after=0, count=12)
        heard = await page.ask("branch", branch=str(branch.id), at=4)
        created = heard[-1]["created"]
        assert created in [item["id"] for item in heard[0]["branches"]]
        crash = {"action": "crash", "actor": "broker-3"}
        heard = await page.ask("intervene", branch=created, after=4, intervention=crash)
        assert [message["type"] for message in heard] == ["branches", "steps", "done"]
        assert heard[0]["branches"][1]["interventions"] == [{"after": 4, "intervention": crash}]
        assert step_numbers(heard) == [5]


async def test_what_can_be_done_to_a_broker_and_why_not() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        await page.ask("advance", branch=str(branch.id), after=0, count=3)
        await page.ask(
            "intervene", branch=str(branch.id), after=3, intervention={"action": "crash", "actor": "broker-2"}
        )
        selected = {"kind": "actor", "id": "broker-2"}
        for number, enabled in (
            (3, {"crash", "pause", "make_unavailable", "find_hanging"}),
            (4, {"restart", "find_hanging"}),
        ):
            heard = await page.ask("actions", branch=str(branch.id), number=number, selection=selected)
            offers = heard[-1]["actions"]
            assert {offer["action"] for offer in offers if offer["enabled"]} == enabled
            assert all(offer["why_key"] for offer in offers if not offer["enabled"])


async def test_why_a_broker_does_nothing() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        await page.ask("advance", branch=str(branch.id), after=0, count=3)
        await page.ask(
            "intervene", branch=str(branch.id), after=3, intervention={"action": "crash", "actor": "broker-2"}
        )
        selected = {"kind": "actor", "id": "broker-2"}
        for number, down in ((3, False), (4, True)):
            heard = await page.ask("why", branch=str(branch.id), number=number, selection=selected)
            assert (heard[-1]["type"], heard[-1]["subject"]) == ("why", "broker-2")
            keys = [link["key"] for link in heard[-1]["links"]]
            assert any(key in ("why.actor_down", "why.broker_down_session") for key in keys) is down
        unknown = await page.ask("why", branch=str(branch.id), number=3, question="lso", subject="t-9")
        assert (unknown[-1]["type"], unknown[-1]["code"]) == ("error", "not_found")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "malformed"),
        ("[" * 50_000, "malformed"),
        ('{"v": 1, "id": "2b2c7a4e-6d5a-4b4f-9a61-0a6c3f0c9a11", "type": "explode"}', "unknown_type"),
        ('{"v": 9, "id": "2b2c7a4e-6d5a-4b4f-9a61-0a6c3f0c9a11", "type": "ping"}', "unsupported_version"),
        ("x" * (LIMITS.message_bytes + 1), "too_large"),
        (b"\x00\x01\xff", "malformed"),
    ],
    ids=["cut", "nested", "unknown", "version", "large", "binary"],
)
async def test_a_hostile_message_is_answered_and_the_connection_lives(text: str | bytes, code: str) -> None:
    session, _ = await make_session()
    async with open_page(session) as page:
        if isinstance(text, bytes):
            await page.socket.send_to(bytes_data=text)
        else:
            await page.socket.send_to(text_data=text)
        answer = await page.next()
        assert (answer["type"], answer["code"]) == ("error", code)
        assert (await page.ask("ping"))[-1]["type"] == "pong"


async def test_too_many_messages_are_answered_and_the_connection_lives(settings: Any) -> None:
    settings.RATES = {**settings.RATES, "messages.person": (3, 3600)}
    session, _ = await make_session()
    async with open_page(session) as page:
        answers = [(await page.ask("ping"))[-1] for _ in range(5)]
        assert [answer["type"] for answer in answers] == ["pong", "pong", "pong", "error", "error"]
        assert (answers[-1]["code"], answers[-1]["params"]["wait"]) == ("too_frequent", 1200)
    async with open_page(session) as another:  # another page of the same person
        assert (await another.ask("ping"))[-1]["code"] == "too_frequent"


async def test_without_a_connection_to_the_workers_the_page_is_asked_to_repeat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, branch = await make_session()
    way_back = tasks.carry_out.apply_async

    def no_way(*arguments: Any, **options: Any) -> None:
        raise OperationalError("nothing listens")

    command = str(uuid.uuid4())
    asked = {"id": command, "branch": str(branch.id), "after": 0, "count": 1}
    async with open_page(session) as page:
        monkeypatch.setattr(tasks.carry_out, "apply_async", no_way)
        assert (await page.ask("advance", **asked))[-1]["code"] == "unavailable"
        monkeypatch.setattr(tasks.carry_out, "apply_async", way_back)
        assert (await page.ask("advance", **asked))[-1]["type"] == "done"


@pytest.mark.parametrize("browser", ["b" * 48, ""])
async def test_a_session_of_another_person_does_not_exist(browser: str) -> None:
    session, _ = await make_session()
    async with open_page(session, browser=browser) as page:
        answer = await page.next()
        assert (answer["type"], answer["code"]) == ("error", "not_found")
        closed = await page.socket.receive_output(timeout=5)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4404)


@pytest.mark.parametrize(
    "origin", [b"http://evil.example", b"http://localhost:8080", b"https://localhost:8443", b"null", None]
)
async def test_a_page_of_another_site_gets_no_socket(origin: bytes | None) -> None:
    session, _ = await make_session()
    headers = [(b"cookie", await cookie_of(BROWSER)), (b"host", b"localhost")]
    if origin is not None:
        headers.append((b"origin", origin))
    socket = WebsocketCommunicator(application, f"/ws/sessions/{session.id}/", headers=headers)
    connected, _ = await socket.connect()
    assert not connected


async def test_a_page_that_steps_is_sent_the_next_step_before_it_asks_and_no_other_page_is() -> None:
    session, branch = await make_session()
    async with open_page(session) as page, open_page(session) as other:
        await page.ask("hello", have={})
        await other.ask("hello", have={})
        await page.ask("advance", branch=str(branch.id), after=0, count=1, ahead=True)
        ahead = await page.next()
        assert (ahead["type"], ahead["branch"], ahead["after"]) == ("ahead", str(branch.id), 1)
        assert await sync_to_async(lambda: Branch.objects.get(id=branch.id).newest)() == 1
        heard = await page.ask("advance", branch=str(branch.id), after=1, count=1)
        assert heard[0]["steps"] == [ahead["step"]]
        assert [(await other.next())["type"] for _ in range(2)] == ["steps", "steps"]
        assert await other.socket.receive_nothing()


async def test_a_step_that_was_sent_ahead_is_stored_without_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_way(*arguments: Any, **options: Any) -> None:
        raise OperationalError("no worker")

    session, branch = await make_session()
    advance = {"branch": str(branch.id), "count": 1, "ahead": True}
    async with open_page(session) as page, open_page(session) as other:
        await page.ask("hello", have={})
        await other.ask("hello", have={})
        await page.ask("advance", after=0, **advance)
        monkeypatch.setattr(tasks.carry_out, "apply_async", no_way)
        for after in range(1, 12):
            ahead = await page.next()
            assert (ahead["type"], ahead["after"]) == ("ahead", after)
            heard = await page.ask("advance", after=after, **advance)
            assert [message["type"] for message in heard] == ["steps", "done"]
            assert (heard[0]["steps"], heard[1]["newest"]) == ([ahead["step"]], after + 1)
        assert (await page.next())["type"] == "ahead"
        assert await page.socket.receive_nothing()
        assert step_numbers([await other.next() for _ in range(12)]) == list(range(1, 13))
        assert await other.socket.receive_nothing()
    kept = await sync_to_async(lambda: list(Step.objects.values_list("number", flat=True)))()
    assert sorted(kept) == list(range(1, 13))


async def test_a_page_that_steps_where_another_went_on_gets_the_step_that_was_stored() -> None:
    session, branch = await make_session()
    asked = {"branch": str(branch.id), "after": 1, "count": 1, "ahead": True}
    async with open_page(session) as page, open_page(session) as other:
        await page.ask("advance", **(asked | {"after": 0}))
        assert (await page.next())["type"] == "ahead"
        crash = {"action": "crash", "actor": "broker-3"}
        await other.ask("intervene", branch=str(branch.id), after=1, intervention=crash)
        stored = (await page.until_steps())["steps"]
        heard = await page.ask("advance", **asked)
        assert [message["steps"] for message in heard if message["type"] == "steps"] == [stored]
        assert heard[-1]["newest"] == 2


async def test_a_page_receives_the_plan_when_it_asks_and_from_then_on_before_its_welcome() -> None:
    session, branch = await make_session()
    async with open_page(session) as page:
        assert [message["type"] for message in await page.ask("hello", have={})] == ["welcome"]
        answer = (await page.ask("plan", branch=str(branch.id)))[-1]
        assert (answer["type"], answer["branch"], answer["interventions"]) == ("plan", str(branch.id), 0)
        assert answer["plan"]["beats"][-1]["kind"] == "sends"
        again = (await page.ask("plan", branch=str(branch.id)))[-1]
        assert again == answer | {"re": again["re"]}
    async with open_page(session) as page:
        heard = await page.ask("hello", have={})
        assert [message["type"] for message in heard] == ["plan", "welcome"]
        assert heard[0] == answer | {"re": None}
