"""Reads printed text line by line. A text may mix the output of Kafka's dump tool, tables of
`kafka-transactions.sh`, and log output of brokers and clients.

Each line that is not empty is counted, as used or as skipped for a reason. A batch of a coordinator's log
that was dumped without its records is counted a second time, as `no_records`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from engine.codec.partition_folder import base_offset_of
from eosviz.pipeline.kafka_logs import coordinator as coordinator_log
from eosviz.pipeline.kafka_logs import groups as group_offsets
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Layout
from eosviz.pipeline.kafka_logs.coordinator import Coordinator, CoordinatorEntry, Listed, ReadLog
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.log_lines import OF_A_LOG, LogLine, log_line
from eosviz.pipeline.kafka_logs.text_fields import (
    Fields,
    RecordLine,
    UnreadableError,
    aborted_line,
    fields_of,
    number,
    offset_record,
    record_line,
    snapshot_line,
    transaction_record,
)
from eosviz.pipeline.kafka_logs.text_partition import DumpedBatch, TextPartition
from eosviz.pipeline.kafka_logs.text_tables import (
    Table,
    cells,
    description_row,
    hanging_row,
    head_of,
    list_row,
    partition_asked_for,
    producer_row,
)
from eosviz.pipeline.kafka_logs.words import place_words, words

EXAMPLES_MAX = 3
"""At most this many skipped lines are shown for each reason. All are counted."""
_EXAMPLE_CHARACTERS = 80
LOG_LINES_MAX = 10_000
"""At most this many lines of log output are kept. All are counted."""
_PARTITION = re.compile(r"[a-zA-Z0-9._-]{1,249}-\d{1,10}")
_WITHOUT_CONTENT = ("Log starting offset:", "Starting offset:", "Snapshot end offset:")
_COMMAND = "kafka-transactions.sh "
_PART_OF_A_BATCH = "ffset: "
_INDEXES = (".index", ".timeindex")


class Skipped(StrEnum):
    """Why a line is skipped. The sentences are `replays.case.skipped.<value>`."""

    FOREIGN = "foreign"
    OTHER_LOG = "other_log"
    """The line is log output of a broker or client, and not about transactions."""
    CONTINUED = "continued"
    """The line continues the value of the record before it."""
    NO_FILE = "no_file"
    NO_PARTITION = "no_partition"
    UNREADABLE = "unreadable"
    REPEATED = "repeated"
    INDEX = "index"
    NO_RECORDS = "no_records"


class Example(NamedTuple):
    """A line that was skipped."""

    reason: Skipped
    place: str
    line: str
    """The beginning of the line, at most _EXAMPLE_CHARACTERS."""


@dataclass(slots=True)
class TextReading:
    """What was read of all texts."""

    partitions: dict[str, TextPartition] = field(default_factory=dict)
    coordinator: Coordinator = field(default_factory=Coordinator)
    groups: GroupOffsets = field(default_factory=GroupOffsets)
    files: list[str] = field(default_factory=list)
    lines: int = 0
    """The number of lines that are not empty."""
    used: int = 0
    skipped: Counter[Skipped] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)
    """The first skipped lines of each reason."""
    log_lines: list[LogLine] = field(default_factory=list)
    """The lines of log output that are about transactions, in the order of the texts."""
    log_lines_left_out: int = 0
    """The number of such lines that were not kept, because of LOG_LINES_MAX."""
    asked_ms: int = -1
    """The newest time in an answer of a running broker, in milliseconds since 1970; -1 if no answer has a
    time."""


class TextReader:
    """Reads texts. Give it the texts one after the other, with `read`; then call `finish`."""

    def __init__(self) -> None:
        self.reading = TextReading()
        self._path = Path()
        self._number = 0
        self._answers: list[CoordinatorEntry] = []
        """The answers of running coordinators. They are taken in at the end, when it is known whether a dump
        contains something newer."""
        self._reset()

    def _reset(self) -> None:
        self._batch: DumpedBatch | None = None
        self._table: tuple[Table, list[str]] | None = None
        self._asked_for: str | None = None
        self._file: str | None = None
        self._of: TextPartition | None = None
        self._segment: int | None = None
        self._in_value = False

    def read(self, path: Path, lines: Iterable[str]) -> None:
        """Take in one text. `path`: its name in evidence."""
        self._path, self._number = path, 0
        self._reset()
        self.reading.files.append(str(path))
        for self._number, line in enumerate(lines, start=1):
            if not line.strip():
                self._table = None
                continue
            self.reading.lines += 1
            try:
                reason = self._take(line.rstrip("\r\n"))
            except UnreadableError:
                reason = Skipped.UNREADABLE
            self._count(reason, line)
            if self._of is not None and self._segment is not None and _is_garbled(reason, line):
                self._of.is_garbled = True
        self._end_batch()

    def finish(self) -> TextReading:
        """Take in the contents of the internal topics, and return what was read."""
        for name, partition in sorted(self.reading.partitions.items()):
            topic = name.rpartition("-")[0]
            if topic == coordinator_log.TOPIC:
                self._coordinator(partition)
            elif topic == group_offsets.TOPIC:
                self._groups(partition)
        for answer in self._answers:
            self.reading.coordinator.add(answer)
        return self.reading

    def _count(self, reason: Skipped | None, line: str = "", count: int = 1) -> None:
        if reason is None:
            self.reading.used += count
            return
        self.reading.skipped[reason] += count
        if self.reading.skipped[reason] <= EXAMPLES_MAX and line:
            shown = line.strip()[:_EXAMPLE_CHARACTERS]
            self.reading.examples.append(Example(reason, self._place(), shown))

    def _place(self) -> str:
        return f"{self._path.name}: line {self._number}"

    def _take(self, line: str) -> Skipped | None:
        """Use one line. Returns None, or the reason why it was not used."""
        if line.startswith("Dumping "):
            self._start_file(line.removeprefix("Dumping ").strip())
            return None
        if line.startswith("baseOffset: "):
            return self._start_batch(fields_of(line))
        record = record_line(line)
        if record is not None:
            return self._record(record)
        if line.startswith(("offset: ", "version: ", "timestamp: ")) or "currentTxnFirstOffset: " in line:
            return self._side_file(line)
        if line.startswith(_WITHOUT_CONTENT):
            return None
        if line.startswith("Found ") and "invalid bytes" in line:
            return self._damage(line)
        asked_for = partition_asked_for(line)
        if asked_for is not None:
            self._asked_for = asked_for
            return None
        if _COMMAND in line:
            return None
        head = head_of(line)
        if head is not None:
            self._table, self._in_value = head, False
            if head[0] is Table.LIST:
                self.reading.coordinator.lists.append(self._place())
            return None
        if self._table is not None:
            return self._row(*self._table, line)
        if self._in_value:
            return Skipped.CONTINUED
        return self._of_a_log(line) if OF_A_LOG.search(line) else Skipped.FOREIGN

    def _of_a_log(self, line: str) -> Skipped | None:
        found = log_line(line, self._place())
        if found is None:
            return Skipped.OTHER_LOG
        if len(self.reading.log_lines) < LOG_LINES_MAX:
            self.reading.log_lines.append(found)
        else:
            self.reading.log_lines_left_out += 1
        return None

    def _start_file(self, dumped: str) -> None:
        self._end_batch()
        self._reset()
        path = Path(dumped)
        self._file = path.name
        # A dump that was made inside the folder contains only the file's name. The text itself may also be in
        # that folder.
        names = (path.parent.name, self._path.parent.name)
        name = next((one for one in names if _PARTITION.fullmatch(one)), None)
        if name is None:
            return
        self._of = self._partition(name)
        self._segment = base_offset_of(path.name)
        if path.suffix == ".snapshot":
            self._of.snapshots.setdefault(path.name, [])
        if self._segment is not None:
            if self._segment in self._of.dumped:
                self._segment = None
            else:
                self._of.dumped[self._segment] = []

    def _partition(self, name: str) -> TextPartition:
        return self.reading.partitions.setdefault(name, TextPartition(name, self._path))

    def _no_segment(self) -> Skipped:
        is_log = self._file is not None and base_offset_of(self._file) is not None
        return Skipped.REPEATED if is_log and self._of is not None else Skipped.NO_FILE

    def _start_batch(self, fields: Fields) -> Skipped | None:
        self._end_batch()
        self._in_value = False
        if self._segment is None:
            return self._no_segment()
        number(fields, "baseoffset")
        number(fields, "lastoffset")
        self._batch = DumpedBatch(fields, self._place())
        return None

    def _record(self, record: RecordLine) -> Skipped | None:
        number(record.fields, "offset")
        self._in_value = record.payload is not None
        if self._segment is None:
            return self._no_segment()
        if self._batch is None or not self._batch.takes(record):
            # Before Kafka 2.2 a deep dump had no lines for batches: each line of a record has the fields of
            # its batch.
            self._end_batch()
            number(record.fields, "producerid")
            self._batch = DumpedBatch(record.fields, self._place())
        self._batch.records.append(record)
        return None

    def _end_batch(self) -> None:
        batch, self._batch = self._batch, None
        if batch is None or self._of is None or self._segment is None:
            return
        try:
            facts, layout = batch.facts(f"{self._of.name}/{self._segment:020}.log"), batch.layout
        except UnreadableError as error:
            self._of.damage.append(f"{batch.place}: {error}")
            return
        internal = self._of.name.rpartition("-")[0] in (coordinator_log.TOPIC, group_offsets.TOPIC)
        self._of.dumped[self._segment].append((facts, layout, batch.records if internal else []))

    def _side_file(self, line: str) -> Skipped | None:
        """Use a line that is about no batch of the current format. Returns None, or the reason why it was not
        used."""
        self._in_value = False
        if self._of is None or self._file is None:
            return Skipped.NO_FILE
        if self._file.endswith(_INDEXES):
            return Skipped.INDEX
        if "currentTxnFirstOffset: " in line:
            entries = self._of.snapshots.setdefault(self._file, [])
            entries.append((snapshot_line(line), self._place()))
            return None
        if line.startswith("version: "):
            self._of.aborted.append(aborted_line(line))
            return None
        fields = fields_of(line)
        if self._segment is None or fields.get("magic") not in ("0", "1"):
            return Skipped.UNREADABLE
        self._end_batch()
        self._of.dumped[self._segment].append(
            (_legacy(self._of.name, self._segment, fields), Layout(number(fields, "size", -1)), [])
        )
        return None

    def _damage(self, line: str) -> Skipped | None:
        if self._of is None:
            return Skipped.NO_FILE
        self._of.damage.append(f"{self._place()}: {line}")
        return None

    def _row(self, table: Table, columns: list[str], line: str) -> Skipped | None:
        row = cells(columns, line)
        if row is None:
            self._table = None
            return Skipped.FOREIGN
        coordinator = self.reading.coordinator
        if table is Table.LIST:
            producer_id, transactional_id, state = list_row(row)
            coordinator.listed[producer_id] = Listed(transactional_id, state, self._place())
        elif table is Table.DESCRIPTION:
            transactional_id, value, asked_ms = description_row(row)
            self.reading.asked_ms = max(self.reading.asked_ms, asked_ms)
            place = self._place()
            self._answers.append(
                CoordinatorEntry(transactional_id, place, -1, value.last_update_ms, value, place)
            )
        elif table is Table.HANGING:
            name, entry = hanging_row(row)
            self._partition(name).rows.append((entry, self._place()))
        elif self._asked_for is None:
            return Skipped.NO_PARTITION
        else:
            self._partition(self._asked_for).rows.append((producer_row(row), self._place()))
        return None

    def _coordinator(self, partition: TextPartition) -> None:
        coordinator = self.reading.coordinator
        log = ReadLog(is_printed=True)
        if partition.dumped:
            coordinator.partitions.append(partition.name)
            coordinator.logs[partition.name] = log
        for damage in partition.damage:
            log.add_flaw(words("flaw.damaged", place=f"{partition.name}: {damage}"))
        for facts, records in partition.batches():
            log.follow(facts.base_offset, facts.last_offset)
            if facts.control_type is None and not records:
                self._count(Skipped.NO_RECORDS)
                log.add_flaw(
                    words("flaw.no_records", place=place_words(f"{facts.file}: offset {facts.base_offset}"))
                )
            for record in records:
                try:
                    transactional_id, value = transaction_record(record.key or "", record.payload or "")
                    offset, time = number(record.fields, "offset"), number(record.fields, "createtime", -1)
                except UnreadableError as error:
                    place = f"{facts.file}: offset {record.fields['offset']}"
                    coordinator.add_damage(f"{place}: {error}")
                    log.add_flaw(words("flaw.damaged", place=place_words(place)))
                    continue
                log.newest_ms = max(log.newest_ms, time)
                coordinator.add(CoordinatorEntry(transactional_id, partition.name, offset, time, value))

    def _groups(self, partition: TextPartition) -> None:
        groups = GroupOffsets(partitions=[partition.name])
        for facts, records in partition.batches():
            if facts.control_type is not None:
                groups.end(facts.producer_id, facts.control_type == "COMMIT")
                continue
            offsets = {}
            for record in records:
                try:
                    found = offset_record(record.key or "", record.payload or "")
                except UnreadableError as error:
                    groups.add_damage(f"{facts.file}: offset {record.fields['offset']}: {error}")
                    continue
                if found is not None:
                    offsets[found[0]] = found[1]
            groups.add(facts.producer_id if facts.is_transactional else None, offsets)
        self.reading.groups.take(groups)


def _is_garbled(reason: Skipped | None, line: str) -> bool:
    """Whether a line of a dumped segment that was skipped may have been about a batch."""
    return reason is Skipped.UNREADABLE or (reason is Skipped.FOREIGN and _PART_OF_A_BATCH in line)


def _legacy(name: str, segment: int, fields: Fields) -> BatchFacts:
    offset = number(fields, "offset")
    file = f"{name}/{segment:020}.log"
    return BatchFacts(file, number(fields, "position", -1), int(fields["magic"]), offset, offset)
