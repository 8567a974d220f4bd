"""The control requests of a producer: the purpose of each, its place in the queue, and the call that waits
for it (TXM-9).

This module only describes the requests. The Sender decides when one is sent; ``control_reactions`` has the
reactions to its response.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Cause
from engine.messages import NO_MEMBER, CommittedOffset, Membership

TRANSACTION, GROUP = "TRANSACTION", "GROUP"
"""The two kinds of coordinator (FND-1)."""
FIND, INIT, BUMP = "FindCoordinator", "InitProducerId", "EpochBump"
ADD_PARTITIONS, ADD_OFFSETS = "AddPartitionsToTxn", "AddOffsetsToTxn"
COMMIT_OFFSETS, END = "TxnOffsetCommit", "EndTxn"
PRIORITIES = {FIND: 0, INIT: 1, ADD_PARTITIONS: 2, ADD_OFFSETS: 2, COMMIT_OFFSETS: 2, END: 3, BUMP: 4}
"""Dict of request → its priority in the queue; the lowest number is sent first (TXM-9). ``EpochBump`` is an
InitProducerId with the current identity."""


class Result:
    """The result of an application's call. A completed result without ``error`` is a success. ``unexpected``:
    whether the application gets a KafkaException that wraps ``error``."""

    __slots__ = ("acknowledged", "completed", "error", "unexpected")

    def __init__(self) -> None:
        self.completed = False
        self.acknowledged = False
        """Whether the application's call has returned or thrown with this result."""
        self.error: Cause | None = None
        self.unexpected = False

    def done(self) -> None:
        self.completed = True

    def fail(self, error: Cause, unexpected: bool) -> None:
        """Complete with an error. A later error replaces an earlier one, as in Kafka."""
        self.completed, self.error, self.unexpected = True, error, unexpected


@dataclass(slots=True)
class PendingRequest:
    """A control request, queued or in flight. ``is_retry``: whether the Sender sleeps for ``backoff_ms``
    before it sends the request (None: for ``retry_backoff_ms``; SND-5). ``coordinator``: the kind of
    coordinator that the request goes to; None: any broker. ``key``: the transactional id or group of that
    coordinator. ``offsets``: the offsets to commit after AddOffsetsToTxn (OFS-1)."""

    api: str
    body: object
    priority: int
    is_retry: bool = False
    coordinator: str | None = None
    key: str = ""
    result: Result | None = None
    backoff_ms: int | None = None
    offsets: dict[str, CommittedOffset] | None = None
    member: Membership = NO_MEMBER
    """The group member on whose behalf the offsets are committed (KIP-447)."""

    @property
    def is_bump(self) -> bool:
        return self.priority == PRIORITIES[BUMP]
