"""The place of everything that a run draws, and its beats; docs/frame.md, *Plan*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.words import Bilingual, JsonObject


class PlannedClient(TypedDict):
    """A producer client's place."""

    name: str
    applications: list[str]
    transactional_id: str | None
    partitions: list[str]
    """The partitions to which it ever sends a batch."""


class PlannedBroker(TypedDict):
    """A broker's place."""

    name: str
    lanes: list[str]
    """Every data partition that it ever leads."""
    transactional_ids: list[str]
    """Every id, and every group, that it ever coordinates."""
    groups: list[str]


class PlannedLane(TypedDict):
    """A partition's place."""

    first: int
    """The first offset that is ever shown."""
    end: int
    """The furthest log end."""
    internal: bool
    leaders: list[int]
    """Broker ids, in order."""


class PlannedConsumer(TypedDict):
    """A consumer's place."""

    name: str
    isolation: str
    lanes: list[str]


class PlannedMiddleware(TypedDict):
    """The places of the middleware's nodes."""

    roles: list[str]
    participants: list[str]


class PlannedPlaces(TypedDict):
    """Where everything has its place, in the order of first appearance."""

    hues: dict[str, int]
    """Producer id to the order of its first appearance: 0, 1, 2, …"""
    clients: list[PlannedClient]
    brokers: list[PlannedBroker]
    lanes: dict[str, PlannedLane]
    consumers: list[PlannedConsumer]
    controller: bool
    """The controller or ZooKeeper acts in this run."""
    middleware: PlannedMiddleware | None


class BeatLine(TypedDict):
    """A step that speaks for itself (`key` null), or neighbours that are counted and named by what they are for."""

    first: int
    last: int
    key: str | None
    params: JsonObject


class Beat(TypedDict):
    """A chapter of the run."""

    number: int
    """From 1, on its own level."""
    first: int
    """Steps, inclusive."""
    last: int
    lands: int
    """The step where a reader is set down."""
    key: str
    """The title, in the catalogue."""
    params: JsonObject
    kind: NotRequired[str]
    """The kind of the step that opened it, by which an author names it. Absent in plans of earlier versions."""
    title: NotRequired[Bilingual]
    """An author's own name for it."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """Where a run is long; `lines` is empty then."""


class Words(TypedDict):
    """A sentence of the catalogue, or a part of one."""

    key: str
    params: JsonObject


class HeldBack(TypedDict):
    """The longest time for which replicated records were at or behind a last stable offset."""

    ms: int
    partition: str
    """Empty: there was no such time."""
    released: bool
    """False: they are when the run ends."""


class Outcome(TypedDict):
    """The end of a run in the numbers that an intervention may change."""

    time: int
    """Virtual milliseconds at its last step."""
    messages: int
    retries: int
    duplicates: int
    """Records, as the next three."""
    lost: int
    failed: int
    reordered: int
    batches: str
    """Digests: of the batches that consumers may get, empty for none; of their records; of the outcomes at the
    middleware's participants."""
    records: str
    nodes: str
    stored: NotRequired[str]
    """Digests: of all records in the logs, aborted ones too; of them with their outcomes."""
    outcomes: NotRequired[str]
    markers: NotRequired[int]
    """Transaction markers in the logs."""
    held: NotRequired[HeldBack]
    """Absent in plans of earlier versions."""


class Cost(TypedDict):
    """The interventions of a run, and their effect compared with the scenario's run."""

    what: Words
    """The intervention, as the subject of a sentence."""
    dearer: bool
    """It took more of something and less of nothing."""
    costs: list[Words]
    kept: list[Words]
    """The fates of the records."""


class Plan(PlannedPlaces):
    """The plan of a run."""

    steps: int
    """Steps that the run ahead made."""
    complete: bool
    """False: its bound was reached, the run goes on."""
    beats: list[Beat]
    outcome: NotRequired[Outcome]
    """How the run ended: the scenario's run, or the run with interventions where its end is known. Absent in plans
    of earlier versions and while the run goes on."""
    cost: NotRequired[Cost]
    """Present for a run with interventions."""
