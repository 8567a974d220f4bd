"""Counts the open sockets of a follow link over all web processes. For each link, Redis has one sorted set of
channel names, ordered by the time of their last report.

A socket whose process was killed is not counted any more after `GONE_SECONDS`. While Redis is down no socket
can be opened at all (its channel is in Redis), so nothing is counted.
"""

from __future__ import annotations

import time
import uuid

from django.conf import settings

from eosviz.buckets import buckets
from eosviz.rights import SILENT_SECONDS

GONE_SECONDS = 4 * SILENT_SECONDS
"""Seconds after its last report at which a socket is no longer counted. Each open socket reports every
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
    """Count this socket if the link has room; each further call is a report that keeps it counted. Returns
    whether it is counted. Raises RedisError."""
    at, most = now(), settings.FOLLOWERS_PER_LINK
    taken = buckets.client().eval(
        TAKE, 1, _key(token), at - GONE_SECONDS, channel, at, most, int(GONE_SECONDS)
    )
    return bool(taken)


def leave(token: uuid.UUID, channel: str) -> None:
    """Remove this socket from the count. Raises RedisError."""
    buckets.client().zrem(_key(token), channel)


def _key(token: uuid.UUID) -> str:
    return f"eosviz:seats:{token}"
