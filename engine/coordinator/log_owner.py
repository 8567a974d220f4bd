"""Keeps track of the partitions of an internal topic that this broker leads, for either coordinator (FND-7).

Owns the partitions with their coordinator epochs, the partitions that are still being read, and the appends
that have not ended. A subclass keeps the state of a partition's keys (transactional ids or groups), and
removes it in ``forget``.
"""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from engine.errors import NO_ERROR, Error
from engine.java_hash import partition_for

Writing = TypeVar("Writing")

APPEND_ERRORS: dict[Error, Error] = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
    Error.KAFKA_STORAGE_ERROR: Error.NOT_COORDINATOR,
}
"""Dict of error of a failed append → error that the client gets, for both coordinators. Other errors are
passed on."""


class LogOwner(Generic[Writing]):
    """The log partitions of one coordinator. ``partition_count``: the number of partitions of the internal topic."""

    append_errors: ClassVar[dict[Error, Error]] = APPEND_ERRORS

    def __init__(self, partition_count: int) -> None:
        self.partition_count = partition_count
        self.owned: dict[int, int] = {}
        """Dict of log partition → coordinator epoch."""
        self.loading: dict[int, tuple[int, int]] = {}
        """Dict of log partition → (coordinator epoch, time in ms at which its reading ends)."""
        self._writing: dict[int, Writing] = {}
        self._token = 0

    def partition_of(self, key: str) -> int:
        return partition_for(key, self.partition_count)

    def lookup(self, key: str) -> Error:
        """The error for a request about this transactional id or group; NONE when this broker coordinates it
        (TXC-6, OFS-2)."""
        partition = self.partition_of(key)
        if partition in self.loading:
            return Error.COORDINATOR_LOAD_IN_PROGRESS
        return NO_ERROR if partition in self.owned else Error.NOT_COORDINATOR

    def epoch_of(self, key: str) -> int:
        return self.owned[self.partition_of(key)]

    def resign(self, partition: int) -> None:
        """Stop serving a log partition, and forget the state of its keys, which may be read from the log again
        (TXC-22)."""
        self.owned.pop(partition, None)
        self.loading.pop(partition, None)
        self.forget(partition)

    def begin_loading(self, partition: int, epoch: int = 0, due: int = 0) -> None:
        """Begin to read a log partition of which this broker was elected leader, under ``epoch``. The reading
        ends at ``due`` (virtual ms; TXC-22)."""
        self.resign(partition)
        self.loading[partition] = (epoch, due)

    def next_loading(self) -> int | None:
        """The time in ms at which the next log partition has been read; None: none is being read."""
        return min(due for _, due in self.loading.values()) if self.loading else None

    def own(self, partition: int, epoch: int) -> None:
        """Serve the partition's keys from now on, because its log was read."""
        self.resign(partition)
        self.owned[partition] = epoch

    def forget(self, partition: int) -> None:
        """Forget the state of the partition's keys."""
        raise NotImplementedError

    def begin_write(self, writing: Writing) -> int:
        """Note that an append begins. Returns the token that identifies it when it ends."""
        self._token += 1
        self._writing[self._token] = writing
        return self._token

    def end_write(self, token: int, error: Error) -> tuple[Writing, Error]:
        """Note that an append has ended. Returns the object that ``begin_write`` got, and the error for the
        client (TXC-5)."""
        return self._writing.pop(token), self.append_errors.get(error, error)

    def crash(self) -> None:
        """Everything in memory is lost; the broker's log stays."""
        self.owned.clear()
        self.loading.clear()
        self._writing.clear()
