"""The channel layer: groups of sockets over Redis's publish and subscribe, that outlive its loss.

In the library's own, the task that reads messages and whoever subscribes share a connection, and each makes it
again by itself when it is lost. Two that do so at once take each other's answers: one then waits for ever, holds
the lock, and no socket of the process is served again. Here one task alone makes the connection, a new one each
time, and subscribes it to all that is wanted; who subscribes asks on a connection that stands, or waits for one.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from channels_redis.pubsub import (
    RedisPubSubChannelLayer,
    RedisPubSubLoopLayer,
    RedisSingleShardConnection,
)
from channels_redis.utils import _wrap_close, create_pool, decode_hosts
from redis import asyncio as redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

READ_SECONDS = 0.1
"""How long the reading task may not notice that somebody found the connection lost."""

CONNECT_SECONDS_MAX = 5.0
PAUSE_SECONDS = 0.25
"""Between two tries to connect."""

STANDING_SECONDS_MAX = 15.0
"""How long a socket that opens waits for a Redis that is gone before it is closed; the page opens another."""


class OutlivingShard(RedisSingleShardConnection):
    """One Redis. `_lock` is held by whoever sends on the subscription or puts a new one in its place."""

    _redis: redis.Redis | None
    _pubsub: PubSub | None
    _receive_task: asyncio.Task[None] | None

    def __init__(self, host: dict[str, Any], channel_layer: OutlivingLoopLayer) -> None:
        super().__init__(host, channel_layer)
        self._publishing = asyncio.Lock()
        self._subscriber: redis.Redis | None = None
        self._wanted: set[str] = set()
        self._carried: set[str] = set()
        self._standing = asyncio.Event()
        """Set while `_pubsub` is believed to be connected; who finds it lost clears it."""

    async def publish(self, channel: str, message: bytes) -> None:
        async with self._publishing:
            if self._redis is None:
                self._redis = redis.Redis(connection_pool=create_pool(self.host))
            await self._redis.publish(channel, message)

    async def subscribe(self, channel: str) -> None:
        self._wanted.add(channel)
        if self._receive_task is None:
            self._receive_task = asyncio.ensure_future(self._do_receiving())
        try:
            async with asyncio.timeout(STANDING_SECONDS_MAX):
                while channel not in self._carried:
                    await self._standing.wait()
                    await self._ask_for(channel)
        except TimeoutError:
            raise RedisConnectionError(f"not subscribed within {STANDING_SECONDS_MAX:g} s") from None

    async def _ask_for(self, channel: str) -> None:
        async with self._lock:
            if self._pubsub is None or not self._standing.is_set() or channel in self._carried:
                return
            try:
                await self._pubsub.subscribe(channel)
                self._carried.add(channel)
            except (RedisError, OSError):
                self._standing.clear()

    async def unsubscribe(self, channel: str) -> None:
        self._wanted.discard(channel)
        async with self._lock:
            if self._pubsub is None or not self._standing.is_set() or channel not in self._carried:
                return
            self._carried.discard(channel)
            try:
                await self._pubsub.unsubscribe(channel)
            except (RedisError, OSError):
                self._standing.clear()

    async def flush(self) -> None:
        if self._receive_task is not None:
            self._receive_task.cancel()
            await asyncio.wait([self._receive_task])
            self._receive_task = None
        self._standing.clear()
        self._wanted.clear()
        self._carried.clear()
        self._pubsub = None
        for client in (self._redis, self._subscriber):
            if client is not None:
                await client.aclose(close_connection_pool=True)
        self._redis = self._subscriber = None

    async def _do_receiving(self) -> None:
        """Reads, and alone connects; ends only when it is cancelled."""
        while True:
            try:
                pubsub = await self._connected()
                while self._standing.is_set():
                    message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=READ_SECONDS)
                    self._receive_message(message)
            except (RedisError, OSError) as error:
                logger.warning("the subscription was lost and is made again: %r", error)
            except Exception:  # whatever is wrong with one message, the next ones are read
                logger.exception("a message could not be read")
            self._standing.clear()
            await asyncio.sleep(PAUSE_SECONDS)

    async def _connected(self) -> PubSub:
        """A subscription to all that is wanted, on a connection that nobody used before."""
        async with self._lock:
            self._carried.clear()
            if self._pubsub is not None:
                lost, self._pubsub = self._pubsub, None
                await lost.aclose()
            if self._subscriber is None:
                # Nothing below may connect again by itself.
                alone = {"retry": Retry(NoBackoff(), 0, supported_errors=()), "retry_on_error": []}
                self._subscriber = redis.Redis(connection_pool=create_pool({**self.host, **alone}))
            made = self._subscriber.pubsub()
            wanted = frozenset(self._wanted)
            try:
                async with asyncio.timeout(CONNECT_SECONDS_MAX):
                    await (made.subscribe(*wanted) if wanted else made.connect())
            except BaseException:
                await made.aclose()
                raise
            self._pubsub = made
            self._carried |= wanted
            self._standing.set()
            return made


class OutlivingLoopLayer(RedisPubSubLoopLayer):
    def __init__(self, hosts: list[Any], **options: Any) -> None:
        super().__init__(hosts=hosts, **options)
        self._shards = [OutlivingShard(host, self) for host in decode_hosts(hosts)]


class OutlivingChannelLayer(RedisPubSubChannelLayer):
    """One of it serves each event loop of the process."""

    def _get_layer(self) -> OutlivingLoopLayer:
        loop = asyncio.get_running_loop()
        if loop not in self._layers:
            self._layers[loop] = OutlivingLoopLayer(*self._args, **self._kwargs, channel_layer=self)
            _wrap_close(self, loop)
        layer: OutlivingLoopLayer = self._layers[loop]
        return layer
