"""When a batch has waited too long: two ways to count, each a strategy that a version chooses (ACC-19, ACC-21)."""

from __future__ import annotations

from typing import Protocol

from engine.client.batch import Batch


class Waits(Protocol):
    """The settings that an expiry goes by."""

    @property
    def batch_expiry_ms(self) -> int: ...

    @property
    def linger_ms(self) -> int: ...

    @property
    def retry_backoff_ms(self) -> int: ...


class Expiry(Protocol):
    """``everywhere``: batches in flight, and those of muted partitions, expire too."""

    @property
    def everywhere(self) -> bool: ...

    def expires_at(self, head: Batch, last: bool, settings: Waits) -> int:
        """The first moment at which the head of a queue expires. ``last``: no batch is queued behind it."""
        ...

    def counted_from(self, batch: Batch, settings: Waits) -> int:
        """Since when an expired batch has waited."""
        ...

    def ends_retries(self, batch: Batch, settings: Waits, now: int) -> bool:
        """The batch is not sent again, whatever its answer allows."""
        ...


class SinceCreation:
    """By the age of the batch alone (since 2.1, KIP-91)."""

    __slots__ = ()
    everywhere = True

    def expires_at(self, head: Batch, last: bool, settings: Waits) -> int:
        return head.created_at + settings.batch_expiry_ms

    def counted_from(self, batch: Batch, settings: Waits) -> int:
        return batch.created_at

    def ends_retries(self, batch: Batch, settings: Waits, now: int) -> bool:
        return now - batch.created_at >= settings.batch_expiry_ms


class WhileQueued:
    """By how long the batch could have left: after its linger, its backoff, or since it was full."""

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
