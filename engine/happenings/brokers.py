"""Happenings of brokers, except those of their logs: start, producer ids, metadata, rights, coordinators."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row

# -- the broker itself ---------------------------------------------------------------------------------


@happening
class RequestWaitsForStart(Happening):
    broker: str
    client: str


@happening
class StartFailed(Happening):
    broker: str


@happening
class BecameLeader(Aside):
    """A broker became leader of a partition. ``producer_count`` None: this version keeps no producer state."""

    broker: str
    partition: str
    leader_epoch: int
    log_end: int
    high_watermark: int
    producer_count: int | None


@happening
class MetadataAnswered(Happening):
    """A broker answered a Metadata request. ``leaders``: (topic-partition, id of the leading broker)."""

    broker: str
    client: str
    leaders: tuple[tuple[str, int | None], ...]


@happening
class CoordinatorFound(Happening):
    broker: str
    hash: int
    partition: str | None
    leader: str
    client: str
    key: str
    key_type: str
    topic: str


@happening
class RightDenied(Happening):
    broker: str
    operation: str
    resource: str


@happening
class RightGiven(Happening):
    broker: str
    operation: str
    resource: str


# -- producer ids --------------------------------------------------------------------------------------


@happening
class BlockMoved(Happening):
    """A broker's claim of a block of producer ids took a row of its state machine. ``start`` and ``end``: the
    bounds of the block that the broker writes or has claimed; None in other steps. ``latest_end``: the end of
    the newest block, if no further block fits; otherwise None. ``end_max``: the highest end after which a
    further block fits. ``is_checked``: writes are conditional on the version of the ZooKeeper node."""

    broker: str
    path: str
    version: int | None
    start: int | None
    end: int | None
    latest_end: int | None
    end_max: int
    row: Row
    is_checked: bool


@happening
class LateZooKeeperReply(Happening):
    broker: str
    correlation_id: int


@happening
class BlockUsedUp(Happening):
    """A request for a producer id waits for the broker's next block. ``end``: the end of the old block."""

    broker: str
    client: str
    end: int | None


@happening
class NoIdForNextTransaction(Happening):
    """The end of a transaction uses up the epochs, and the broker has no producer id left for the next one."""

    broker: str
    client: str
    transactional_id: str


@happening
class NoProducerIdLeft(Happening):
    broker: str
    client: str


@happening
class ProducerIdIssued(Happening):
    """A broker issued a producer id. ``start`` and ``end``: the bounds of the broker's block."""

    broker: str
    client: str
    producer_id: int
    producer_epoch: int
    start: int
    end: int


# -- requests of transactions --------------------------------------------------------------------------


@happening
class OffsetsOfUnknownPartition(Aside):
    broker: str
    client: str
    partitions: tuple[str, ...]


@happening
class PartitionsNotAdded(Happening):
    """No partition of the request is added to the transaction, because at least one is denied or unknown."""

    broker: str
    client: str
    errors: tuple[tuple[str, Error], ...]


@happening
class OffsetsPartitionJoins(Aside):
    """A request asks that the group's partition of the offsets log is added to the transaction."""

    group: str
    partition: str


# -- hosts of coordinators -----------------------------------------------------------------------------


@happening
class LoadingBegins(Aside):
    """A coordinator reads a partition of the transaction log until ``until`` (virtual ms)."""

    coordinator: str
    partition: str
    coordinator_epoch: int
    until: int


@happening
class LogLoaded(Happening):
    """A coordinator has read a partition of the transaction log, which contains these transactional ids."""

    coordinator: str
    partition: str
    coordinator_epoch: int
    transactional_ids: tuple[str, ...]


@happening
class EmptyLogLoaded(Aside):
    """A coordinator has loaded a log partition that is empty."""

    coordinator: str
    partition: str
    coordinator_epoch: int


@happening
class LogResigned(Aside):
    coordinator: str
    partition: str


class ImageFate(Enum):
    """The result of appending a transactional id's record to the transaction log."""

    NOT_WRITTEN = "image_not_written"
    DURABLE = "image_durable"
    COUNTED_ALONE = "image_counted_alone"
    TOMBSTONE = "tombstone_durable"


@happening
class ImageAppended(Aside):
    """The append of a transactional id's record to the transaction log ended. ``state`` and
    ``producer_epoch``: those of the id from now on; None: the coordinator no longer has the id. ``decided``:
    the record is a decision, which markers follow."""

    coordinator: str
    transactional_id: str
    state: str | None
    producer_epoch: int | None
    error: Error
    became: ImageFate
    decided: bool


@happening
class CompletionNotWritten(Aside):
    coordinator: str
    transactional_id: str
    error: Error


@happening
class MarkersTimedOut(Happening):
    coordinator: str
    broker: str
    timeout: int


@happening
class GroupLoadingBegins(Aside):
    """A coordinator reads a partition of ``__consumer_offsets`` until ``until`` (virtual ms)."""

    broker: str
    partition: str
    until: int


@happening
class GroupsLoaded(Happening):
    """A coordinator has read a partition of ``__consumer_offsets``. ``pending``: the number of offsets that
    wait for the outcome of a transaction."""

    broker: str
    partition: str
    groups: tuple[str, ...]
    pending: int


@happening
class GroupsResigned(Aside):
    broker: str
    partition: str


# -- without ZooKeeper ---------------------------------------------------------------------------------


@happening
class LifecycleMoved(Happening):
    """A broker's lifecycle took a row of its state machine. ``due``: the time of the broker's next timer."""

    broker: str
    broker_epoch: int | None
    metadata_offset: int
    due: int | None
    row: Row


@happening
class AllocationMoved(Happening):
    """A broker's allocation of producer ids took a row of its state machine. ``next_id`` and ``end``: the next id,
    and the end of the block. ``next_start`` and ``next_end``: the bounds of a block that was received and from
    which no id was issued yet; the broker's first block is such a block, too. ``error``: the error of the newest
    refusal. ``not_before``: the virtual ms before which the broker does not ask again."""

    broker: str
    next_id: int | None
    end: int | None
    next_start: int | None
    next_end: int | None
    error: Error
    not_before: int
    row: Row


@happening
class NoIdYet(Happening):
    """A request is answered with COORDINATOR_LOAD_IN_PROGRESS, because the broker has no id left and waits
    for a block. ``state``: the state of the allocation."""

    broker: str
    client: str
    state: str


@happening
class LateControllerAnswer(Happening):
    broker: str
    api: str
    correlation_id: int


@happening
class MetadataRead(Happening):
    """A broker applied the records of the metadata log from ``start`` up to ``end`` (exclusive). ``records``:
    (kind, subject) of the newest records, in order."""

    broker: str
    start: int
    end: int
    records: tuple[tuple[str, str], ...]
