"""Where everything that a run draws has its place, and the beats of the run; docs/frame.md, *Plan*."""

from __future__ import annotations

from typing import NotRequired, TypeAlias, TypedDict

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
    """A leader refuses a batch for this partition during the run; absent if none does."""


class PlannedConsumer(TypedDict):
    """A consumer's place."""

    name: str
    isolation: str
    lanes: list[str]


class PlannedMiddleware(TypedDict):
    """The places of the middleware's nodes."""

    roles: list[str]
    participants: list[str]


class PassedState(TypedDict):
    """A state that a transaction has in the run."""

    state: str
    since: int
    """The step in which the transaction first reaches it; 0 for the state in which it begins."""


Ways: TypeAlias = dict[str, dict[str, list[PassedState]]]
"""Node (`middleware`, `business`) to transaction to its states, each once, in the order in which it reaches them."""


class PlannedService(TypedDict):
    """The place of a service, with the clients of its process."""

    name: str
    acts: list[str]
    producer: str | None
    consumer: str | None


class PlannedPlaces(TypedDict):
    """All places, in the order of first appearance."""

    hues: dict[str, int]
    """Producer id to its number in the order of first appearance: 0, 1, 2, …"""
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
    """The beat's number within its level, from 1."""
    first: int
    """The number of the first step; `last` is that of the last one."""
    last: int
    lands: int
    """The step that a reader sees after choosing this beat."""
    key: str
    """The catalogue key of the title."""
    params: JsonObject
    kind: NotRequired[str]
    """The kind of the step that opened the beat; authors use it to name beats. Absent in plans of earlier
    versions."""
    title: NotRequired[Bilingual]
    """The author's own name for the beat."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """The beats inside it, in a long run; `lines` is then empty."""


class Words(TypedDict):
    """A sentence of the catalogue, or a part of a sentence."""

    key: str
    params: JsonObject


class HeldBack(TypedDict):
    """The longest time for which a partition held back records that were replicated, because they were at or
    above its last stable offset."""

    ms: int
    partition: str
    """Empty when no record was held back."""
    released: bool
    """False when the records are still held back at the end of the run."""


class Readable(TypedDict):
    """How far read_committed consumers can get the records of a partition, except aborted ones."""

    at: int | None
    """The virtual time, in ms, from which they can get the last record; null: not before the end of the run."""
    hidden: int
    """The number of records that they cannot get at the end of the run."""


class Outcome(TypedDict):
    """The end of a run, in numbers that an intervention may change."""

    time: int
    """The virtual time of the last step, in milliseconds."""
    messages: int
    retries: int
    duplicates: int
    """The number of such records; the same for the next three fields."""
    lost: int
    failed: int
    reordered: int
    batches: str
    """A digest of the batches that consumers may get (empty: none). The next fields are digests of the
    records in them, and of the outcomes at the middleware's participants."""
    records: str
    nodes: str
    undelivered: NotRequired[int]
    """The number of messages that were dropped, or did not reach a node that is down. Absent in plans of earlier
    versions, as are the next two fields."""
    reserved: NotRequired[list[str]]
    """The participants that hold a reservation at the end of the run."""
    ends: NotRequired[dict[str, str]]
    """Transaction of the middleware to its last state there."""
    stored: NotRequired[str]
    """Digests of all records in the logs, including aborted ones, and of the records with their outcomes."""
    outcomes: NotRequired[str]
    markers: NotRequired[int]
    """Number of transaction markers in the logs."""
    held: NotRequired[HeldBack]
    """Absent in plans of earlier versions, as are the next four fields."""
    committed: NotRequired[int]
    """The number of transactions for which the coordinator wrote CompleteCommit; `aborted`: CompleteAbort."""
    aborted: NotRequired[int]
    aborted_records: NotRequired[int]
    """The number of records in the logs that belong to aborted transactions."""
    readable: NotRequired[dict[str, Readable]]
    """Partition to how far consumers can get its records. Partitions without records that can be read are
    left out."""
    hanging: NotRequired[int]
    """The number of transactions that hang at the end."""
    by_hand: NotRequired[int]
    """The number of transactions that ``kafka-transactions.sh`` aborted. Absent in plans of earlier versions."""


class Cost(TypedDict):
    """The interventions of a run, and their effect compared with the scenario's run."""

    what: Words
    """The intervention, as the subject of a sentence."""
    dearer: bool
    """True if the run with interventions needed more time, retries or messages, and of none of them less."""
    costs: list[Words]
    kept: list[Words]
    """Which transactions ended otherwise, which records stay hidden or are readable later, and how many more or fewer
    records were duplicated, lost, failed or reordered. If there is no difference in the latter: the first other
    difference between both ends, or that there is none."""


class Plan(PlannedPlaces):
    """The plan of a run."""

    steps: int
    """How many steps were made to compute the plan."""
    complete: bool
    """False if the run is longer than the plan, or an error or a refused intervention ended the computation."""
    beats: list[Beat]
    stands: NotRequired[PlannedPlaces]
    """Only for a run of brokers with interventions: the places of the run without them, so that these need not move."""
    passed: NotRequired[Ways]
    """Node (`middleware`, `business`) to transaction to the states that it has in this run, each once, in the order in
    which it reaches them. Absent in runs without transactions of the middleware and in plans of earlier versions."""
    outcome: NotRequired[Outcome]
    """The end of the run without interventions. The plan of a run with interventions has it, too. Absent in
    plans of earlier versions, and when that end is not known."""
    end: NotRequired[Outcome]
    """The end of a run with interventions. Present whenever ``cost`` is, except in plans of earlier versions."""
    cost: NotRequired[Cost]
    """Only for a run with interventions that has ended, if the end without them is known."""
