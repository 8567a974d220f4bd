"""A socket is closed as soon as a right with which it was opened has ended, with a code that says why."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.db.models import QuerySet
from django.test import Client

from engine.scenario.shelf import entry
from eosviz import rights
from eosviz.accounts import actions as accounts
from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, give_role
from eosviz.analytics.models import Analysis
from eosviz.asgi import application
from eosviz.classroom import actions as classes
from eosviz.classroom.models import Membership, Part
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.walkthroughs import actions, presenting, questions
from eosviz.walkthroughs.models import Presentation, Session
from eosviz.walkthroughs.streaming import followers_of, group_of
from tests.accounts.conftest import signed_in
from tests.audience.conftest import ANSWER_SECONDS_MAX
from tests.classroom.conftest import School
from tests.walkthroughs.conftest import version
from tests.walkthroughs.test_consumer import ORIGIN

pytestmark = pytest.mark.django_db(transaction=True)

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
SIGNED_OUT, TAKEN, GONE = 4401, 4403, 4404


@dataclass
class Stage:
    school: School
    session: Session
    presentation: Presentation
    sweep: Sweep
    shrink: Shrink
    analysis: Analysis
    browsers: dict[str, Client]

    @property
    def learner(self) -> User:
        return self.school.people["learner"]


@pytest.fixture
def stage(school: School) -> Stage:
    """The learner presents a session; the other learner is signed in and follows; the second of the class's two
    instructors has the pages of the class open.
    """
    people = school.people
    classes.join(people["other instructor"], school.classroom.code)
    second = Membership.objects.get(user=people["other instructor"], classroom=school.classroom)
    classes.set_part(second, people["instructor"], Part.INSTRUCTOR)
    session = actions.create_session(people["learner"].owner_key, version("SC-03"))
    owned = {"owner": session.owner, "scenario": "SC-02", "state": "cancelled"}
    sweep = Sweep.objects.create(
        title={"en": "S", "zh-Hans": "S"}, document="", axes=[], seeds=1, runs=1, engine="2", folder="x", table=[],
        **owned,
    )  # fmt: skip
    shrink = Shrink.objects.create(
        guarantee="duplicated", document=entry("SC-02").document, seed=0, after=[], step=3, **owned
    )
    return Stage(
        school=school,
        session=session,
        presentation=presenting.start(session),
        sweep=sweep,
        shrink=shrink,
        analysis=Analysis.objects.create(classroom=school.classroom),
        browsers={who: signed_in(user) for who, user in people.items()},
    )


# -- the sockets, and who opens each -------------------------------------------------------------------------------

SOCKETS: dict[str, Callable[[Stage], str]] = {
    "session": lambda stage: f"/ws/sessions/{stage.session.id}/",
    "follow": lambda stage: f"/ws/follow/{stage.presentation.token}/",
    "class": lambda stage: f"/ws/classes/{stage.school.classroom.id}/?lang=en",
    "analysis": lambda stage: f"/ws/analytics/{stage.analysis.id}/?lang=en",
    "sweep": lambda stage: f"/ws/sweeps/{stage.sweep.id}/?lang=en",
    "shrink": lambda stage: f"/ws/shrinks/{stage.shrink.id}/?lang=en",
}
OPENED_BY = {"follow": "other learner", "class": "instructor", "analysis": "instructor"}


def opener(socket: str) -> str:
    return OPENED_BY.get(socket, "learner")


# -- how a right ends ---------------------------------------------------------------------------------------------


def bar(stage: Stage, who: str) -> None:
    user = User.objects.get(pk=stage.school.people[who].pk)
    user.is_active = False
    user.save()


def bar_by_update(stage: Stage, who: str) -> None:
    User.objects.filter(pk=stage.school.people[who].pk).update(is_active=False)


def set_password(stage: Stage, who: str) -> None:
    user = User.objects.get(pk=stage.school.people[who].pk)
    user.set_password("another long one")
    user.save()


def sign_out(stage: Stage, who: str) -> None:
    stage.browsers[who].post("/accounts/logout/")


def sign_in_as_another(stage: Stage, who: str) -> None:
    stage.browsers[who].force_login(stage.school.people["stranger"], BACKEND)


def delete_account(stage: Stage, who: str) -> None:
    accounts.delete_account(User.objects.get(pk=stage.school.people[who].pk))


def take_role(stage: Stage, who: str) -> None:
    give_role(User.objects.get(pk=stage.school.people[who].pk), Role.LEARNER)


def membership(stage: Stage, who: str) -> Membership:
    return Membership.objects.get(user=stage.school.people[who], classroom=stage.school.classroom)


def teach_no_more(stage: Stage, who: str) -> None:
    classes.set_part(membership(stage, who), stage.school.people["other instructor"], Part.LEARNER)


def leave_class(stage: Stage, who: str) -> None:
    classes.remove_member(membership(stage, who), stage.school.people["other instructor"])


def delete_session(stage: Stage, who: str = "") -> None:
    actions.delete_session(stage.session.owner, stage.session.id)


EVERY_PERSON = ("instructor", "other learner", "learner")
PERSON_ENDS = (bar, bar_by_update, set_password, sign_out, sign_in_as_another, delete_account)

Ends = tuple[Callable[[Stage], Any], dict[str, int]]
THING_ENDS: dict[str, list[Ends]] = {
    "one after the other": [
        (lambda stage: leave_class(stage, "instructor"), {"class": TAKEN, "analysis": TAKEN}),
        (lambda stage: presenting.end(stage.session.id), {"follow": GONE}),
        (lambda stage: stage.sweep.delete(), {"sweep": GONE}),
        (lambda stage: stage.shrink.delete(), {"shrink": GONE}),
        (delete_session, {"session": GONE}),
    ],
    "the analysis, then the session": [
        (lambda stage: stage.analysis.delete(), {"analysis": GONE}),
        (delete_session, {"session": GONE, "follow": GONE}),
    ],
    "a part": [(lambda stage: teach_no_more(stage, "instructor"), {"class": TAKEN, "analysis": TAKEN})],
    "the class": [(lambda stage: stage.school.classroom.delete(), {"class": GONE, "analysis": GONE})],
    "the presenter is barred": [
        (
            lambda stage: bar(stage, "learner"),
            {"follow": GONE, "session": SIGNED_OUT, "sweep": SIGNED_OUT, "shrink": SIGNED_OUT},
        )
    ],
}
"""Name of a case → its actions one after the other, each with the sockets that it closes and their codes. All other
sockets must stay open.
"""


@asynccontextmanager
async def opened(stage: Stage, name: str, who: str | None = None) -> AsyncIterator[WebsocketCommunicator]:
    """Yield the socket once it is open and has sent its first message."""
    cookies = stage.browsers[who or opener(name)].cookies
    cookie = "; ".join(f"{key}={morsel.value}" for key, morsel in cookies.items()).encode()
    headers = [(b"cookie", cookie), (b"origin", ORIGIN), (b"host", b"localhost")]
    socket = WebsocketCommunicator(application, SOCKETS[name](stage), headers)
    assert (await socket.connect(timeout=ANSWER_SECONDS_MAX))[0]
    if name in ("session", "follow"):
        await say(socket, "hello")
    first = await socket.receive_output(ANSWER_SECONDS_MAX)
    assert first["type"] == "websocket.send", first
    if name == "follow":
        assert json.loads((await socket.receive_output(ANSWER_SECONDS_MAX))["text"])["type"] == "presented"
    try:
        yield socket
    finally:
        await socket.disconnect(timeout=ANSWER_SECONDS_MAX)


async def say(socket: WebsocketCommunicator, type: str, **fields: Any) -> None:
    message = {"v": 1, "id": "00000000-0000-4000-8000-000000000001", "type": type, **fields}
    await socket.send_to(text_data=json.dumps(message))


async def until_closed(socket: WebsocketCommunicator) -> tuple[list[dict[str, Any]], int]:
    """Return the messages that the socket still sent, and the code with which it closed."""
    messages: list[dict[str, Any]] = []
    while True:
        output = await socket.receive_output(ANSWER_SECONDS_MAX)
        if output["type"] == "websocket.close":
            return messages, output["code"]
        messages.append(json.loads(output["text"]))


@asynccontextmanager
async def all_opened(stage: Stage) -> AsyncIterator[dict[str, WebsocketCommunicator]]:
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(opened(stage, name)) for name in SOCKETS}


def last_words(name: str, code: int) -> list[bool]:
    """Return the field `ended` of each message that a socket sends before it closes with this code."""
    return [True] if name == "follow" and code == GONE else []


@pytest.mark.parametrize("end", PERSON_ENDS)
async def test_every_socket_closes_when_its_person_is_no_longer_who_they_were(
    stage: Stage, end: Callable[[Stage, str], Any]
) -> None:
    async with all_opened(stage) as sockets:
        for who in EVERY_PERSON:
            await sync_to_async(end)(stage, who)
        for name, socket in sockets.items():
            messages, code = await until_closed(socket)
            # Deleting an account also deletes what it owns. Either may be noticed first, so both codes are right; a
            # sweep is stopped before it is deleted.
            if end is delete_account:
                assert code in (SIGNED_OUT, GONE), name
                continue
            assert (messages, code) == ([], SIGNED_OUT), name


@pytest.mark.parametrize("row", THING_ENDS)
async def test_the_sockets_that_show_a_thing_close_with_it_and_no_others(stage: Stage, row: str) -> None:
    async with all_opened(stage) as sockets:
        for end, closes in THING_ENDS[row]:
            await sync_to_async(end)(stage)
            for name, code in closes.items():
                messages, closed_with = await until_closed(sockets.pop(name))
                assert closed_with == code, name
                assert [message.get("ended") for message in messages] == last_words(name, code), name
        for name in {"session", "follow"} & sockets.keys():
            await say(sockets[name], "ping")
            assert json.loads(await sockets[name].receive_from(ANSWER_SECONDS_MAX))["type"] == "pong"
        for name in sockets.keys() - {"session", "follow"}:
            assert await sockets[name].receive_nothing(timeout=0.01), name


async def test_an_administrator_s_view_of_a_class_goes_with_the_role(stage: Stage) -> None:
    async with opened(stage, "class", "administrator") as socket:
        await sync_to_async(take_role)(stage, "administrator")
        assert await until_closed(socket) == ([], TAKEN)


async def test_a_person_without_a_right_does_not_learn_what_exists(stage: Stage) -> None:
    """An owner whose socket was open may learn that the thing is gone. A stranger who tries an address must not learn
    whether it ever existed.
    """
    for name in SOCKETS.keys() - {"follow"}:
        cookies = stage.browsers["stranger"].cookies
        cookie = f"sessionid={cookies['sessionid'].value}".encode()
        headers = [(b"cookie", cookie), (b"origin", ORIGIN), (b"host", b"localhost")]
        socket = WebsocketCommunicator(application, SOCKETS[name](stage), headers)
        await socket.connect(timeout=ANSWER_SECONDS_MAX)
        assert (await until_closed(socket))[1] == GONE, name


async def test_what_was_in_the_queue_before_the_end_does_not_go_out_after_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket is busy with a search, and steps wait in its queue, when the presentation ends."""
    under_way, may_go_on = threading.Event(), threading.Event()
    found_steps = questions.found_steps

    def slow(*arguments: Any) -> Any:
        under_way.set()
        assert may_go_on.wait(ANSWER_SECONDS_MAX)
        return found_steps(*arguments)

    monkeypatch.setattr(questions, "found_steps", slow)
    branch = str(await stage.session.branches.values_list("id", flat=True).aget())
    async with opened(stage, "follow") as socket:
        search = {"branch": branch, "from": 0, "to": 5, "conditions": [{"on": "interesting"}]}
        await say(socket, "search", **search)
        assert await asyncio.to_thread(under_way.wait, ANSWER_SECONDS_MAX)
        layer = get_channel_layer()
        await layer.group_send(
            group_of(stage.session.id), {"type": "session.frames", "frames": ['{"late": 1}']}
        )
        moved = {"type": "session.presented", "frame": '{"late": 2}'}
        await layer.group_send(followers_of(stage.session.id), moved)
        await sync_to_async(presenting.end)(stage.session.id)
        messages, code = await until_closed(socket)
        assert ([message["ended"] for message in messages], code) == ([True], GONE)
        may_go_on.set()
        assert await socket.receive_nothing(timeout=0.2), "neither the answer nor what had waited"


async def test_a_command_that_comes_after_the_end_is_not_carried_out(stage: Stage) -> None:
    """This also holds if the end of the right was not announced: the socket trusts an answer about a right for two
    seconds at most.
    """
    async with opened(stage, "session") as socket:
        await sync_to_async(QuerySet.update)(User.objects.filter(pk=stage.learner.pk), is_active=False)
        later = rights.board()._now() + rights.ANSWER_SECONDS + 0.001
        rights.board()._now = lambda: later
        branch = await stage.session.branches.aget()
        await say(socket, "advance", branch=str(branch.id), after=0, count=1)
        assert await until_closed(socket) == ([], SIGNED_OUT)
        await branch.arefresh_from_db()
        assert branch.newest == 0


async def test_a_silent_socket_finds_by_itself_what_was_not_announced(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rights, "SILENT_SECONDS", 0.05)
    monkeypatch.setattr(rights, "ANSWER_SECONDS", 0.0)
    async with opened(stage, "follow") as socket:
        await sync_to_async(lambda: Presentation.objects.all()._raw_delete("default"))()
        messages, code = await until_closed(socket)
        assert (len(messages), code) == (1, GONE)


async def test_a_rollback_closes_nothing(stage: Stage) -> None:
    from django.db import transaction

    def try_in_vain() -> None:
        with pytest.raises(RuntimeError), transaction.atomic():
            presenting.end(stage.session.id)
            raise RuntimeError

    async with opened(stage, "follow") as socket:
        await sync_to_async(try_in_vain)()
        await say(socket, "ping")
        assert json.loads(await socket.receive_from(ANSWER_SECONDS_MAX))["type"] == "pong"


async def test_another_account_s_end_touches_no_socket(stage: Stage) -> None:
    async with opened(stage, "session") as socket, opened(stage, "follow") as other:
        await sync_to_async(bar)(stage, "stranger")
        await sync_to_async(sign_out)(stage, "instructor")
        for open_one in (socket, other):
            await say(open_one, "ping")
            assert json.loads(await open_one.receive_from(ANSWER_SECONDS_MAX))["type"] == "pong"


async def test_five_hundred_who_follow_share_one_answer() -> None:
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1

    held: Sequence[rights.Right] = (rights.Right("follow x", frozenset({"session.x"}), ask),)

    class Socket:
        rights = held

        async def look_again(self) -> None: ...

        async def still_here(self) -> None: ...

    board, sockets = rights.Board(), [Socket() for _ in range(500)]
    for socket in sockets:
        await board.enter(socket)
    assert set(await asyncio.gather(*(board.ending(one.rights) for one in sockets))) == {None}
    assert asked == 1
    board.changed(["session.x"])
    await asyncio.gather(*(board.ending(one.rights) for one in sockets))
    assert asked == 2
    for socket in sockets:
        board.leave(socket)
    assert not board._answers and not board._holders and not board._tasks
