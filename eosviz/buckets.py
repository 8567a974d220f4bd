"""Rate limits: one token bucket for each rate and caller, in Redis, shared by all processes.

A bucket holds at most `most` tokens and refills evenly: an empty one is full after `seconds`. It is stored as
one number, the time at which it will be full. While Redis is down, each process keeps buckets of its own with
the same rates; a `strict` rate raises RedisError instead, so that the limited action is not done. A rate
with a `lease` is too frequent for asking Redis each time: a process takes that many tokens at once and spends
them.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import redis
from asgiref.sync import sync_to_async
from django.conf import settings
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

CALLERS_MAX = 10_000
"""A process remembers at most this many leases and, while Redis is down, at most this many buckets. Beyond
that, it forgets those that were used least recently."""
REDIS_SECONDS_MAX = 0.5
AWAY_SECONDS = 1.0
"""For this many seconds after Redis did not answer, only strict rates ask Redis."""
TRIES_MAX = 32
"""If other processes change a bucket at the same time, a process tries at most this many times to store its
number. If all tries fail, the caller is refused for LOST_SECONDS."""
LOST_SECONDS = 0.1
CALLER_CHARACTERS = 32

COMPARE_AND_SET = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""

now = time.time

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit. A caller may take up to `most` tokens at once; an empty bucket is full again after
    `seconds`. `lease` and `strict`: see the module."""

    name: str
    most: int
    seconds: float
    lease: int = 0
    strict: bool = False

    @property
    def each(self) -> float:
        """The number of seconds in which one token comes back."""
        return self.seconds / self.most


@dataclass(frozen=True, slots=True)
class Granted:
    count: int
    full_at: float
    wait: float = 0.0
    """The number of seconds until `least` tokens are available; 0 if tokens were granted."""


def grant(rate: Rate, full_at: float, at: float, least: int, wanted: int) -> Granted:
    """Computes how many tokens a caller gets at time `at` from a bucket that will be full at `full_at`: as
    many as there are, up to `wanted`; none if there are fewer than `least`."""
    from_then = min(max(full_at, at), at + rate.seconds)
    held = math.floor((at + rate.seconds - from_then) / rate.each + 1e-6)
    count = min(held, wanted)
    if count < least:
        return Granted(0, from_then, max(from_then + least * rate.each - rate.seconds - at, 1e-3))
    return Granted(count, from_then + count * rate.each)


class Buckets:
    """This process's access to all buckets."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._leases: OrderedDict[str, int] = OrderedDict()
        self._local: OrderedDict[str, float] = OrderedDict()
        self._away_until = -math.inf
        self._clients: dict[str, redis.Redis] = {}

    def take(self, rate: Rate, caller: str, cost: int = 1) -> float:
        """Take `cost` tokens, but never more than `rate.most`. Returns 0.0 if they were taken, else the
        number of seconds to wait. Raises RedisError for a strict rate while Redis is down."""
        cost = min(cost, rate.most)
        key = _key(rate, caller)
        if self._from_lease(key, cost):
            return 0.0
        granted = self._change(rate, key, cost, max(cost, min(rate.lease, rate.most)))
        if granted.count > cost:
            self._keep_lease(key, granted.count - cost)
        return granted.wait

    async def take_soon(self, rate: Rate, caller: str, cost: int = 1) -> float:
        """Like `take`, for an event loop: if this process has leased enough tokens, they are taken at once;
        otherwise a thread asks Redis."""
        key = _key(rate, caller)
        if self._from_lease(key, min(cost, rate.most)):
            return 0.0
        return await sync_to_async(self.take, thread_sensitive=False)(rate, caller, cost)

    def give_back(self, rate: Rate, caller: str, cost: int = 1) -> None:
        """Give tokens back that were taken for an action which is not counted after all."""
        self._change(rate, _key(rate, caller), -rate.most, -min(cost, rate.most))

    def wait(self, rate: Rate, caller: str, cost: int = 1) -> float:
        """The number of seconds that `take` would return now. Takes no tokens."""
        cost = min(cost, rate.most)
        key = _key(rate, caller)
        if self._leases.get(key, 0) >= cost:
            return 0.0
        full_at = self._in_redis(rate, lambda client: _full_at(client, key))
        if full_at is None:
            full_at = self._local.get(key, 0.0)
        return grant(rate, full_at, now(), cost, cost).wait

    def forget(self) -> None:
        """Forget the leases and buckets that this process keeps in memory, and that Redis was down."""
        with self._guard:
            self._leases.clear()
            self._local.clear()
            self._away_until = -math.inf

    @property
    def remembered(self) -> int:
        """The number of leases and buckets that this process keeps in memory."""
        return len(self._leases) + len(self._local)

    def _from_lease(self, key: str, cost: int) -> bool:
        with self._guard:
            left = self._leases.get(key, 0)
            if left < cost:
                return False
            self._leases[key] = left - cost
            self._leases.move_to_end(key)
            return True

    def _keep_lease(self, key: str, count: int) -> None:
        with self._guard:
            self._leases[key] = self._leases.get(key, 0) + count
            self._leases.move_to_end(key)
            while len(self._leases) > CALLERS_MAX:
                self._leases.popitem(last=False)

    def _change(self, rate: Rate, key: str, least: int, wanted: int) -> Granted:
        granted = self._in_redis(rate, lambda client: _changed(client, rate, key, least, wanted))
        if granted is not None:
            return granted
        with self._guard:
            granted = grant(rate, self._local.get(key, 0.0), now(), least, wanted)
            self._local[key] = granted.full_at
            self._local.move_to_end(key)
            while len(self._local) > CALLERS_MAX:
                self._local.popitem(last=False)
            return granted

    def _in_redis(self, rate: Rate, ask: Callable[[redis.Redis], Answer]) -> Answer | None:
        """Returns the result of `ask`, which reads or writes in Redis. While Redis is down, returns None, or
        raises RedisError for a strict rate."""
        if time.monotonic() < self._away_until and not rate.strict:
            return None
        try:
            return ask(self.client())
        except RedisError as error:
            self._away_until = time.monotonic() + AWAY_SECONDS
            if rate.strict:
                raise
            logger.warning("%s is counted by this process alone: %r", rate.name, error)
            return None

    def client(self) -> redis.Redis:
        """The client for buckets. It uses the Redis of the site's cache, so that one setting names the
        server."""
        address = settings.CACHES["default"]["LOCATION"]
        with self._guard:
            if address not in self._clients:
                self._clients[address] = redis.Redis.from_url(
                    address, socket_timeout=REDIS_SECONDS_MAX, socket_connect_timeout=REDIS_SECONDS_MAX
                )
            return self._clients[address]


def _changed(client: redis.Redis, rate: Rate, key: str, least: int, wanted: int) -> Granted:
    """Applies `grant` to the number that Redis stores for the bucket. If tokens were granted, stores the new
    number."""
    for _ in range(TRIES_MAX):
        stored: Any = client.get(key)
        at = now()
        granted = grant(rate, float(stored or 0.0), at, least, wanted)
        if granted.count == 0:
            return granted
        keep_ms = max(math.ceil((granted.full_at - at) * 1000), 1)
        if client.eval(COMPARE_AND_SET, 1, key, stored or b"", repr(granted.full_at), keep_ms):
            return granted
    return Granted(0, 0.0, LOST_SECONDS)


def _full_at(client: redis.Redis, key: str) -> float:
    stored: Any = client.get(key)
    return float(stored or 0.0)


def _key(rate: Rate, caller: str) -> str:
    """The bucket's key in Redis. It contains a digest of the caller, because a person's key gives access to what the
    person owns."""
    return f"eosviz:bucket:{rate.name}:{hashlib.sha256(caller.encode()).hexdigest()[:CALLER_CHARACTERS]}"


buckets = Buckets()
