"""A log case: real segments as a run of steps that the player shows like those of a scenario.

Each row of a file has a step, which puts a batch into the lane of its partition, or reports an old message or
a damaged place. A last step describes the state at the end of the files. Steps and views have the shape of
`docs/frame.md`. The files hold nothing about replicas or guarantees: a lane has one replica, which is the file,
and no verdicts. Records of internal topics are described (`internal_records.py`). If a transaction never ends,
the step that begins it has a note on that.

Steps of several partitions are merged by the batches' timestamps. Within a partition the order is that of the
file: a timestamp lower than an earlier one is replaced by the highest so far. Times are milliseconds since
the first batch.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.codec.buffers import Buffer
from engine.codec.internal_records import InternalRecords, describes
from engine.codec.lane import FILE_REPLICA, NUMBER_MAX, Lane
from engine.codec.log_now import never_ends, now_said
from engine.codec.log_preview import PREVIEWS_MAX, Ending, preview
from engine.codec.log_sentences import (
    batch_notes,
    batch_sentence,
    damage_note,
    legacy_sentence,
    segment_note,
    sentence,
)
from engine.codec.log_step import log_step
from engine.codec.log_why import Begun, Ended, Stretches, after_marker
from engine.codec.partition_folder import (
    PartitionFolder,
    PrintedSegment,
    Segment,
    SegmentFile,
    UnreadFile,
    partition_folders,
)
from engine.codec.segment import BatchRow, DamageRow, LegacyRow, Records, Row, SegmentReader
from engine.scenario.header import ENGINE_VERSION
from engine.topic_partition import is_internal

STEPS_MAX = 20_000
"""A log case has at most this many rows: batches, old messages and damaged places. If the files hold more, a
further step says so."""

PARTITIONS_MAX = 200
"""Files with more partitions than this are refused."""

TITLE_PARTITIONS_MAX = 3
"""The title names at most this many partitions; it counts the others."""

TIMESTAMP_MAX = 253_402_300_799_999
"""The end of the year 9999. A larger timestamp cannot be in milliseconds, so it does not count for the order."""

GUARANTEES = ("lost", "duplicated", "reordered", "visible_early", "atomic", "fenced")

Json = dict[str, Any]


class NotALogError(ValueError):
    """The files make no log case: they contain no segment, or more than `PARTITIONS_MAX` partitions. `key` and
    `params`: the sentence for the page."""

    def __init__(self, key: str, **params: int) -> None:
        super().__init__(f"{key} {params}")
        self.key = key
        self.params = params


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCase:
    """A log case in the shapes of docs/frame.md, for the player."""

    header: Json
    view: Json
    """The view before the first step: every lane is empty."""
    steps: list[Json]
    not_read: tuple[UnreadFile, ...]
    shortened: bool
    """Whether the files hold more than `STEPS_MAX` rows; the last step then says so."""
    why: list[Json] = field(default_factory=list)
    """The answers to the question why consumers stop; each answer holds for a stretch of steps
    (`log_why.py`)."""
    previews: dict[int, list[Json]] = field(default_factory=dict)
    """Dict of index in `endings` → the steps that this marker would add after the last step."""


@dataclass(frozen=True, slots=True)
class PrintedPartition:
    """A partition whose rows do not come from the bytes of segments."""

    name: str
    first_offset: int
    rows: Iterable[PrintedSegment | Row]
    """Each segment, followed by its rows."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row with its partition and its time."""

    partition: str
    segment: Segment
    starts_segment: bool
    row: Row
    time: int
    """Milliseconds since 1970; -1 before the first plausible timestamp. It is never lower than the time of
    the row before."""


def log_case(
    files: Mapping[str, Buffer],
    reader: SegmentReader | None = None,
    printed: Sequence[PrintedPartition] = (),
    endings: Sequence[Ending] = (),
) -> LogCase:
    """The log case of `files` (path → bytes, paths with `/`) and of the partitions in `printed`. `endings`:
    markers to try after its last step, PREVIEWS_MAX at most. Raises NotALogError if no file is a segment and
    `printed` is empty, or if there are more than `PARTITIONS_MAX` partitions."""
    folders = partition_folders(files)
    reader = reader or SegmentReader()
    named = _named([*(_given(folder, reader) for folder in folders if folder.segments), *printed])
    if not named:
        raise NotALogError("log.nothing", files=len(files))
    if len(named) > PARTITIONS_MAX:
        raise NotALogError("log.too_many_partitions", partitions=len(named), partitions_max=PARTITIONS_MAX)
    lanes = {name: Lane(name, min(one.first_offset, NUMBER_MAX)) for name, one in named.items()}
    run = _Run(lanes)
    view: Json = {
        "time": 0,
        "partitions": {name: lane.view() for name, lane in lanes.items()},
        "guarantees": {name: {"judged": False} for name in GUARANTEES},
    }
    if any(describes(name) for name, one in named.items() if isinstance(one, _Given)):
        view["brokers"] = {str(FILE_REPLICA): run.internal.view()}
    streams = [_stream(name, one.rows) for name, one in named.items()]
    for placed in heapq.merge(*streams, key=lambda placed: placed.time):
        if len(run.steps) == STEPS_MAX:
            run.cut()
            break
        run.add(placed)
    else:
        run.end()
    run.note_holds()
    return LogCase(
        header=_header(list(named), run.origin),
        view=view,
        steps=run.steps,
        not_read=tuple(unread for folder in folders for unread in folder.not_read),
        shortened=run.shortened,
        why=run.stretches.to_json(run.internal),
        previews={} if run.shortened else _previews(run, endings[:PREVIEWS_MAX]),
    )


def _previews(run: "_Run", endings: Sequence[Ending]) -> dict[int, list[Json]]:
    tried = {
        place: preview(run.lanes[ending.partition], ending, len(run.steps), run.at)
        for place, ending in enumerate(endings)
        if ending.partition in run.lanes
    }
    return {place: steps for place, steps in tried.items() if steps}


@dataclass(frozen=True, slots=True)
class _Given:
    """A partition whose segments were given. Its name is None if its folder has none."""

    name: str | None
    first_offset: int
    rows: Iterable[SegmentFile | Row]


def _given(folder: PartitionFolder, reader: SegmentReader) -> _Given:
    # Lanes show batches. So all checksums are verified, but only records of internal topics are decoded.
    kept = Records.KEEP if describes(folder.topic_partition or "") else Records.SKIP
    rows = folder.rows(replace(reader, records=kept))
    return _Given(folder.topic_partition, folder.segments[0].base_offset or 0, rows)


def _named(partitions: Sequence[_Given | PrintedPartition]) -> dict[str, _Given | PrintedPartition]:
    """Dict of unique name → partition of the case. If a name occurs again, the number of the partition is
    added to it."""
    named: dict[str, _Given | PrintedPartition] = {}
    for number, partition in enumerate(partitions, start=1):
        name = partition.name or f"log {number}"
        if name in named:
            name = f"{name} ({number})"
        named[name] = partition
    return named


def _stream(name: str, rows: Iterable[Segment | Row]) -> Iterator[_Placed]:
    """The rows of one partition, with times that never decrease."""
    time, starts_segment = -1, False
    segment: Segment = PrintedSegment(name, None, 0)
    for item in rows:
        if isinstance(item, SegmentFile | PrintedSegment):
            segment, starts_segment = item, True
            continue
        if isinstance(item, BatchRow) and not item.damage and item.header.max_timestamp <= TIMESTAMP_MAX:
            time = max(time, item.header.max_timestamp)
        yield _Placed(name, segment, starts_segment, item, time)
        starts_segment = False


@dataclass(slots=True)
class _Run:
    """Builds the steps of a log case, one for each row."""

    lanes: dict[str, Lane]
    steps: list[Json] = field(default_factory=list)
    origin: int | None = None
    """Step time 0 in milliseconds since 1970; None until a plausible timestamp was seen."""
    at: int = 0
    shortened: bool = False
    internal: InternalRecords = field(default_factory=InternalRecords)
    damaged: bool = False
    """True once something unreadable was found that may have been a batch."""
    stretches: Stretches = field(default_factory=Stretches)
    begun: dict[tuple[str, int], Begun] = field(default_factory=dict)
    """Dict of (partition, first offset) → the transaction that begins there."""
    ended: dict[tuple[str, int], Ended] = field(default_factory=dict)
    """Dict of (partition, producer id) → the producer's newest marker in the partition."""

    def add(self, placed: _Placed) -> None:
        changes = self._advance(placed.time)
        lane, row = self.lanes[placed.partition], placed.row
        notes = []
        if placed.starts_segment:
            changes += lane.start_segment(placed.segment)
            notes.append(segment_note(placed.segment))
        damage = [damage_note(placed.segment, damage) for damage in row.damage]
        transitions: list[Json] = []
        self.damaged |= bool(row.damage) and not (isinstance(row, DamageRow) and row.is_reserved)
        if isinstance(row, BatchRow):
            said = batch_sentence(placed.partition, row)
            fits = lane.holds(row)
            if fits and lane.commits_under_newer_epoch(row):
                self.internal.written.take_commit(f"{placed.partition}: {row.header.base_offset}")
            if fits:
                changes += lane.append(row, self.at)
                self._begins(placed, row)
                self.stretches.look(lane, self.begun, len(self.steps) + 1, row, placed.time)
            described = (
                self.internal.take(placed.partition, row, self.origin, len(self.steps) + 1) if fits else None
            )
            if described is not None:
                changes += described.changes
                transitions = described.transitions
            if described is not None and described.said:
                _show_content(changes, described.content)
                said, *others = described.said
                notes += others
            notes += batch_notes(row, fits)
        elif isinstance(row, LegacyRow):
            said = legacy_sentence(placed.partition, row)
        else:
            # Without a batch, the sentence of the step is about the damage, which is no note then.
            said = damage.pop(0)
        is_marker = isinstance(row, BatchRow) and row.header.is_control
        interesting = bool(row.damage or transitions) or is_marker
        self._put(placed.partition, said, notes + damage, changes, interesting, transitions)

    def end(self) -> None:
        """Add the sentences about transactions that never end."""
        if not self.steps:
            return
        open_now = [
            one
            for name, lane in self.lanes.items()
            for first_offset in sorted(lane.log.producers.open_transactions)
            if (one := self.begun.get((name, first_offset))) is not None
        ]
        for one in open_now:
            step = self.steps[one.step - 1]
            lane = self.lanes[one.partition]
            late = after_marker(one, self.internal, at_the_end=False)
            step["notes"][:0] = [never_ends(one, lane, self.internal), *late]
            step["interesting"] = True
        said, *notes = now_said(open_now, self)
        key, params = self.internal.written.sentence()
        notes.append(sentence(key, **params))
        actor = open_now[0].partition if open_now else next(iter(self.lanes))
        self._put(actor, said, notes, [], True)

    def note_holds(self) -> None:
        """Add the notes on transactions that held back others' records and then ended."""
        for number, note in self.stretches.holds(self.internal):
            step = self.steps[number - 1]
            step["notes"].insert(0, note)
            step["interesting"] = True

    def _begins(self, placed: _Placed, row: BatchRow) -> None:
        header = row.header
        if self.lanes[placed.partition].is_open(header.producer_id, header.base_offset):
            self.begun[placed.partition, header.base_offset] = Begun(
                placed.partition, header.producer_id, header.producer_epoch, header.base_offset,
                len(self.steps) + 1, placed.time, self.ended.get((placed.partition, header.producer_id)),
            )  # fmt: skip
        if row.control is not None and row.control.coordinator_epoch is not None:
            self.ended[placed.partition, header.producer_id] = Ended(
                header.base_offset, header.producer_epoch, row.control.type_name
            )

    def cut(self) -> None:
        self.shortened = True
        self._put("log", sentence("log.cut", steps_max=STEPS_MAX), [], [], True)

    def _advance(self, time: int) -> list[Json]:
        if time < 0:
            return []
        if self.origin is None:
            self.origin = time
        before, self.at = self.at, time - self.origin
        return [] if before == self.at else [{"path": ["time"], "before": before, "after": self.at}]

    def _put(
        self,
        actor: str,
        said: Json,
        notes: list[Json],
        changes: list[Json],
        interesting: bool,
        transitions: Sequence[Json] = (),
    ) -> None:
        number = len(self.steps) + 1
        step = log_step(number, self.at, actor, said, notes, changes, interesting=interesting)
        if transitions:
            step["transition"] = transitions[-1]
        if len(transitions) > 1:
            step["earlier_transitions"] = [*transitions[:-1]]
        self.steps.append(step)


def _show_content(changes: list[Json], content: Json) -> None:
    for change in changes:
        if change["path"][-2:-1] == ["batches"]:
            change["after"]["content"] = content


def _header(partitions: list[str], origin: int | None) -> Json:
    """The header of a log case. `time_origin`: step time 0 in milliseconds since 1970."""
    # A learner looks for their own topic first, so internal topics come last.
    named = sorted(partitions, key=is_internal)
    title = ", ".join(_short(name) for name in named[:TITLE_PARTITIONS_MAX])
    if len(partitions) > TITLE_PARTITIONS_MAX:
        title += f" + {len(partitions) - TITLE_PARTITIONS_MAX}"
    return {
        "scenario": "log",
        "variant": None,
        "title": {"en": title, "zh-Hans": title},
        "profile": "log",
        "version": "",
        "switches": {},
        "altered": {},
        "engine": ENGINE_VERSION,
        "actors": [],
        "partitions": partitions,
        "step_limit": STEPS_MAX,
        "time_origin": origin,
    }


def _short(name: str, characters_max: int = 50) -> str:
    return name if len(name) <= characters_max else name[: characters_max - 1] + "…"
