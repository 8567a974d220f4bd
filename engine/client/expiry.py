"""When a batch expires: two strategies. The version chooses one (ACC-19, ACC-21)."""

from __future__ import annotations

from typing import Protocol

from engine.client.batch import Batch


class Waits(Protocol):
    """The settings that an expiry depends on."""

    @property
    def batch_expiry_ms(self) -> int: ...

    @property
    def linger_ms(self) -> int: ...

    @property
    def retry_backoff_ms(self) -> int: ...


class Expiry(Protocol):
    """A strategy that decides when batches expire. ``everywhere``: whether batches in flight and batches of
    muted partitions expire, too."""

    @property
    def everywhere(self) -> bool: ...

    def expires_at(self, head: Batch, last: bool, settings: Waits) -> int:
        """When this head of a queue expires (virtual ms). ``last``: whether no batch is queued behind it."""
        ...

    def counted_from(self, batch: Batch, settings: Waits) -> int:
        """The time from which the age of an expired batch is counted (virtual ms)."""
        ...

    def ends_retries(self, batch: Batch, settings: Waits, now: int) -> bool:
        """Whether the batch is too old to be resent, even after a retriable error."""
        ...


class SinceCreation:
    """A batch expires by its age alone (since 2.1, KIP-91)."""

    __slots__ = ()
    everywhere = True

    def expires_at(self, head: Batch, last: bool, settings: Waits) -> int:
        return head.created_at + settings.batch_expiry_ms

    def counted_from(self, batch: Batch, settings: Waits) -> int:
        return batch.created_at

    def ends_retries(self, batch: Batch, settings: Waits, now: int) -> bool:
        return now - batch.created_at >= settings.batch_expiry_ms


class WhileQueued:
    """A batch expires when it has been ready to be sent for too long (before 2.1)."""

    __slots__ = ()
    everywhere = False

    def expires_at(self, head: Batch, last: bool, settings: Waits) -> int:
        limit = settings.batch_expiry_ms
        if head.attempts:
            return head.last_attempt_at + settings.retry_backoff_ms + limit + 1
        by_age = head.created_at + settings.linger_ms + limit + 1
        if head.full or not last:
            return min(by_age, head.last_append_at + limit + 1)
        return by_age

    def counted_from(self, batch: Batch, settings: Waits) -> int:
        return batch.last_attempt_at + settings.retry_backoff_ms if batch.attempts else batch.created_at

    def ends_retries(self, batch: Batch, settings: Waits, now: int) -> bool:
        return False


SINCE_CREATION, WHILE_QUEUED = SinceCreation(), WhileQueued()
