"""The lane of one partition of a log case: the changes that each batch makes in the view of docs/frame.md.

Owns the rule for which batches the lane can hold: those after the last one, at offsets that a browser
represents exactly. The effects of a batch on producers, open transactions and the last stable offset are not
computed here: the broker's own `PartitionLog` takes every undamaged batch, as a follower does that fetches it.
Damaged batches, and control batches that are known to be no markers, only take their offsets.

A segment does not hold the high watermark. The lane treats everything in the file as replicated, so its last
stable offset is that of a broker that has only this file.
"""

import copy
from collections.abc import Mapping
from typing import Any, cast

from engine.broker.append_rules import Rules
from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.broker.parts import BatchPart, ProducerPart
from engine.broker.validation import Origin
from engine.codec.batch_message import coordinator_epoch_of, message_of
from engine.codec.control_record import MARKER_TYPES, ControlType
from engine.codec.partition_folder import Segment
from engine.codec.record_batch import CODEC_NAMES
from engine.codec.segment import BatchRow
from engine.errors import Error
from engine.messages import RecordBatch
from engine.profiles import K41
from engine.shapes.logs import LogBatchView, LogPointers, PartitionView, ProducerStateView, ReplicaView
from engine.switches import Switches
from engine.watching import Watch

Json = dict[str, Any]

FILE_REPLICA = 0
"""The number of the only replica, because a segment file does not name its broker."""

NUMBER_MAX = 2**53 - 1
"""The largest integer that a browser represents exactly; larger ids are passed as text."""

PROFILE = K41
"""The newest profile replays the log: all versions that write batches store and load them in the same way."""

_RULES = Rules(PROFILE, Switches())
_OUTCOMES = {ControlType.ABORT.name: "aborted", ControlType.COMMIT.name: "committed"}


def exact(number: int) -> int | str:
    """The number, or its text if a browser would round it."""
    return number if -NUMBER_MAX <= number <= NUMBER_MAX else str(number)


class Lane:
    """The lane of one partition. It is empty at first, and begins at `first_offset`."""

    __slots__ = ("_open", "_replica", "leader_epoch", "log", "partition")

    def __init__(self, partition: str, first_offset: int) -> None:
        self.partition = partition
        self.leader_epoch = -1
        log = PartitionLog(
            partition,
            FILE_REPLICA,
            profile=PROFILE,
            switches=Switches(),
            configuration=BrokerConfiguration(),
            watch=Watch(),
            rules=_RULES,
        )
        log.segments = []
        log.log_start = log.log_end = log.high_watermark = first_offset
        self.log = log
        self._replica: list[str] = ["partitions", partition, "replicas", str(FILE_REPLICA)]
        self._open: dict[int, list[int]] = {}
        """Dict of producer id → base offsets of its batches whose transactions no marker has ended."""

    def view(self) -> PartitionView:
        """The partition's entry in the view before the first step; its log is empty."""
        replica: ReplicaView = {
            **cast("ReplicaView", self.log.pointers()),
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

    def start_segment(self, segment: Segment) -> list[Json]:
        """Note that a segment begins, before its first row; returns the changes. Nothing happens if its base
        offset is unknown or above NUMBER_MAX."""
        if segment.base_offset is None or segment.base_offset > NUMBER_MAX:
            return []
        before = self.log.pointers()
        self.log.segments.append(segment.base_offset)
        return _differences(self._replica, before, self.log.pointers())

    def holds(self, row: BatchRow) -> bool:
        """Whether the batch can follow the others in the log. If not, it is reported, but not drawn."""
        header = row.header
        return self.log.log_end <= header.base_offset <= header.last_offset < NUMBER_MAX

    def append(self, row: BatchRow, at: int) -> list[Json]:
        """Append `row`, for which `holds` must be True; returns the changes. `at` in milliseconds since the first
        batch."""
        header = row.header
        before = self._state(header.producer_id)
        decided = self._replay(row, at)
        changes = [
            {"path": self._batch_path(header.base_offset), "after": _batch_view(row, at)},
            *decided,
            *self._moved(header.producer_id, before),
        ]
        if header.partition_leader_epoch != self.leader_epoch:
            path = ["partitions", self.partition, "leader_epoch"]
            earlier, self.leader_epoch = self.leader_epoch, header.partition_leader_epoch
            changes.append({"path": path, "before": earlier, "after": self.leader_epoch})
        return changes

    def append_marker(self, marker: RecordBatch, at: int) -> tuple[Error, list[Json]]:
        """Append a marker that is in no file, as this log's leader would. Returns the leader's answer, and
        the changes if it was stored."""
        log, producer_id = self.log, marker.producer_id
        before = self._state(producer_id)
        appended = log.append_as_leader(
            (marker,), at, leader_epoch=self.leader_epoch, origin=Origin.COORDINATOR
        )
        if appended.error is not Error.NONE:
            return appended.error, []
        log.set_high_watermark(log.log_end)
        stored: Mapping[str, Any] = BatchPart(log, appended.base_offset).view() or {}
        view = {**stored, "producer_id": exact(producer_id), "codec": CODEC_NAMES[0], "damaged": False}
        return Error.NONE, [
            {"path": self._batch_path(appended.base_offset), "after": view},
            *self._decide(producer_id, _OUTCOMES[str(marker.control_type)]),
            *self._moved(producer_id, before),
        ]

    def commits_under_newer_epoch(self, row: BatchRow) -> bool:
        """Whether the batch is the COMMIT marker of an open transaction whose data has a lower epoch."""
        if row.damage or row.control is None or row.control.type_code != ControlType.COMMIT:
            return False
        entry = self.log.producers.entries.get(row.header.producer_id)
        if entry is None or entry.transaction_first_offset is None:
            return False
        return entry.producer_epoch < row.header.producer_epoch

    def is_open(self, producer_id: int, first_offset: int) -> bool:
        """Whether a transaction of this producer has been open since this offset."""
        return self.log.producers.open_transactions.get(first_offset) == producer_id

    def copied(self, producer_id: int) -> "Lane":
        """A copy of the lane to which a marker of this producer can be appended. It shares what the marker
        cannot change."""
        log, producers = self.log, self.log.producers
        others = [entry for known, entry in producers.entries.items() if known != producer_id]
        shared = (log.watch, producers.markers, producers.rules, producers.snapshots, *others, *log.batches)
        return copy.deepcopy(self, {id(one): one for one in shared})

    def _state(self, producer_id: int) -> tuple[LogPointers, ProducerStateView | None]:
        return self.log.pointers(), self._producer(producer_id)

    def _moved(self, producer_id: int, before: tuple[LogPointers, ProducerStateView | None]) -> list[Json]:
        pointers, producer = before
        changes = _differences(self._replica, pointers, self.log.pointers())
        known = self._producer(producer_id)
        if known is None:
            return changes
        path = [*self._replica, "producers", str(producer_id)]
        entry = [{"path": path, "after": known}] if producer is None else _differences(path, producer, known)
        return changes + entry

    def _replay(self, row: BatchRow, at: int) -> list[Json]:
        """Append the batch to the log. Returns the changes that show the outcome of the batches that a marker
        decides."""
        header, log = row.header, self.log
        if row.damage or (header.is_control and not (_is_marker(row) or row.has_unknown_end)):
            # The batch occupies its offsets, and changes no other state.
            log.log_end = header.last_offset + 1
            log.set_high_watermark(log.log_end)
            return []
        # The log cleaner leaves gaps between offsets, but an append has none, so the log end is moved first.
        log.log_end = header.base_offset
        log.append_as_follower([message_of(row, at)], at)
        log.set_high_watermark(log.log_end)
        if not header.is_control:
            if header.is_transactional:
                self._open.setdefault(header.producer_id, []).append(header.base_offset)
            return []
        return self._decide(header.producer_id, _OUTCOMES.get(_control_name(row) or "", "ended"))

    def _decide(self, producer_id: int, outcome: str) -> list[Json]:
        return [
            {"path": [*self._batch_path(base_offset), "outcome"], "before": "open", "after": outcome}
            for base_offset in self._open.pop(producer_id, [])
        ]

    def _producer(self, producer_id: int) -> ProducerStateView | None:
        return ProducerPart(self.log, producer_id).view()

    def _batch_path(self, base_offset: int) -> list[str]:
        return [*self._replica, "batches", str(base_offset)]


def _is_marker(row: BatchRow) -> bool:
    return row.control is not None and row.control.type_code in MARKER_TYPES


def _control_name(row: BatchRow) -> str | None:
    """The name of the control type; None for data; `?` if the control record cannot be read."""
    if row.control is not None:
        return row.control.type_name
    return "?" if row.header.is_control else None


def _batch_view(row: BatchRow, at: int) -> LogBatchView:
    """The batch in its lane. `outcome` is only there for data of a transaction; `ended` means that it is
    unknown."""
    header = row.header
    view: LogBatchView = {
        "base_offset": header.base_offset,
        "last_offset": header.last_offset,
        "record_count": header.record_count,
        "producer_id": exact(header.producer_id),
        "producer_epoch": header.producer_epoch,
        "first_sequence": header.base_sequence,
        "last_sequence": header.last_sequence,
        "transactional": header.is_transactional,
        "control": _control_name(row),
        "coordinator_epoch": coordinator_epoch_of(row),
        "leader_epoch": header.partition_leader_epoch,
        "serials": [],
        "appended_at": at,
        "size": header.size,
        "codec": header.codec,
        "damaged": bool(row.damage),
    }
    if header.is_transactional and not header.is_control and not row.damage:
        view["outcome"] = "open"
    return view


def _differences(path: list[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Json]:
    """A change for each key with a different value. Both objects have the same keys."""
    return [
        {"path": [*path, key], "before": before[key], "after": value}
        for key, value in after.items()
        if before[key] != value
    ]
