"""The channel layer with a real Redis that disconnects its subscribers, and with one that is down for a while."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.conf import settings
from django.utils.module_loading import import_string
from redis import asyncio as redis
from redis.exceptions import ConnectionError as RedisConnectionError

from eosviz import channel_layer
from eosviz.launch.services import answers_ping, redis_command

SECONDS_MAX = 60.0
ROUNDS = 6


class OwnRedis:
    """A Redis server that one test may kill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "redis.sock"
        self.address = f"unix://{self._socket}"
        self.start()

    def start(self) -> None:
        command = [str(word) for word in redis_command(self._socket, self._folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + SECONDS_MAX
        while not answers_ping(self._socket):
            assert self._process.poll() is None and time.monotonic() < deadline, "it did not start"
            time.sleep(0.01)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def make_layer(address: str) -> Any:
    """Return a channel layer as in the settings, at another address."""
    configured: dict[str, Any] = settings.CHANNEL_LAYERS["default"]
    (host,) = configured["CONFIG"]["hosts"]
    layer = import_string(configured["BACKEND"])
    return layer(hosts=[{**host, "address": address}])


def in_loop(work: Callable[[Any], Awaitable[None]], layer: Any = None) -> None:
    """Run the work on an event loop of its own, with the site's own layer unless another one is given."""
    layer = layer or get_channel_layer()

    async def whole() -> None:
        try:
            async with asyncio.timeout(SECONDS_MAX):
                await work(layer)
        finally:
            await layer.flush()

    asyncio.run(whole())


async def throw_out_subscribers() -> None:
    client = redis.Redis.from_url(settings.REDIS_URL)
    await client.client_kill_filter(_type="pubsub")
    await client.aclose()


async def arrives(layer: Any, channel: str, group: str) -> None:
    """Send a message again and again until the channel receives it, as a page repeats a request.

    A message that is published without a subscriber is lost.
    """
    wait = asyncio.ensure_future(layer.receive(channel))
    while not wait.done():
        await layer.group_send(group, {"type": "said"})
        await asyncio.wait([wait], timeout=0.2)
    assert wait.result() == {"type": "said"}


def test_a_message_reaches_every_member_of_its_group_and_no_other() -> None:
    async def work(layer: Any) -> None:
        channels = [await layer.new_channel() for _ in range(3)]
        for channel in channels[:2]:
            await layer.group_add("some", channel)
        await layer.group_send("some", {"type": "said", "number": 7})
        for channel in channels[:2]:
            assert await layer.receive(channel) == {"type": "said", "number": 7}
        left_over = asyncio.ensure_future(layer.receive(channels[2]))
        await asyncio.wait([left_over], timeout=0.3)
        assert not left_over.done()
        left_over.cancel()

    in_loop(work)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    yield server
    server.kill()


def test_who_subscribes_while_redis_is_gone_is_served_and_so_is_who_was_there_before(
    server: OwnRedis,
) -> None:
    """Before the fix, both used one connection: each made it again at once and then waited for the other's answer for
    ever.
    """

    async def join(layer: Any, group: str, after: float) -> str:
        await asyncio.sleep(after)
        channel: str = await layer.new_channel()
        await layer.group_add(group, channel)
        return channel

    async def work(layer: Any) -> None:
        first = await join(layer, "first", 0)
        for number in range(ROUNDS):
            server.kill()
            joins = [asyncio.ensure_future(join(layer, f"{number}-{n}", n / 50)) for n in range(20)]
            await asyncio.sleep(0.2)
            await asyncio.to_thread(server.start)
            for n, channel in enumerate(await asyncio.gather(*joins)):
                await arrives(layer, channel, f"{number}-{n}")
        await arrives(layer, first, "first")

    in_loop(work, make_layer(server.address))


def test_a_group_that_was_left_stays_left_after_a_new_connection() -> None:
    async def work(layer: Any) -> None:
        stays, leaves = await layer.new_channel(), await layer.new_channel()
        await layer.group_add("stays", stays)
        await layer.group_add("leaves", leaves)
        await layer.group_discard("leaves", leaves)
        await throw_out_subscribers()
        await arrives(layer, stays, "stays")
        client = redis.Redis.from_url(settings.REDIS_URL)
        names = [
            name.decode() if isinstance(name, bytes) else name for name in await client.pubsub_channels()
        ]
        await client.aclose()
        assert any("__group__stays" in name for name in names)
        assert not any("__group__leaves" in name for name in names)

    in_loop(work)


def test_without_a_redis_a_socket_is_refused_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_layer, "STANDING_SECONDS_MAX", 0.5)

    async def work() -> None:
        layer = make_layer("redis://127.0.0.1:1/0")
        try:
            with pytest.raises(RedisConnectionError, match="not subscribed"):
                await layer.new_channel()
        finally:
            await layer.flush()

    asyncio.run(work())
