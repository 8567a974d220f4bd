"""Where everything of a run has its place, and the beats in which it is told; docs/frame.md, *Plan*."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from engine.shapes.words import Bilingual, JsonObject


class PlannedClient(TypedDict):
    """A producer client's place."""

    name: str
    applications: list[str]
    transactional_id: str | None
    partitions: list[str]
    """Those that it ever has a batch for."""


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
    """What opened it: the kind by which an author names it. Not in what an earlier version kept."""
    title: NotRequired[Bilingual]
    """An author's own name for it."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """Where a run is long; `lines` is empty then."""


class Plan(PlannedPlaces):
    """The plan of a run."""

    steps: int
    """Steps that the run ahead made."""
    complete: bool
    """False: its bound was reached, the run goes on."""
    beats: list[Beat]
