"""A partition as printed text shows it. It has the properties of a `PartitionDirectory` that the analysis
reads."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from eosviz.pipeline.kafka_logs.batch_facts import UNKNOWN_END, BatchFacts, Layout, every_offset, merged
from eosviz.pipeline.kafka_logs.log_tails import FolderlessPartition, base_offset_of_snapshot
from eosviz.pipeline.kafka_logs.origins import NOWHERE, Origin
from eosviz.pipeline.kafka_logs.partition import DAMAGE_MAX, Partition, know
from eosviz.pipeline.kafka_logs.text_fields import Fields, RecordLine, number, truth

INVALID = "the dump says isvalid: false"
"""The damage of a batch that a dump calls invalid. A dump does not say what is wrong with it."""


@dataclass(slots=True)
class DumpedBatch:
    """A batch as a dump shows it: a line of its own and the lines of its records. In old dumps, only the
    lines of records with the same position."""

    fields: Fields
    place: str
    records: list[RecordLine] = field(default_factory=list)

    @property
    def has_own_line(self) -> bool:
        return "baseoffset" in self.fields

    def takes(self, record: RecordLine) -> bool:
        """Whether the record belongs to this batch."""
        if self.has_own_line:
            offset = number(record.fields, "offset")
            return number(self.fields, "baseoffset") <= offset <= number(self.fields, "lastoffset")
        same = ("position", "producerid", "producerepoch")
        return all(self.fields.get(name) == record.fields.get(name) for name in same)

    def facts(self, file: str) -> BatchFacts:
        """The facts of the batch. `file`: the name of its segment. Raises UnreadableError if a field is
        missing or is no number."""
        fields = self.fields
        offsets = [number(one.fields, "offset") for one in self.records]
        base = number(fields, "baseoffset", offsets[0] if offsets else None)
        last = number(fields, "lastoffset", offsets[-1] if offsets else None)
        records = number(fields, "count", len(offsets) or last - base + 1)
        sequences = [number(one.fields, "sequence", -1) for one in self.records] or [-1]
        marker = next((one for one in self.records if one.marker), None)
        is_control = marker is not None or truth(fields, "iscontrol")
        return BatchFacts(
            file=file,
            position=number(fields, "position", -1),
            magic=number(fields, "magic", 2),
            base_offset=base,
            last_offset=last,
            records=records,
            offsets=merged([(one, one) for one in offsets]) or every_offset(base, last, records),
            producer_id=number(fields, "producerid"),
            producer_epoch=number(fields, "producerepoch"),
            base_sequence=number(fields, "basesequence", sequences[0]),
            last_sequence=number(fields, "lastsequence", sequences[-1]),
            is_transactional=truth(fields, "istransactional"),
            control_type=(marker.marker if marker else UNKNOWN_END) if is_control else None,
            coordinator_epoch=marker.coordinator_epoch if marker else -1,
            max_timestamp=number(fields, "createtime", number(fields, "logappendtime", -1)),
            damage=INVALID if fields.get("isvalid") == "false" else None,
        )

    @property
    def layout(self) -> Layout:
        """The layout of the batch. Raises UnreadableError if a field is no number."""
        fields = self.fields
        # Some versions of the dump tool print the names of codecs in capital letters.
        codec = fields.get("compresscodec", "none").lower()
        return Layout(number(fields, "size", -1), codec, number(fields, "partitionleaderepoch", -1))


@dataclass(slots=True)
class TextPartition(FolderlessPartition):
    """What printed text shows of one partition."""

    name: str
    path: Path
    """The first text that mentions the partition. Empty if only log lines mention it."""
    dumped: dict[int, list[tuple[BatchFacts, Layout, list[RecordLine]]]] = field(default_factory=dict)
    """Dict of base offset of a segment → its batches. Only batches of internal topics have their records."""
    snapshots: dict[str, list[tuple[ProducerEntry, str]]] = field(default_factory=dict)
    """Dict of name of a snapshot → its producers, each with the place of its line."""
    rows: list[tuple[ProducerEntry, str]] = field(default_factory=list)
    """The producers in a running broker's answer, each with the place of its line."""
    aborted: list[AbortedTransaction] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    is_garbled: bool = False
    """Whether some lines between the batches could not be read."""

    @property
    def origin(self) -> Origin:
        """Unknown, because texts do not name the cluster."""
        return NOWHERE

    @property
    def is_empty_segment_alone(self) -> bool:
        return False

    @property
    def segments(self) -> tuple[int, ...]:
        return tuple(sorted(self.dumped))

    @property
    def segment_bases(self) -> tuple[int, ...]:
        return self.segments

    @property
    def asked(self) -> list[tuple[ProducerEntry, str]]:
        """The producers in answers of running brokers, each with the place of its line. If there are no
        batches, the producers of the newest printed snapshot come before them."""
        newest = self.snapshots[max(self.snapshots)] if self.snapshots and not self.dumped else []
        return [*newest, *self.rows]

    @property
    def text_damage(self) -> list[str]:
        return self.damage

    @property
    def log_start(self) -> tuple[int, str]:
        return (min(self.dumped), "first dumped segment") if self.dumped else (0, "unknown")

    @property
    def log_end_min(self) -> int:
        """The lowest possible end of the log; -1 if there is neither a dump nor a snapshot."""
        bases = [*self.dumped, *(base_offset_of_snapshot(name) for name in self.snapshots)]
        return max(bases, default=-1)

    @property
    def aborted_in_files(self) -> tuple[tuple[AbortedTransaction, ...], tuple[str, ...]]:
        return tuple(self.aborted), ()

    @property
    def newest_snapshot(self) -> tuple[str, tuple[ProducerEntry, ...]] | None:
        """The name and the producers of the newest printed snapshot. None if there are no batches, because
        then `asked` contains these producers."""
        if not self.snapshots or not self.dumped:
            return None
        name = max(self.snapshots)
        return name, tuple(entry for entry, _ in self.snapshots[name])

    def batches(self) -> Iterator[tuple[BatchFacts, list[RecordLine]]]:
        """The facts and the records of each batch, in the order of the log."""
        for segment in self.segments:
            yield from ((facts, records) for facts, _, records in self.dumped[segment])

    def shown(self) -> Iterator[tuple[int, BatchFacts, Layout]]:
        """For each batch, in order: the base offset of its segment, its facts and its layout."""
        for segment in self.segments:
            yield from ((segment, facts, layout) for facts, layout, _ in self.dumped[segment])

    def folded(self) -> Partition:
        """The state of the partition after its batches or, if there is no dump, with the producers that were
        printed."""
        partition = Partition(self.name, damage=self.damage[:DAMAGE_MAX], corrupt=len(self.damage))
        partition.is_printed = bool(self.dumped)
        for facts, _ in self.batches():
            partition.add(facts)
        if self.damage or self.is_garbled:
            partition.doubt(partition.log_end)
        if not self.dumped:
            for entry, place in self.asked:
                know(partition, entry, place)
            partition.log_end = self.log_end_min
        return partition
