"""The lane of one partition of a log case: what each batch changes in the view of docs/frame.md.

Owns which batches can stand in the lane: those behind the last one, at offsets that a browser counts exactly.
"""

from dataclasses import dataclass, field
from typing import Any

from engine.codec.control_record import MARKER_TYPES
from engine.codec.partition_folder import SegmentFile
from engine.codec.segment import BatchRow

Json = dict[str, Any]

FILE_REPLICA = 0
"""A file does not say on which broker it lay: its one replica has this number."""

NUMBER_MAX = 2**53 - 1
"""The largest integer that a browser reads exactly; larger ids go as text."""


def exact(number: int) -> int | str:
    """The number, as text where a browser would round it."""
    return number if -NUMBER_MAX <= number <= NUMBER_MAX else str(number)


@dataclass(slots=True)
class Lane:
    """What the view shows of one partition so far."""

    partition: str
    log_end: int
    leader_epoch: int = -1
    segments: list[int] = field(default_factory=list)

    def view(self) -> Json:
        """The partition's part of the first view. What a segment does not tell is null."""
        replica: Json = {
            "log_start": self.log_end,
            "log_end": self.log_end,
            "high_watermark": None,
            "last_stable_offset": None,
            "segments": list(self.segments),
            "waiting": [],
            "batches": {},
            "producers": {},
        }
        return {
            "leader": FILE_REPLICA,
            "leader_epoch": self.leader_epoch,
            "isr": [FILE_REPLICA],
            "replica_order": [FILE_REPLICA],
            "min_isr": 1,
            "deleted": False,
            "replicas": {str(FILE_REPLICA): replica},
        }

    def start_segment(self, segment: SegmentFile) -> list[Json]:
        """The changes when the first row of a segment is read."""
        if segment.base_offset is None or segment.base_offset > NUMBER_MAX:
            return []
        before = list(self.segments)
        self.segments.append(segment.base_offset)
        return [{"path": [*self._replica, "segments"], "before": before, "after": list(self.segments)}]

    def holds(self, row: BatchRow) -> bool:
        """Whether the batch can stand behind the others. One that cannot is told, not drawn."""
        header = row.header
        return self.log_end <= header.base_offset <= header.last_offset < NUMBER_MAX

    def append(self, row: BatchRow, at: int) -> list[Json]:
        """The changes when `row`, which the lane holds, is appended; `at` in milliseconds since the first
        batch.
        """
        header = row.header
        changes: list[Json] = [
            {"path": [*self._replica, "batches", str(header.base_offset)], "after": _batch_view(row, at)},
            {"path": [*self._replica, "log_end"], "before": self.log_end, "after": header.last_offset + 1},
        ]
        self.log_end = header.last_offset + 1
        if header.partition_leader_epoch != self.leader_epoch:
            path = ["partitions", self.partition, "leader_epoch"]
            before, self.leader_epoch = self.leader_epoch, header.partition_leader_epoch
            changes.append({"path": path, "before": before, "after": self.leader_epoch})
        return changes

    @property
    def _replica(self) -> list[str]:
        return ["partitions", self.partition, "replicas", str(FILE_REPLICA)]


def _batch_view(row: BatchRow, at: int) -> Json:
    header, control = row.header, row.control
    marks = control is not None and control.type_code in MARKER_TYPES
    return {
        "base_offset": header.base_offset,
        "last_offset": header.last_offset,
        "record_count": header.record_count,
        "producer_id": exact(header.producer_id),
        "producer_epoch": header.producer_epoch,
        "first_sequence": header.base_sequence,
        "last_sequence": header.last_sequence,
        "transactional": header.is_transactional,
        "control": None if control is None else control.type_name,
        "coordinator_epoch": control.coordinator_epoch if control is not None and marks else -1,
        "leader_epoch": header.partition_leader_epoch,
        "serials": [],
        "appended_at": at,
        "size": header.size,
        "codec": header.codec,
        "damaged": bool(row.damage),
    }
