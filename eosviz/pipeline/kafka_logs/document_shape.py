"""The types of the JSON that `manage.py logs --json` prints. The documented JSON Schema is generated from
them (docs/logs.schema.json). A test compares the two, and validates the output for all recorded folders."""

import json
from typing import Any, Literal

import msgspec
from msgspec import Struct

from eosviz.pipeline.kafka_logs.notes import NoteKind
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind

Range = tuple[int, int]
"""A range of offsets: the first and the last one, both inclusive."""
Index = tuple[int, int, int, int]
"""An entry of the index of aborted transactions: the producer id, the first offset, the offset of the marker,
and the last stable offset after the marker."""


class _Shape(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Holder(_Shape, frozen=True):
    producer_id: int
    epoch: int
    first_offset: int


class AbortedIndex(_Shape, frozen=True):
    in_files: int
    recomputed: int
    only_in_files: list[Index]
    only_recomputed: list[Index]
    damage: list[str]


class Jump(_Shape, frozen=True):
    place: str
    expected: int
    found: int


class Partition(_Shape, frozen=True):
    name: str
    path: str
    log_start: int
    log_start_from: str
    high_watermark: int
    last_stable_offset: int
    held_by: Holder | None
    segments: int
    batches: int
    records: int
    data_records: int
    control_batches: int
    corrupt: int
    legacy: int
    has_holes: bool
    damage: list[str]
    jumps: list[Jump]
    reserved: str | None
    aborted_index: AbortedIndex


class Transaction(_Shape, frozen=True):
    producer_id: int
    epoch: int
    transactional_id: str | None
    partition: str
    first_offset: int
    last_offset: int
    result: Literal["open", "committed", "aborted", "ended"]
    records: int
    first_timestamp: int
    marker_offset: int | None
    marker_epoch: int | None
    marker_timestamp: int | None
    coordinator_epoch: int | None


class Break(_Shape, frozen=True):
    offset: int
    expected: int
    found: int


class Producer(_Shape, frozen=True):
    partition: str
    producer_id: int
    epoch: int
    last_sequence: int
    last_offset: int
    last_timestamp: int
    coordinator_epoch: int
    open_first_offset: int | None
    gaps: int
    duplicates: int
    breaks: list[Break]


class Coordinator(_Shape, frozen=True):
    partitions: list[str]
    transactional_ids: int
    records: int
    topic_partitions: int | None
    corrupt: int
    damage: list[str]


class Group(_Shape, frozen=True):
    group: str
    partition: str
    committed_offset: int | None
    commit_timestamp: int | None
    last_stable_offset: int | None
    high_watermark: int | None
    lag: int | None
    held_up: bool
    pending_producer_id: int | None
    pending_offset: int | None


class Evidence(_Shape, frozen=True):
    place: str
    says: str


class Note(_Shape, frozen=True):
    kind: NoteKind
    producer_id: int
    epoch: int
    first_offset: int
    marker_offset: int
    evidence: list[Evidence]


class OtherCommand(_Shape, frozen=True):
    command: str
    since: str
    preconditions: list[str]


class Remedy(_Shape, frozen=True):
    action: Literal["abort", "wait", "look"]
    command: str
    preconditions: list[str]
    others: list[OtherCommand]
    ends: Literal["committed", "aborted"]
    last_stable_offset: int | None
    visible_read_committed: list[Range] | None


class Verdict(_Shape, frozen=True):
    kind: VerdictKind
    rests_on: VerdictKind | None
    partition: str
    producer_id: int | None
    epoch: int | None
    transactional_id: str | None
    first_offset: int | None
    coordinator_state: str | None
    started_at: int | None
    timeout_at: int | None
    evidence: list[Evidence]
    alternatives: list[VerdictKind]
    would_change: list[str]
    notes: list[Note]
    remedy: Remedy | None


class LoggedLine(_Shape, frozen=True):
    kind: str
    place: str
    time: str
    partition: str | None
    producer_id: int | None
    epoch: int | None
    transactional_id: str | None
    says: str


class NotListed(_Shape, frozen=True):
    log_lines: int
    transactions: int
    producers: int
    groups: int
    ranges: int
    verdicts: int
    notes: int


class Example(_Shape, frozen=True):
    reason: str
    place: str
    line: str


class Text(_Shape, frozen=True):
    files: list[str]
    lines: int
    used: int
    skipped: dict[str, int]
    examples: list[Example]


class Document(_Shape, frozen=True):
    schema: Literal[1]
    paths: list[str]
    now: int
    given: list[str]
    partitions: list[Partition]
    copies: list[Partition]
    left_out: list[str]
    transactions: list[Transaction]
    producers: list[Producer]
    visible_read_committed: dict[str, list[Range]]
    visible_read_uncommitted: dict[str, list[Range]]
    coordinator: Coordinator
    groups: list[Group]
    verdicts: list[Verdict]
    log_lines: list[LoggedLine]
    not_listed: NotListed
    text: Text | None


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the document."""
    made: dict[str, Any] = msgspec.json.schema(Document)
    for shape in made["$defs"].values():
        # The docstrings of these types are for readers of the code, so the schema leaves them out.
        shape.pop("description", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What `manage.py logs --json` prints, version 1 (docs/logs.md)",
        **made,
    }


def as_text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
