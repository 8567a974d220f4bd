"""Computes the lowest possible end of a log from the files beside its segments. A log that ends before it was
truncated, or was copied before these files.

Source: Kafka's `ProducerStateManager`: a snapshot is named after the log's end at that time, and an entry of
a `.txnindex` has the offset of a marker. `LeaderEpochFileCache`: a leader epoch begins where the log ended at
that time.
"""

from typing import Protocol

from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from eosviz.pipeline.kafka_logs.partition import Partition

_NAME_DIGITS = 20
"""The number of digits of an offset in a file's name."""

Snapshot = tuple[str, tuple[ProducerEntry, ...]]
"""The name and the entries of a partition's newest `.snapshot`."""


class Beside(Protocol):
    """What was read beside a partition's batches, from a folder, a text or a bundle."""

    @property
    def newest_snapshot(self) -> Snapshot | None: ...

    @property
    def is_empty_segment_alone(self) -> bool: ...

    @property
    def aborted_in_files(self) -> tuple[tuple[AbortedTransaction, ...], tuple[str, ...]]: ...

    @property
    def newest_epoch_start(self) -> int:
        """The first offset of the newest leader epoch; 0 if unknown."""


class FolderlessPartition:
    """The base class of partitions that were read from a text or a bundle and have no folder."""

    __slots__ = ()

    @property
    def newest_epoch_start(self) -> int:
        return 0

    @property
    def has_later_segments(self) -> bool:
        return False

    @property
    def is_preallocated(self) -> bool:
        return True


def base_offset_of_snapshot(name: str) -> int:
    """The log's end when a `.snapshot` was taken, from the file's name; 0 if the name contains no offset."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _NAME_DIGITS else 0


def end_in_files(source: Beside) -> int:
    """The highest end of the log that a file beside it proves; 0 if none proves one."""
    snapshot = source.newest_snapshot
    ends = [] if snapshot is None else [base_offset_of_snapshot(snapshot[0])]
    ends.append(source.newest_epoch_start)
    entries, _ = source.aborted_in_files
    ends.extend(entry.last_offset + 1 for entry in entries[-1:])
    return max(ends, default=0)


def doubt_a_cut_tail(partition: Partition, source: Beside) -> int | None:
    """If a file beside the log proves a later end than the log has, put all offsets below that end in doubt
    and return the end. Otherwise return None."""
    end = end_in_files(source)
    if end <= partition.log_end or partition.log_end < 0:
        return None
    partition.doubt(end)
    return end
