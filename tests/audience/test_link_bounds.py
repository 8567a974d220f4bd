"""The bounds of one follow link: how many sockets it can have, and one budget of work for all of them together."""

from __future__ import annotations

import json
import uuid
from contextlib import AsyncExitStack
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from eosviz.asgi import application
from eosviz.walkthroughs import follower_count, messages, work
from eosviz.walkthroughs.limits import LIMITS
from tests.walkthroughs.test_consumer import ORIGIN, Page, make_session
from tests.walkthroughs.test_presenting import follow, hello, present

pytestmark = pytest.mark.django_db(transaction=True)


async def refused(token: uuid.UUID) -> tuple[dict[str, Any], int]:
    headers = [(b"origin", ORIGIN), (b"host", b"localhost")]
    socket = WebsocketCommunicator(application, f"/ws/follow/{token}/", headers=headers)
    assert (await socket.connect(timeout=20))[0]
    message = json.loads(await socket.receive_from(timeout=20))
    code = (await socket.receive_output(timeout=20))["code"]
    await socket.disconnect(timeout=20)
    return message, code


async def test_a_link_has_so_many_sockets_and_one_that_leaves_makes_room(settings: Any) -> None:
    settings.FOLLOWERS_PER_LINK = 2
    session, _ = await make_session()
    token = await present(session)
    other, _ = await make_session()
    async with follow(token) as one:
        await hello(one)
        async with follow(token) as second:
            await hello(second)
            message, code = await refused(token)
            assert (message["key"], message["params"], code) == ("problem.link_full", {"most": 2}, 4429)
            async with follow(await present(other)) as elsewhere:
                await hello(elsewhere)
        async with follow(token) as third:
            await hello(third)


@pytest.mark.django_db(transaction=False)
def test_a_socket_whose_process_was_killed_does_not_keep_its_seat(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FOLLOWERS_PER_LINK = 2
    at, token = [1000.0], uuid.uuid4()
    monkeypatch.setattr(follower_count, "now", lambda: at[0])
    assert [follower_count.take(token, name) for name in ("killed", "alive", "next")] == [True, True, False]
    at[0] += follower_count.GONE_SECONDS - 1
    assert follower_count.take(token, "alive"), "it says that it is there"
    at[0] += 2
    assert follower_count.take(token, "next")
    assert not follower_count.take(token, "another")


async def test_all_who_follow_a_link_share_one_budget_of_work(settings: Any) -> None:
    """Each follower's search uses up the common budget; other links and the presenter are not affected."""
    settings.RATES = {**settings.RATES, "work.link": (3 * LIMITS.search_steps, 3600)}
    session, branch = await make_session()
    token = await present(session)
    other, other_branch = await make_session()
    whole = {"from": 1, "to": LIMITS.search_steps, "conditions": [{"on": "interesting"}]}

    async def search(page: Page, name: str) -> dict[str, Any]:
        return (await page.ask("search", branch=name, **whole))[-1]

    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(follow(token)) for _ in range(3)]
        for page in pages:
            await hello(page)
        answers = [await search(pages[at % 3], str(branch.id)) for at in range(4)]
        assert [answer["type"] for answer in answers] == ["found", "found", "found", "error"]
        assert answers[-1]["key"] == "problem.too_often.work.link"
        assert 0 < answers[-1]["params"]["wait"] <= 1200
        assert (await pages[0].ask("ping"))[-1]["type"] == "pong"
        elsewhere = await stack.enter_async_context(follow(await present(other)))
        await hello(elsewhere)
        assert (await search(elsewhere, str(other_branch.id)))["type"] == "found"


def test_whatever_reads_many_steps_costs_them() -> None:
    asked = {"v": 1, "id": str(uuid.uuid4()), "branch": "1"}

    def cost(**fields: Any) -> int:
        return work.steps_read(messages.read_message(json.dumps({**asked, **fields})))

    assert cost(type="search", **{"from": 1, "to": 5000}, conditions=[{"on": "interesting"}]) == 5000
    assert cost(type="difference", **{"from": 400, "to": 101}) == 300
    assert cost(type="transactions") == cost(type="keyframe", number=1) == LIMITS.search_steps
    assert cost(type="near_view", number=1) * 10 == cost(type="near_view", number=1, whole=True)
    assert cost(type="advance", after=0, count=1) == 0
