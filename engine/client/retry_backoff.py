"""How long a batch waits before it is resent: two strategies. The version chooses one (ACC-9, SND-10)."""

from __future__ import annotations

from typing import Protocol

MAX_MS = 1_000
"""The default of ``retry.backoff.max.ms``."""


class RetryBackoff(Protocol):
    def of(self, attempts: int, base_ms: int) -> int:
        """Milliseconds between the newest attempt and the next one. ``attempts``: how often the batch was
        requeued, at least 1. ``base_ms``: ``retry.backoff.ms``."""
        ...


class Fixed:
    __slots__ = ()

    def of(self, attempts: int, base_ms: int) -> int:
        return base_ms


class Growing:
    """The backoff doubles with each attempt, up to ``MAX_MS`` (KIP-580, since 3.7). Kafka's jitter of 20 % is
    left out."""

    __slots__ = ()

    def of(self, attempts: int, base_ms: int) -> int:
        return min(base_ms << min(attempts - 1, 20), MAX_MS)


FIXED, GROWING = Fixed(), Growing()
