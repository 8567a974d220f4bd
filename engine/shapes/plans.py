"""The plan of a run: places and beats; docs/frame.md, *Plan*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from engine.shapes.words import Bilingual, JsonObject


class PlannedClient(TypedDict):
    """A producer client's place."""

    name: str
    applications: list[str]
    transactional_id: str | None
    partitions: list[str]
    """The partitions to which the client sends a batch during the run."""


class PlannedBroker(TypedDict):
    """A broker's place."""

    name: str
    lanes: list[str]
    """Every data partition that the broker leads during the run."""
    transactional_ids: list[str]
    """Every transactional id that the broker coordinates during the run; `groups`: every consumer group."""
    groups: list[str]


class PlannedLane(TypedDict):
    """A partition's place."""

    first: int
    """The lowest offset that is shown during the run."""
    end: int
    """The highest log end offset during the run."""
    internal: bool
    leaders: list[int]
    """Ids of the brokers that lead the partition, in the order in which they first do so."""
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
"""Node (`middleware`, `business`) to transaction to its states. Each state is listed once, in the order in
which the transaction reaches them."""


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
    """One step, which has its own sentence (`key` null), or several adjacent steps. `key` and `params` then
    make a sentence that counts the steps and names their purpose."""

    first: int
    last: int
    key: str | None
    params: JsonObject


class AlsoDone(TypedDict):
    """A further step that a beat's title is about, besides the one in which the beat lands. `names`: the
    partitions or actors that this step is about."""

    step: int
    names: list[str]


class Passed(TypedDict):
    """Something that opens no beat, and happens between the step that a reader sees in the beat before and the one of
    this beat. `key` and `params`: its title."""

    step: int
    key: str
    params: JsonObject
    lesser: NotRequired[bool]
    """True if it weighs less than two others that the same beat names."""


class Words(TypedDict):
    """A sentence of the catalogue, or a part of a sentence."""

    key: str
    params: JsonObject


class Beat(TypedDict):
    """A chapter of the run."""

    number: int
    """The beat's number within its level, from 1."""
    first: int
    """The numbers of the beat's steps: `first` to `last`, both inclusive."""
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
    """The title that the scenario's author gave to the beat."""
    apart: NotRequired[Words]
    """What distinguishes the beat from another one of the run with the same title. Pages show it behind the title,
    unless the author gave one. Absent if there is none, and in plans of earlier versions."""
    says: NotRequired[str]
    """The catalogue key of the title as a sentence, with the same `params`. Pages show this sentence first at the step
    `lands`, because the sentences of the step do not say what the title says. Absent in plans of earlier versions."""
    because: NotRequired[Words]
    """A sentence that explains the title and that no step of the beat has. Pages show it behind the title at the step
    `lands`. Absent if there is none, and in plans of earlier versions."""
    also: NotRequired[list[AlsoDone]]
    """The other steps that the title is about; the step `lands` is about one partition or actor only."""
    passed: NotRequired[list[Passed]]
    """The most important steps between the step `lands` of the beat before and the one of this beat, in order, at most
    three. Absent if there is none, and in plans of earlier versions."""
    after: NotRequired[list[Passed]]
    """Only for the run's last beat: the transactions that their coordinators complete behind its step `lands`, at most
    three. Absent if there is none, and in plans of earlier versions."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """In a long beat: the beats inside this beat; `lines` is then empty."""
    added: NotRequired[bool]
    """True if this beat came of an intervention, or if it is inside a beat and is a transaction's records or decision
    over which a reader would pass otherwise. If it is inside a beat, pages name it beside the outer beat."""
    stop: NotRequired[bool]
    """True if it is inside a beat and a reader who goes through the beats of the run also stops at its step `lands`.
    A reader always stops at the beats that are inside no other."""
    kept: NotRequired[bool]
    """True if the beat begins before the intervention, in a run with more than nine beats on this level. Where pages
    have no room for all titles, these beats have their numbers alone."""


class HeldBack(TypedDict):
    """The longest time for which a partition held back records that were replicated, because they were at or
    above its last stable offset."""

    ms: int
    partition: str
    """Empty when no record was held back."""
    released: bool
    """False when the records are still held back at the end of the run."""


class Hangs(TypedDict):
    """The only transaction that has hung in the run, and still hangs at its end. `failed`: the serials of its records
    whose `send()` failed, the first ones."""

    partition: str
    last_stable_offset: int
    failed: list[int]


class Readable(TypedDict):
    """When read_committed consumers can get the records of a partition, aborted ones excepted."""

    at: int | None
    """The virtual time in ms from which these consumers can get the last record; null: not before the end of
    the run."""
    hidden: int
    """The number of records that these consumers cannot get at the end of the run."""


class Outcome(TypedDict):
    """The end of a run, in numbers that an intervention may change."""

    time: int
    """The virtual time of the last step, in milliseconds."""
    messages: int
    retries: int
    """How often producers sent a request again. `questions_repeated`: how often leaders asked a coordinator again.
    `marker_retries`: how often coordinators sent markers again. In plans of earlier versions, `retries` includes these
    and the other two are absent."""
    questions_repeated: NotRequired[int]
    marker_retries: NotRequired[int]
    duplicates: int
    """The number of records with duplicates. The next three fields: the number of lost, failed and reordered
    records."""
    lost: int
    failed: int
    reordered: int
    batches: str
    """A digest of the batches that consumers may get (empty: none). `records`: a digest of the records in
    them. `nodes`: a digest of the outcomes at the middleware's participants."""
    records: str
    nodes: str
    undelivered: NotRequired[int]
    """The number of messages that were dropped, or did not reach a node that is down. Absent in plans of earlier
    versions, as are the next two fields."""
    reserved: NotRequired[list[str]]
    """The participants that hold a reservation at the end of the run."""
    ends: NotRequired[dict[str, str]]
    """Transaction of the middleware to its last state there."""
    awaited: NotRequired[list[str]]
    """The transactions of the middleware whose outcome the business system has not learned. Absent if there is none,
    and in plans of earlier versions."""
    apart: NotRequired[dict[str, int | None]]
    """Transaction of the middleware to the time in ms for which its nodes differ; null: they still do at the end of the
    run. Absent if none of them differ, and in plans of earlier versions."""
    stored: NotRequired[str]
    """A digest of all records in the logs, including aborted ones. `outcomes`: a digest of these records with
    the outcomes of their transactions."""
    outcomes: NotRequired[str]
    markers: NotRequired[int]
    """Number of transaction markers in the logs."""
    held: NotRequired[HeldBack]
    """The longest time for which records were held back. Absent in plans of earlier versions, as are the next
    four fields."""
    committed: NotRequired[int]
    """The number of transactions for which the coordinator wrote CompleteCommit; `aborted`: the number for
    CompleteAbort."""
    aborted: NotRequired[int]
    aborted_records: NotRequired[int]
    """The number of records in the logs that belong to aborted transactions."""
    undone: NotRequired[int]
    """The number of these records whose `send()` had succeeded. Absent in plans of earlier versions."""
    readable: NotRequired[dict[str, Readable]]
    """Partition to the time at which consumers can get its records. Partitions without records that can be
    read are left out."""
    consumes: NotRequired[bool]
    """True if offsets of a consumer group took effect with a transaction, and no guarantee compares what was read with
    what was written: then no guarantee notices an input that was skipped. Absent otherwise."""
    hanging: NotRequired[int]
    """The number of transactions that hang at the end."""
    hangs: NotRequired[Hangs]
    """Absent if none or several have hung, if it hangs no longer, and in plans of earlier versions."""
    by_hand: NotRequired[int]
    """The number of transactions that ``kafka-transactions.sh`` aborted. Absent in plans of earlier versions, as
    is the next field."""
    failed_commands: NotRequired[list[list[str]]]
    """The commands of ``kafka-transactions.sh`` that failed, each with its error (empty: none). Absent if none failed,
    and in plans of earlier versions."""
    down: NotRequired[list[str]]
    """The actors that are down at the end of the run."""
    broken: NotRequired[dict[str, int]]
    """Broken guarantee to how often it is broken. Absent in plans of earlier versions, as are the next four fields."""
    signs: NotRequired[dict[str, int]]
    """How often the run shows what keeps a guarantee, such as a duplicate that its leader recognises
    (``engine/view/moral.py``). Absent in plans of earlier versions."""
    kept: NotRequired[int]
    """The number of different records that consumers may get."""
    places: NotRequired[str]
    """A digest of the records in each partition, whatever their order. `all`: the same of all partitions together."""
    all: NotRequired[str]
    participants: NotRequired[dict[str, str]]
    """Participant and transaction of the middleware to the participant's state in it."""
    rows: NotRequired[dict[str, int]]
    """Serial to the number of copies of its row; only in runs with a database."""
    partition: NotRequired[str]
    """The partition in which a guarantee broke first; if none broke, the one where a broker first stopped at one of
    its checks. Absent if there is neither, and in plans of earlier versions."""


class Although(TypedDict):
    """What ends as in the scenario's run, and the fault that did not change it: the parts of one clause."""

    outcome: Words
    fault: Words


class Cost(TypedDict):
    """The interventions of a run, and their effect compared with the scenario's run."""

    what: Words
    """The intervention, in words that can be the subject of a sentence."""
    dearer: bool
    """True if the run with interventions needed more time, retries or messages, and less of none of the
    three."""
    costs: list[Words]
    short: NotRequired[bool]
    """True if the run needs less time or fewer messages because it leaves something open: a transaction that ends in
    the scenario's run, or its outcome, which the business system learns there. ``costs`` leaves that out. Absent
    otherwise."""
    kept: list[Words]
    """Sentences about the ends of both runs: which transactions ended otherwise, how many more or fewer records
    were duplicated, lost, failed or reordered, which records are hidden or readable later. If no record was
    duplicated, lost, failed or reordered: the first other difference, or that there is none, unless ``although``
    says it."""
    moral: NotRequired[Words]
    """Why a guarantee broke, or why all hold that hold without the interventions. Absent in plans of earlier
    versions."""
    although: NotRequired[Although]
    """Only if every intervention is a fault, and transactions and records end as without it."""


class Outdated(TypedDict):
    """A batch that a leader stores although the coordinator has raised the epoch of its producer."""

    step: int
    partition: str
    offset: int
    """The batch's base offset."""
    producer_epoch: int


class Event(TypedDict):
    """A step that could open a beat, and the kind of that beat."""

    step: int
    kind: str


ShownLoss = TypedDict(
    "ShownLoss",
    {
        "step": int,
        "message": int,
        "api": str,
        "is_response": bool,
        "from": str,
        "to": str,
        "forecast": NotRequired[Words],
    },
)
"""A message whose loss shows much, and the step in which it is sent. `forecast`: a sentence about what comes of its
loss; absent if that is not known, and in plans of earlier versions."""

CutOffFrom: TypeAlias = Literal["brokers", "controller"]
"""`brokers`: the other brokers do not know its address. `controller`: its heartbeats are lost on the way there."""
CutOff = TypedDict("CutOff", {"from": CutOffFrom, "since": int, "until": int | None})
"""How a broker that runs is not reached: from the step `since` on, up to the step `until`, in which that ends; None: it
does not end in the run."""


class Plan(PlannedPlaces):
    """The plan of a run."""

    steps: int
    """How many steps were made to compute the plan."""
    complete: bool
    """False if the run is longer than the plan, or an error or a refused intervention ended the computation."""
    beats: list[Beat]
    outdated: NotRequired[list[Outdated]]
    """The batches of fenced epochs that leaders store, in order. Absent if there is none, and in plans of earlier
    versions."""
    events: NotRequired[list[Event]]
    """The weightier steps that could open a beat, in order, at most 300. In a run with interventions, what is not
    among those of the run without them came of the interventions. Absent in plans of earlier versions."""
    stands: NotRequired[PlannedPlaces]
    """Only for a run of brokers with interventions: the places of the run without interventions, so that they
    need not move."""
    passed: NotRequired[Ways]
    """Node (`middleware`, `business`) to transaction to the states that the transaction has in this run. Each
    state is listed once, in the order in which the transaction reaches them. Absent in runs without
    transactions of the middleware and in plans of earlier versions."""
    outcome: NotRequired[Outcome]
    """The end of the run without interventions; also in the plan of a run with interventions. Absent in plans
    of earlier versions, and when this end is not known."""
    end: NotRequired[Outcome]
    """The end of a run with interventions. Present whenever ``cost`` is, except in plans of earlier versions."""
    losses: NotRequired[list[ShownLoss]]
    """The messages of the run whose loss shows most, at most one of each API and direction, the one to try first at the
    beginning. Of each, one of a transaction that the run leaves open is preferred. Absent in plans of earlier versions,
    and in a run without messages."""
    again: NotRequired[dict[str, int]]
    """The id of each message that repeats a request of its sender, because no response reported success, to how often
    it is resent by then, from 1; at most 1000. Absent if there is none, and in plans of earlier versions."""
    cut_off: NotRequired[dict[str, list[CutOff]]]
    """Broker to the stretches of the run in which it is cut off although it runs. Absent if there is none, and in plans
    of earlier versions."""
    cost: NotRequired[Cost]
    """The cost of the interventions. Present only for a run with interventions that has ended, if the end
    without interventions is known."""
