"""A partition and its logs in a view; docs/frame.md, *View*."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

CachedBatch = tuple[int, int, int, int, int]
"""A cached batch of a producer: first sequence, last sequence, first offset, last offset (all inclusive), timestamp.
The oldest batch of the cache comes first."""
AbortedEntry = tuple[int, int, int, int]
"""An entry of the index of aborted transactions: producer id, first offset, marker offset, and the last stable offset
when the marker was appended."""


class ContentView(TypedDict):
    """The records of a batch: for internal topics, and for batches from which compaction removed some."""

    keys: list[Any]
    values: list[Any]
    offset_deltas: list[int] | None


class LogBatchView(TypedDict):
    """A batch in a replica's log."""

    base_offset: int
    last_offset: int
    record_count: int
    producer_id: int | str | None
    """A text when it is too large for a JSON number."""
    producer_epoch: int | None
    first_sequence: int | None
    last_sequence: int | None
    transactional: bool
    control: str | None
    coordinator_epoch: int
    leader_epoch: int
    serials: list[int]
    appended_at: int
    size: int
    outcome: NotRequired[str]
    """Only for a transaction's batch: `open`, `committed` or `aborted`. In a log case also `ended`: the
    transaction has ended, but its outcome is unknown."""
    content: NotRequired[ContentView]
    codec: NotRequired[str]
    """Only in a log case: the compression codec."""
    damaged: NotRequired[bool]


class WaitingAppendView(TypedDict):
    """An append with acks=all that is not replicated yet."""

    partition: str
    until_offset: int
    client: str
    deadline: int


class ProducerStateView(TypedDict):
    """The state of one producer in a replica's log."""

    producer_epoch: int
    coordinator_epoch: int
    last_timestamp: int | None
    transaction_first_offset: int | None
    batches: list[CachedBatch]


class LogPointers(TypedDict):
    """A log's offsets. `segments`: the base offset of each segment."""

    log_start: int
    log_end: int
    high_watermark: int
    last_stable_offset: int
    segments: list[int]


class ReplicaView(LogPointers):
    """A replica of a partition. `aborted_index` lists the newest lines of its index of aborted transactions;
    `aborted_folded` counts the others."""

    waiting: list[WaitingAppendView]
    batches: NotRequired[dict[str, LogBatchView]]
    """Dict of base offset → batch."""
    aborted_index: NotRequired[list[AbortedEntry]]
    """Absent in a log case, like the next field."""
    aborted_folded: NotRequired[int]
    producers: NotRequired[dict[str, ProducerStateView]]


class PartitionView(TypedDict):
    """A partition, as the controller knows it, and its replicas."""

    leader: int | None
    leader_epoch: int
    isr: list[int]
    replica_order: list[int]
    min_isr: int
    deleted: bool
    record_version: NotRequired[int]
    """Kafka's *message format*; absent when it is 2."""
    partition_epoch: NotRequired[int]
    """Increases with every change of the leader or of the in-sync replicas; only with KRaft."""
    replicas: NotRequired[dict[str, ReplicaView]]
    """Dict of broker id → replica; a log case has its file under 0."""
