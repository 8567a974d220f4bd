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
    """The partitions to which it sends a batch during the run."""


class PlannedBroker(TypedDict):
    """A broker's place."""

    name: str
    lanes: list[str]
    """Every data partition that it leads during the run."""
    transactional_ids: list[str]
    """Every transactional id and every group that it coordinates during the run."""
    groups: list[str]


class PlannedLane(TypedDict):
    """A partition's place."""

    first: int
    """The lowest offset that is shown during the run."""
    end: int
    """The highest log end."""
    internal: bool
    leaders: list[int]
    """Broker ids, in order."""
    refuses: NotRequired[bool]
    """A leader refuses a batch for it during the run; absent if none does."""


class PlannedConsumer(TypedDict):
    """A consumer's place."""

    name: str
    isolation: str
    lanes: list[str]


class PlannedMiddleware(TypedDict):
    """The places of the middleware's nodes."""

    roles: list[str]
    participants: list[str]


class PlannedService(TypedDict):
    """The place of a service, with the clients of its process."""

    name: str
    acts: list[str]
    producer: str | None
    consumer: str | None


class PlannedPlaces(TypedDict):
    """All places, in the order of first appearance."""

    hues: dict[str, int]
    """Producer id to the order of its first appearance: 0, 1, 2, …"""
    clients: list[PlannedClient]
    brokers: list[PlannedBroker]
    lanes: dict[str, PlannedLane]
    consumers: list[PlannedConsumer]
    controller: bool
    """Whether the controller or ZooKeeper acts in this run."""
    tool: NotRequired[bool]
    """Whether an operator runs ``kafka-transactions.sh`` in this run; absent if none does."""
    middleware: PlannedMiddleware | None
    services: NotRequired[list[PlannedService]]
    """Present in a run with a database, which has a place of its own, too."""


class BeatLine(TypedDict):
    """A step with its own sentence (`key` null), or several adjacent steps that are counted and named by
    their purpose."""

    first: int
    last: int
    key: str | None
    params: JsonObject


class Beat(TypedDict):
    """A chapter of the run."""

    number: int
    """From 1, within its level."""
    first: int
    """Numbers of the first and the last step."""
    last: int
    lands: int
    """The step that a reader sees after choosing this beat."""
    key: str
    """Key of the title in the catalogue."""
    params: JsonObject
    kind: NotRequired[str]
    """The kind of the step that opened it; authors use it to name beats. Absent in plans of earlier versions."""
    title: NotRequired[Bilingual]
    """The author's own name for it."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """The beats inside it, in a long run; `lines` is then empty."""


class Words(TypedDict):
    """A sentence of the catalogue, or a part of a sentence."""

    key: str
    params: JsonObject


class HeldBack(TypedDict):
    """The longest time for which a partition had replicated records at or above its last stable offset."""

    ms: int
    partition: str
    """Empty: no record was held back."""
    released: bool
    """False: the records are still held back when the run ends."""


class Outcome(TypedDict):
    """The end of a run, as numbers that an intervention may change."""

    time: int
    """Virtual milliseconds at its last step."""
    messages: int
    retries: int
    duplicates: int
    """Number of records, as in the next three fields."""
    lost: int
    failed: int
    reordered: int
    batches: str
    """Digests of the batches that consumers may get (empty: none), of their records, and of the outcomes at
    the middleware's participants."""
    records: str
    nodes: str
    stored: NotRequired[str]
    """Digests of all records in the logs, including aborted ones, and of the records with their outcomes."""
    outcomes: NotRequired[str]
    markers: NotRequired[int]
    """Number of transaction markers in the logs."""
    held: NotRequired[HeldBack]
    """Absent in plans of earlier versions."""


class Cost(TypedDict):
    """The interventions of a run, and their effect compared with the scenario's run."""

    what: Words
    """The intervention, as the subject of a sentence."""
    dearer: bool
    """The run with interventions needed more of something and less of nothing."""
    costs: list[Words]
    kept: list[Words]
    """How many more or fewer records have each fate; if none, the first other difference, or that there is none."""


class Plan(PlannedPlaces):
    """The plan of a run."""

    steps: int
    """Number of steps that were made to compute the plan."""
    complete: bool
    """False: the run is longer than the plan, or an error or a refused intervention ended the run ahead."""
    beats: list[Beat]
    outcome: NotRequired[Outcome]
    """The end of the run without interventions, also in the plan of a run that has some. Absent in plans of earlier
    versions, and when that end is not known."""
    cost: NotRequired[Cost]
    """Present for a run with interventions that has ended, if the end without them is known."""
