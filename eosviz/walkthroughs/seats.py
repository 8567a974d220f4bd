"""How many sockets a follow link has open, at all web processes together: one sorted set a link in Redis, of channel
names by when each was last there. A socket whose process was killed is not counted after `GONE_SECONDS`.

While Redis is away no socket can be opened at all (its channel is there), so nothing is counted then.
"""

from __future__ import annotations

import time
import uuid

from django.conf import settings

from eosviz.buckets import buckets
from eosviz.rights import SILENT_SECONDS

GONE_SECONDS = 4 * SILENT_SECONDS
"""A socket says that it is there every `SILENT_SECONDS`."""

TAKE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if not redis.call('ZSCORE', KEYS[1], ARGV[2]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
"""

now = time.time


def take(token: uuid.UUID, channel: str) -> bool:
    """Whether this socket may be one of the link's; asked again it stays one. Raises RedisError."""
    at, most = now(), settings.FOLLOWERS_PER_LINK
    taken = buckets.client().eval(
        TAKE, 1, _key(token), at - GONE_SECONDS, channel, at, most, int(GONE_SECONDS)
    )
    return bool(taken)


def leave(token: uuid.UUID, channel: str) -> None:
    """Raises RedisError."""
    buckets.client().zrem(_key(token), channel)


def _key(token: uuid.UUID) -> str:
    return f"eosviz:seats:{token}"
