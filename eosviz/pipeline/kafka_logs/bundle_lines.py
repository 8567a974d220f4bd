"""The lines of a bundle. A bundle is a case as gzipped JSON Lines. It contains everything that verdicts need,
without the contents of applications' records (docs/logs.md, *Bundles*). A bundle whose lines do not have
these types is refused. So is one with unknown fields, so that it cannot carry hidden data."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

FORMAT: Final = "eosviz-log-bundle"
VERSION: Final = 1

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Name = Annotated[str, Meta(min_length=1, max_length=300)]
Text = Annotated[str, Meta(max_length=300)]
Range = tuple[Int64, Int64]
"""A range of offsets: the first and the last one, both inclusive."""
Entry = tuple[Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64]
"""The fields of `ProducerEntry` in their order."""


class _Line(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    pass


class Head(_Line, frozen=True, tag="bundle"):
    """The first line of a bundle."""

    format: Literal["eosviz-log-bundle"]
    version: Literal[1]
    times: Literal["kept", "moved"]
    now: Int64
    """The time against which timeouts are measured, in milliseconds since 1970; -1 if unknown."""
    transaction_partitions: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """The number of partitions of `__transaction_state`, as the files show it or the person who saved the
    bundle stated it; null if unknown. The next three fields are what that person declared (`Declared`)."""
    rest_empty: bool = False
    one_cluster: bool = False
    copied_after: Int64 = -1
    """`Declared.copied_after`, in milliseconds since 1970; -1 if the person stated no such time."""


class PartitionLine(_Line, frozen=True, tag="partition"):
    """A partition. The lines after it, up to the next partition line, belong to it: batches, producers,
    aborted transactions, and damage of an `index` or a `text`."""

    name: Name
    log_start: Int64
    log_start_from: Text
    log_end: Int64
    """The log end offset; -1 if unknown."""
    segments: list[Count] = []
    """The base offsets of the partition's segments."""
    snapshot: Text = ""
    """The name of the newest producer snapshot; empty if there is none. The snapshot's producers follow in
    lines of their own."""
    cluster: Text = ""
    topic_id: Text = ""
    """`cluster` and `topic_id` are pseudonyms of the ids; empty if unknown."""
    is_empty_segment_alone: bool = False
    is_printed: bool = False
    doubted_from: Int64 = -1
    """If this is not -1, all offsets below it are in doubt, because a later batch is missing or damaged."""


class BatchLine(_Line, frozen=True, tag="batch"):
    """The header of a batch, with the fields of `BatchFacts` and `Layout`. `offsets` is present only if
    records between the first and the last one are missing."""

    segment: Count
    position: Int64
    magic: Int64 = 2
    base_offset: Int64 = -1
    last_offset: Int64 = -1
    records: Int64 = 0
    offsets: list[Range] | None = None
    producer_id: Int64 = -1
    producer_epoch: Int64 = -1
    base_sequence: Int64 = -1
    last_sequence: Int64 = -1
    is_transactional: bool = False
    control_type: Text | None = None
    coordinator_epoch: Int64 = -1
    max_timestamp: Int64 = -1
    size: Int64 = -1
    codec: Text = "none"
    leader_epoch: Int64 = -1
    damage: Text | None = None


class ProducerLine(_Line, frozen=True, tag="producer"):
    """The state of a producer: from the newest snapshot or, if `said_at` is present, from the text that it
    names."""

    entry: Entry
    said_at: Text | None = None


class AbortedLine(_Line, frozen=True, tag="aborted"):
    """An entry of a `.txnindex` file: producer id, first offset, last offset, last stable offset."""

    entry: tuple[Int64, Int64, Int64, Int64]


class DamageLine(_Line, frozen=True, tag="damage"):
    """Damage in an index of aborted transactions (`index`), in `__transaction_state` (`coordinator`), in
    `__consumer_offsets` (`groups`), or in a dump (`text`)."""

    of: Literal["index", "coordinator", "groups", "text"]
    says: Text


class CoordinatorLine(_Line, frozen=True, tag="coordinator"):
    """How much of `__transaction_state` was read. `lists`: the places at which outputs of
    `kafka-transactions.sh list` begin."""

    partitions: list[Name]
    lists: list[Text]
    records: Count
    damaged: Count
    newest_ms: Int64


class CoordinatorLogLine(_Line, frozen=True, tag="coordinator_log"):
    """How completely one partition of `__transaction_state` was read (`coordinator.ReadLog`). `flaws`: why
    the copy is incomplete, as keys of sentences, without their parameters."""

    name: Name
    newest_ms: Int64
    has_holes: bool = False
    is_cleaned: bool = False
    is_printed: bool = False
    is_bare: bool = False
    flaws: list[Text] = []
    cluster: Text = ""
    topic_id: Text = ""


class TransactionLine(_Line, frozen=True, tag="transaction"):
    """A record of `__transaction_state`, or an answer of a coordinator. `of`: the producer id to which it
    belongs; null if to none."""

    of: Int64 | None
    is_latest: bool
    transactional_id: Text
    partition: Text
    offset: Int64
    timestamp: Int64
    said_at: Text = ""
    value: "ValueLine | None" = None
    """What the record or the answer states; null for a tombstone."""


class ValueLine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a record of `__transaction_state`, or an answer of a coordinator, states about a transactional
    id."""

    producer_id: Int64
    producer_epoch: Int64
    timeout_ms: Int64
    status: Annotated[int, Meta(ge=0, le=7)]
    partitions: list[tuple[Name, Count]]
    last_update_ms: Int64
    start_ms: Int64
    previous_producer_id: Int64 = -1
    next_producer_id: Int64 = -1
    next_producer_epoch: Int64 = -1
    client_transaction_version: Int64 = 0


class ListedLine(_Line, frozen=True, tag="listed"):
    """A row of the output of `kafka-transactions.sh list`."""

    producer_id: Int64
    transactional_id: Text
    state: Text
    said_at: Text


class GroupsLine(_Line, frozen=True, tag="groups"):
    """How much of `__consumer_offsets` was read."""

    partitions: list[Name]
    damaged: Count


class OffsetLine(_Line, frozen=True, tag="offset"):
    """An offset commit of a group; without an offset, a tombstone. `pending_of`: the producer id whose open
    transaction contains the commit; null if it is not pending."""

    group: Text
    topic: Name
    partition: Count
    offset: Int64 | None
    commit_ms: Int64 = -1
    pending_of: Int64 | None = None


class LogLine(_Line, frozen=True, tag="log_line"):
    """A line of a broker's or a client's own log (`log_lines.py`)."""

    kind: Text
    said_at: Text
    time: Text = ""
    """The time as it was printed. Its time zone is not known, because a log does not state it."""
    partition: Name | None = None
    producer_id: Int64 | None = None
    epoch: Int64 | None = None
    transactional_id: Text | None = None
    params: dict[Text, Int64 | Text] = {}


class End(_Line, frozen=True, tag="end"):
    """The last line. A bundle without it was truncated and is refused."""

    lines: Count
    """The number of lines before this one."""


Line = (
    Head | PartitionLine | BatchLine | ProducerLine | AbortedLine | DamageLine | CoordinatorLine
    | CoordinatorLogLine | TransactionLine | ListedLine | GroupsLine | OffsetLine | LogLine | End
)  # fmt: skip
