"""A presented session with its sockets, and people of a class who follow it."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from eosviz.accounts.models import User
from eosviz.asgi import application
from eosviz.walkthroughs.models import Session
from tests.accounts.conftest import signed_in
from tests.classroom.conftest import school  # noqa: F401
from tests.contract.fitting import heard
from tests.walkthroughs.conftest import _no_simulation_of_another_test  # noqa: F401
from tests.walkthroughs.test_consumer import ORIGIN, Page, cookie_of

Json = dict[str, Any]
ANSWER_SECONDS_MAX = 60
"""How long a test waits for a message over a socket; far more than needed, because the machine may be busy."""


class Heard(Page):
    """A page that waits for a certain message and ignores all others."""

    async def next(self) -> Json:
        found: Json = heard(json.loads(await self.socket.receive_from(timeout=ANSWER_SECONDS_MAX)))
        return found

    async def of(self, type: str) -> Json:
        while True:
            heard = await self.next()
            if heard["type"] == type:
                return heard

    async def asked(self, type: str, **fields: Any) -> Json:
        """Send a message and return the last message of the answer."""
        return (await self.ask(type, **fields))[-1]


@asynccontextmanager
async def opened(path: str, cookie: bytes | None) -> AsyncIterator[Heard]:
    headers = [(b"origin", ORIGIN), (b"host", b"localhost")]
    if cookie is not None:
        headers.append((b"cookie", cookie))
    socket = WebsocketCommunicator(application, path, headers=headers)
    connected, _ = await socket.connect(timeout=ANSWER_SECONDS_MAX)
    assert connected
    try:
        yield Heard(socket)
    finally:
        await socket.disconnect(timeout=ANSWER_SECONDS_MAX)


@sync_to_async
def cookie_of_user(user: User) -> bytes:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in signed_in(user).cookies.items()).encode()


@asynccontextmanager
async def presenter(session: Session) -> AsyncIterator[Heard]:
    async with opened(f"/ws/sessions/{session.id}/", await cookie_of(session.owner)) as page:
        await page.asked("hello")
        yield page


@asynccontextmanager
async def follower(
    token: uuid.UUID, page: uuid.UUID | None = None, user: User | None = None
) -> AsyncIterator[Heard]:
    """Yield the connected page of a follower, once it has received whether its hand is up."""
    cookie = None if user is None else await cookie_of_user(user)
    async with opened(f"/ws/follow/{token}/", cookie) as heard:
        await heard.say("hello", follower=str(page or uuid.uuid4()))
        await heard.of("hand")
        yield heard


async def hands_of(presenter: Heard) -> list[Json]:
    """Return the hands that a page receives when it begins to attend."""
    hands: list[Json] = (await presenter.asked("attend"))["hands"]
    return hands
