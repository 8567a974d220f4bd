"""Reads the partitions of `__transaction_state`, `__consumer_offsets` and `__cluster_metadata`, each
separately, and combines the results."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.codec import cluster_metadata_record
from engine.codec.cluster_metadata_record import TopicPartitions
from engine.codec.segment import BatchRow, Row
from eosviz.pipeline.kafka_logs import coordinator as coordinator_log
from eosviz.pipeline.kafka_logs import groups as group_offsets
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.directories import PartitionDirectory, cleaned_up_to
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.log_tails import end_in_files
from eosviz.pipeline.kafka_logs.words import words

METADATA_SNAPSHOT = ".checkpoint"


@dataclass(slots=True)
class ClusterMetadata:
    """What the controllers' log, `__cluster_metadata`, says about `__transaction_state`. `place`: where it
    says so."""

    transaction_partitions: int | None = None
    """The number of partitions of `__transaction_state`; None if unknown."""
    place: str = ""
    topics: TopicPartitions = field(default_factory=TopicPartitions, repr=False, compare=False)

    def read(self, name: str, rows: Iterable[Row]) -> None:
        """Take in the rows of `__cluster_metadata`, or of a snapshot of it. Damaged batches are skipped."""
        for row in rows:
            if isinstance(row, BatchRow) and not row.damage and not row.header.is_control:
                self.topics.take(record.value for record in row.records if record.value is not None)
        self.transaction_partitions, self.place = self.topics.count(coordinator_log.TOPIC), name


Internal = Coordinator | GroupOffsets | ClusterMetadata
_READERS: dict[str, type[Internal]] = {
    coordinator_log.TOPIC: Coordinator,
    group_offsets.TOPIC: GroupOffsets,
    cluster_metadata_record.TOPIC: ClusterMetadata,
}


def is_internal(directory: PartitionDirectory) -> bool:
    """Whether the folder is a partition of `__transaction_state`, `__consumer_offsets` or `__cluster_metadata`."""
    return directory.name.rpartition("-")[0] in _READERS


def read_internal(directory: PartitionDirectory) -> Internal:
    """Reads a folder for which `is_internal` holds. Raises LogsError if a segment cannot be opened. Damage
    raises no error."""
    found = _READERS[directory.name.rpartition("-")[0]]()
    if isinstance(found, ClusterMetadata):
        found.read(directory.name, _snapshot_rows(directory))
    rows = directory.rows(segment_reader())
    if isinstance(found, Coordinator):
        found.read(directory.name, rows, directory.segment_bases)
        _judge_log(found, directory)
    else:
        found.read(directory.name, rows)
    return found


def _snapshot_rows(directory: PartitionDirectory) -> Iterator[Row]:
    """The rows of the newest snapshot of `__cluster_metadata`; none if the folder has no snapshot."""
    newest = max(directory.path.glob(f"*{METADATA_SNAPSHOT}"), default=None, key=lambda path: path.name)
    if newest is not None:
        yield from segment_reader().rows(newest.read_bytes())


def _judge_log(found: Coordinator, directory: PartitionDirectory) -> None:
    """Complete what is known about how completely a coordinator's log was read, with the folder's other
    files."""
    log = found.logs[directory.name]
    log.cluster_id, log.topic_id = directory.origin
    if log.hole_end <= cleaned_up_to(directory):
        log.has_holes = False
    start = directory.segment_bases[0]
    if start > 0:
        log.add_flaw(words("flaw.start", offset=start))
    log.is_bare = directory.is_empty_segment_alone
    if log.is_reserved and not directory.is_preallocated:
        log.add_flaw(words("flaw.zeros"))
    named_end = end_in_files(directory)
    if named_end > max(log.end, directory.log_end_min):
        log.add_flaw(words("flaw.tail", found=log.end, once=named_end))


class Together(NamedTuple):
    """What was read of all partitions of the three internal topics."""

    coordinator: Coordinator
    groups: GroupOffsets
    metadata: ClusterMetadata


def together(found: Iterable[Internal]) -> Together:
    """Combines what was read of single partitions."""
    all_of = Together(Coordinator(), GroupOffsets(), ClusterMetadata())
    for one in found:
        if isinstance(one, Coordinator):
            all_of.coordinator.take(one)
        elif isinstance(one, GroupOffsets):
            all_of.groups.take(one)
        elif one.transaction_partitions is not None:
            all_of = all_of._replace(metadata=one)
    return all_of
