"""The plan of a run: places and beats; docs/frame.md, *Plan*."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from engine.shapes.words import Bilingual, JsonObject


class PlannedClient(TypedDict):
    """A producer client in a picture of the whole run."""

    name: str
    applications: list[str]
    transactional_id: str | None
    partitions: list[str]
    """The partitions to which the client sends a batch during the run."""


class PlannedBroker(TypedDict):
    """A broker in a picture of the whole run."""

    name: str
    lanes: list[str]
    """Every data partition that the broker leads during the run."""
    transactional_ids: list[str]
    """Every transactional id that the broker coordinates during the run. `groups`: every consumer group that
    it coordinates."""
    groups: list[str]


class PlannedLane(TypedDict):
    """A partition in a picture of the whole run."""

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
    """A consumer in a picture of the whole run."""

    name: str
    isolation: str
    lanes: list[str]


class PlannedMiddleware(TypedDict):
    """The nodes of the middleware in a picture of the whole run."""

    roles: list[str]
    participants: list[str]


class PassedState(TypedDict):
    """A state that a transaction has in the run."""

    state: str
    since: int
    """The step in which the transaction first reaches the state; 0 for the state in which it begins."""


Ways: TypeAlias = dict[str, dict[str, list[PassedState]]]
"""Dict of node (`middleware`, `business`) → transaction → its states. Each state is listed once, in the order
in which the transaction reaches them."""


class PlannedService(TypedDict):
    """A service in a picture of the whole run, with the clients of its process."""

    name: str
    acts: list[str]
    producer: str | None
    consumer: str | None


class PlannedPlaces(TypedDict):
    """All places, in the order of first appearance."""

    hues: dict[str, int]
    """Dict of producer id → its number in the order of first appearance: 0, 1, 2, …"""
    clients: list[PlannedClient]
    brokers: list[PlannedBroker]
    lanes: dict[str, PlannedLane]
    consumers: list[PlannedConsumer]
    controller: bool
    """Whether the controller or ZooKeeper acts in this run."""
    tool: NotRequired[bool]
    """Whether an operator runs ``kafka-transactions.sh`` in this run; absent if not."""
    middleware: PlannedMiddleware | None
    services: NotRequired[list[PlannedService]]
    """Present in a run with a database, which has a place of its own, too."""


class BeatLine(TypedDict):
    """A line of a beat: one step, whose own sentence is shown (`key` null), or several adjacent steps. For
    several steps, `key` and `params` make a sentence that counts them and names their purpose."""

    first: int
    last: int
    key: str | None
    params: JsonObject


class AlsoDone(TypedDict):
    """A further step that a beat's title is about, besides the step `lands`. `names`: the partitions or
    actors that this step is about."""

    step: int
    names: list[str]


class Passed(TypedDict):
    """An event that opens no beat, between the step `lands` of the beat before and that of this beat. `key`
    and `params`: its title."""

    step: int
    key: str
    params: JsonObject


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
    """Words that distinguish the beat from another beat of the run with the same title. Pages show them after
    the title, unless the author gave a title. Absent if no other beat has the same title, and in plans of
    earlier versions."""
    ends: NotRequired[Words]
    """Only for the beat at which a reader stops last, if the run breaks guarantees that the title does not name: words
    that name them. Pages show them after the title. Absent in plans of earlier versions."""
    says: NotRequired[str]
    """The catalogue key of the title as a sentence, with the same `params`. Pages show this sentence first at
    the step `lands`, because the step's own sentences do not contain what the title says. Absent in plans of
    earlier versions."""
    because: NotRequired[Words]
    """A sentence that explains the title and that no step of the beat has. Pages show it after the title at
    the step `lands`. Absent if there is none, and in plans of earlier versions."""
    also: NotRequired[list[AlsoDone]]
    """The other steps that the title is about, if the step `lands` is about one partition or actor only."""
    passed: NotRequired[list[Passed]]
    """The most important steps between the step `lands` of the beat before and the one of this beat, in order, at most
    three. Absent if there is none, and in plans of earlier versions."""
    after: NotRequired[list[Passed]]
    """Only for the run's last beat: the transactions that their coordinators complete after its step `lands`,
    at most three. Absent if there is none, and in plans of earlier versions."""
    lines: list[BeatLine]
    beats: NotRequired[list[Beat]]
    """The beats inside this beat, if it is long, is divided into parts, or contains a beat that an intervention caused.
    `lines` is then empty."""
    added: NotRequired[bool]
    """True if an intervention caused this beat. Also true if the beat is inside another one and is about a
    transaction's records, its decision or the marker that fences, which a reader would otherwise skip. If the
    beat is inside another one, pages name it beside the outer beat."""
    stop: NotRequired[bool]
    """True if the beat is inside another one, and a reader who goes through the beats of the run also stops
    at its step `lands`. A reader always stops at the beats that are inside no other."""
    kept: NotRequired[bool]
    """True if the beat begins before the intervention, in a run with more than nine beats on this level. If
    pages have no room for all titles, they show only the numbers of these beats."""


class HeldBack(TypedDict):
    """The longest time for which a partition held back records that were replicated, because they were at or
    above its last stable offset."""

    ms: int
    partition: str
    """Empty when no record was held back."""
    released: bool
    """False when the records are still held back at the end of the run."""


class Hangs(TypedDict):
    """The only transaction that has hung in the run, and still hangs at its end. `failed`: the lowest serials
    of its records whose `send()` failed, at most 100."""

    partition: str
    last_stable_offset: int
    failed: list[int]


class Readable(TypedDict):
    """When read_committed consumers can get the records of a partition that are not in aborted
    transactions."""

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
    """How often producers sent a request again. `questions_repeated`: how often leaders asked a coordinator
    again whether a partition belongs to a transaction. `marker_retries`: how often coordinators sent markers
    again. In plans of earlier versions, `retries` includes these and the other two are absent."""
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
    """Dict of transaction of the middleware → its last state there."""
    open: NotRequired[list[str]]
    """The transactional ids whose transaction has not ended at the end of the run. Absent if there is none, and in
    plans of earlier versions."""
    awaited: NotRequired[list[str]]
    """The transactions of the middleware whose outcome the business system has not learned. Absent if there is none,
    and in plans of earlier versions."""
    apart: NotRequired[dict[str, int | None]]
    """Dict of transaction of the middleware → the time in ms for which its nodes differed; null: they still
    differ at the end of the run. Absent if no transaction's nodes differed, and in plans of earlier
    versions."""
    stored: NotRequired[str]
    """A digest of all records in the logs, including aborted ones. `outcomes`: a digest of these records with
    the outcomes of their transactions."""
    outcomes: NotRequired[str]
    markers: NotRequired[int]
    """Number of transaction markers in the logs."""
    held: NotRequired[HeldBack]
    """The longest time for which records were held back. Absent in plans of earlier versions, as are the next
    three fields."""
    committed: NotRequired[int]
    """The number of transactions for which the coordinator wrote CompleteCommit; `aborted`: the number for
    CompleteAbort."""
    aborted: NotRequired[int]
    aborted_records: NotRequired[int]
    """The number of records in the logs that belong to aborted transactions."""
    uncounted: NotRequired[int]
    """The number of records that leaders stored with a lower epoch than the coordinator's while no producer had the
    coordinator's epoch, so that they do not count as written after fencing. Absent if there is none, and in plans of
    earlier versions."""
    undone: NotRequired[int]
    """The number of records in aborted transactions whose `send()` had succeeded. Absent in plans of earlier
    versions."""
    readable: NotRequired[dict[str, Readable]]
    """Dict of partition → when read_committed consumers can get its records. Partitions that have only
    records of aborted transactions, or none, are left out."""
    consumes: NotRequired[bool]
    """True if offsets of a consumer group took effect with a transaction, and no guarantee compares the
    records that were read with those that were written. Then no guarantee notices an input record that was
    skipped. Absent otherwise."""
    hanging: NotRequired[int]
    """The number of transactions that hang at the end."""
    hangs: NotRequired[Hangs]
    """Absent if no transaction or several have hung, if the only one hangs no longer, and in plans of earlier
    versions."""
    hung: NotRequired[int]
    """The longest time in ms for which a transaction hung that has ended since. Absent if there is none, and in plans
    of earlier versions."""
    by_hand: NotRequired[int]
    """The number of transactions that ``kafka-transactions.sh`` aborted. Absent in plans of earlier versions, as
    is the next field."""
    failed_commands: NotRequired[list[list[str]]]
    """The commands of ``kafka-transactions.sh`` that failed, each with its error (empty: none). Absent if none failed,
    and in plans of earlier versions."""
    down: NotRequired[list[str]]
    """The actors that are down at the end of the run."""
    broken: NotRequired[dict[str, int]]
    """Dict of broken guarantee → how often it is broken. Absent in plans of earlier versions, as are the next
    four fields."""
    signs: NotRequired[dict[str, int]]
    """Dict of sign → how often it occurs in the run. A sign shows how a guarantee was kept, such as a
    duplicate that its leader recognises (``engine/view/moral.py``). Absent in plans of earlier versions."""
    kept: NotRequired[int]
    """The number of different records that consumers may get."""
    places: NotRequired[str]
    """A digest of the different records that consumers may get, partition by partition, independent of their
    order. `all`: such a digest without the division into partitions."""
    all: NotRequired[str]
    participants: NotRequired[dict[str, str]]
    """Dict of `<participant>.transactions.<transaction>.state` → the participant's state in this transaction
    of the middleware."""
    rows: NotRequired[dict[str, int]]
    """Dict of serial → number of copies of its row; only in runs with a database."""
    partition: NotRequired[str]
    """The partition in which a guarantee broke first. If none broke: the first partition in which a check of
    a broker refused a batch or recognised a duplicate. Absent if there is neither, and in plans of earlier
    versions."""


class Although(TypedDict):
    """The two parts of one clause: the outcome, which is the same as in the scenario's run, and the fault
    that did not change it."""

    outcome: Words
    fault: Words


class Cost(TypedDict):
    """The interventions of a run, and their effect compared with the scenario's run."""

    what: Words
    """The intervention, in words that can be the subject of a sentence."""
    dearer: bool
    """True if the run with interventions needed more time, retries or messages, and no less of any of
    them."""
    costs: list[Words]
    short: NotRequired[bool]
    """True if the run needs less time, or fewer retries or messages, because it leaves a transaction open, or the
    business system does not learn the outcome that it learns in the scenario's run. ``costs`` then leaves out
    what the run saves. Absent otherwise."""
    kept: list[Words]
    """Sentences about the ends of both runs: which transactions ended otherwise, how many more or fewer records
    were duplicated, lost, failed or reordered, which records are hidden or readable later. If no record was
    duplicated, lost, failed or reordered: the first other difference, or that there is none, unless ``although``
    says it."""
    moral: NotRequired[Words]
    """One sentence: why the interventions broke a guarantee, why they broke none that holds without them, or why
    this run breaks less than the original one. Absent in plans of earlier versions."""
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
    """A step that could open a beat, and the kind of this beat."""

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
"""A message whose loss is instructive, and the step in which it is sent. `forecast`: a sentence about the
consequence of its loss; absent if this is not known, and in plans of earlier versions."""

CutOffFrom: TypeAlias = Literal["brokers", "controller"]
"""`brokers`: the other brokers do not know the broker's address. `controller`: its heartbeats to the
controller are lost."""
CutOff = TypedDict("CutOff", {"from": CutOffFrom, "since": int, "until": int | None})
"""A time during which a broker runs, but is cut off. `since`: the step in which it is cut off. `until`: the step in
which it is reached again; null: it is cut off until the end of the run. `from`: what it is cut off from."""


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
    """The more important steps that could open a beat, in order, at most 300. If the list of a run with interventions
    has a step that the list without them lacks, the interventions caused this step. Absent in plans of earlier
    versions."""
    stands: NotRequired[PlannedPlaces]
    """Only for a run of brokers with interventions: the places of the run without interventions, so that they
    need not move."""
    passed: NotRequired[Ways]
    """Dict of node (`middleware`, `business`) → transaction → the states that the transaction has in this
    run. Each state is listed once, in the order in which the transaction reaches them. Absent in runs without
    transactions of the middleware and in plans of earlier versions."""
    outcome: NotRequired[Outcome]
    """The end of the run without interventions; also in the plan of a run with interventions. Absent in plans
    of earlier versions, and when this end is not known."""
    end: NotRequired[Outcome]
    """The end of a run with interventions. Present whenever ``cost`` is, except in plans of earlier versions."""
    losses: NotRequired[list[ShownLoss]]
    """The messages of the run whose loss is most instructive, most instructive first, at most one request and
    one response of each API. A message of a transaction that the run leaves open is preferred. Absent in
    plans of earlier versions, and in a run without messages."""
    again: NotRequired[dict[str, int]]
    """Dict of id of a message that repeats an earlier request of its sender, for which no response reported
    success → how often the request was repeated by then, from 1. At most 1000 messages. Absent if there is
    none, and in plans of earlier versions."""
    forgotten: NotRequired[dict[str, dict[str, list[int]]]]
    """Dict of id of a Produce request → partition → serials of its records, for the requests whose client reports
    a result while they are in transit. The client's view has their batches no longer. At most 1000 messages.
    Absent if there is none, and in plans of earlier versions."""
    cut_off: NotRequired[dict[str, list[CutOff]]]
    """Dict of broker → the stretches of the run in which the broker runs but is cut off. Absent if there is
    none, and in plans of earlier versions."""
    cost: NotRequired[Cost]
    """The cost of the interventions. Present only for a run with interventions that has ended, if the end
    without interventions is known."""
