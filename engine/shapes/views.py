"""The state after a step; docs/frame.md, *View*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.brokers import BrokerView, QuorumView, ZooKeeperView
from engine.shapes.clients import ApplicationView, ClientView, RecordView
from engine.shapes.database import DatabaseView, ServiceView
from engine.shapes.logs import PartitionView
from engine.shapes.middleware import MiddlewareView
from engine.shapes.readers import ConsumerView
from engine.shapes.tool import ToolView
from engine.shapes.words import JsonObject

_FromTo = TypedDict("_FromTo", {"from": str, "to": str})
_ClassOfEvent = TypedDict("_ClassOfEvent", {"class": str})


class MessageView(_FromTo):
    """A message in flight."""

    id: int
    api: str
    is_response: bool
    sent_at: int
    arrives_at: int | None
    correlation_id: int
    partitions: list[str]
    fields: JsonObject
    error: str | None
    held: bool
    connection: NotRequired[str]
    """The purpose of the message's connection, if that is ``group``, ``markers`` or ``verification``
    (GEN-11)."""
    connection_ended: NotRequired[bool]
    """The broker handles the request although its connection has ended; the response will be dropped (GEN-11)."""
    waits_behind: NotRequired[int]
    """For a request that has arrived and waits: the number of the previous request on the same connection,
    which the broker has not answered yet (GEN-11)."""


class NetworkView(TypedDict):
    """The messages in flight."""

    messages: NotRequired[dict[str, MessageView]]


class PendingView(_ClassOfEvent):
    """A queued event."""

    at: int
    actor: str
    what: str


class FaultView(TypedDict):
    """An entry of the scenario's fault script."""

    action: str
    at: NotRequired[int | None]
    api: NotRequired[str | None]
    response: NotRequired[bool]
    seen: int
    remaining: int | None


class GuaranteeView(TypedDict):
    """The status of a guarantee. In a log case, `judged` is false and the other fields are absent."""

    judged: bool
    count: NotRequired[int]
    """How many records, producers or transactions broke it; the other fields describe the first violation."""
    broken_at: NotRequired[int | None]
    partition: NotRequired[str | None]
    serials: NotRequired[list[int]]


class VerdictView(TypedDict):
    """The counts of a partition's records."""

    stored: int
    aborted: NotRequired[int]
    """How many of the stored records are in aborted transactions; absent in recordings of earlier releases."""
    duplicates: int
    lost: int
    failed: int
    reordered: int


class View(TypedDict):
    """The state after a step. A log case has only the time, partitions and guarantees; with files of an
    internal topic also brokers, and in its previews also consumers."""

    time: int
    applications: NotRequired[dict[str, ApplicationView]]
    records: NotRequired[dict[str, RecordView]]
    """Dict of serial → record."""
    clients: NotRequired[dict[str, ClientView]]
    consumers: NotRequired[dict[str, ConsumerView]]
    brokers: NotRequired[dict[str, BrokerView]]
    """Dict of broker id → broker."""
    partitions: NotRequired[dict[str, PartitionView]]
    middleware: NotRequired[MiddlewareView]
    database: NotRequired[DatabaseView]
    """Present only in runs with services."""
    services: NotRequired[dict[str, ServiceView]]
    zookeeper: NotRequired[ZooKeeperView]
    quorum: NotRequired[QuorumView]
    """Present only in runs without ZooKeeper."""
    tool: NotRequired[ToolView]
    """``kafka-transactions.sh``, from its first command on."""
    network: NotRequired[NetworkView]
    pending: NotRequired[dict[str, PendingView]]
    faults: NotRequired[dict[str, FaultView]]
    guarantees: NotRequired[dict[str, GuaranteeView]]
    verdicts: NotRequired[dict[str, VerdictView]]
    counters: NotRequired[dict[str, int]]
    """An operator's counters since the beginning of the run; absent while all are 0."""
