"""The channel layer: groups of sockets over Redis's publish and subscribe. It recovers after Redis was lost.

In channels_redis, the task that reads messages and the callers that subscribe share one connection, and each
of them reconnects it after a loss. If two of them do so at the same time, they read each other's replies: one
then waits for ever and keeps the lock, and the process serves no socket any more. Here only the reading task
connects, each time with a new connection, and then subscribes to every wanted channel. Callers subscribe on a
working connection or wait for one.
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
"""If a caller finds that the connection is lost, the reading task notices it within this many seconds."""

CONNECT_SECONDS_MAX = 5.0
PAUSE_SECONDS = 0.25
"""The pause between two attempts to connect, in seconds."""

STANDING_SECONDS_MAX = 15.0
"""While Redis is down, a socket that opens waits this many seconds before it is closed. The page then opens
another one."""


class OutlivingShard(RedisSingleShardConnection):
    """The connections to one Redis server. `_lock` is held while the subscribing connection is used for
    sending, or is replaced."""

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
        """Set while `_pubsub` is believed to be connected. The first task that finds the connection lost
        clears the event."""

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
        """Read messages and pass them on, until the task is cancelled. Connects anew whenever the connection
        is lost."""
        while True:
            try:
                pubsub = await self._connected()
                while self._standing.is_set():
                    message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=READ_SECONDS)
                    self._receive_message(message)
            except (RedisError, OSError) as error:
                logger.warning("the subscription was lost and is made again: %r", error)
            except Exception:  # A message that cannot be read must not stop the following ones.
                logger.exception("a message could not be read")
            self._standing.clear()
            await asyncio.sleep(PAUSE_SECONDS)

    async def _connected(self) -> PubSub:
        """Make a new connection and subscribe on it to every wanted channel."""
        async with self._lock:
            self._carried.clear()
            if self._pubsub is not None:
                lost, self._pubsub = self._pubsub, None
                await lost.aclose()
            if self._subscriber is None:
                # The client must not reconnect by itself.
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
    """The channel layer of the site. It has one `OutlivingLoopLayer` for each event loop of the process."""

    _read: tuple[bytes, Any] = (b"", None)
    """The bytes and the content of the message that was received last."""

    async def receive(self, channel: str) -> Any:
        return await self._get_layer().receive(channel)

    def deserialize(self, message: bytes) -> Any:
        """The content of a message. All sockets of a group get the same bytes object, so it is decoded only
        once. The sockets share the content and must not change it."""
        data, content = self._read
        if data is not message:
            content = super().deserialize(message)
            self._read = message, content
        return content

    def _get_layer(self) -> OutlivingLoopLayer:
        loop = asyncio.get_running_loop()
        if loop not in self._layers:
            self._layers[loop] = OutlivingLoopLayer(*self._args, **self._kwargs, channel_layer=self)
            _wrap_close(self, loop)
        layer: OutlivingLoopLayer = self._layers[loop]
        return layer
