"""Counts the open sockets of a follow link in all web processes. Redis has one sorted set for each link: the
names of the channels, ordered by the time of their last report.

A socket whose process was killed is no longer counted after `GONE_SECONDS`. While Redis is down, no socket
can be opened (its channel is in Redis), so nothing is counted.
"""

from __future__ import annotations

import time
import uuid

from django.conf import settings

from eosviz.buckets import buckets
from eosviz.rights import SILENT_SECONDS

GONE_SECONDS = 4 * SILENT_SECONDS
"""A socket is no longer counted this many seconds after its last report. Each open socket reports every
`SILENT_SECONDS`."""

TAKE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if not redis.call('ZSCORE', KEYS[1], ARGV[2]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
"""

now = time.time


def take(token: uuid.UUID, channel: str) -> bool:
    """Counts this socket if the link does not have too many. Each further call is a report, after which the
    socket stays counted. Returns whether the socket is counted. Raises RedisError."""
    at, most = now(), settings.FOLLOWERS_PER_LINK
    taken = buckets.client().eval(
        TAKE, 1, _key(token), at - GONE_SECONDS, channel, at, most, int(GONE_SECONDS)
    )
    return bool(taken)


def leave(token: uuid.UUID, channel: str) -> None:
    """Stops counting this socket. Raises RedisError."""
    buckets.client().zrem(_key(token), channel)


def _key(token: uuid.UUID) -> str:
    return f"eosviz:seats:{token}"
