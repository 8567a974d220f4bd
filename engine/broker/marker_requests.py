"""WriteTxnMarkers at a leader: the outcomes of transactions become control batches in the log (MRK-4 to MRK-7)."""

from __future__ import annotations

from typing import Any

from engine.broker.appending import Appending
from engine.broker.group_host import GroupHost
from engine.broker.produce_rules import RECORD_VERSION
from engine.broker.request_rules import Arrived
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.logs import FormatWithoutMarkers
from engine.happenings.requests import RequestRefused
from engine.messages import (
    Effects,
    Envelope,
    PartitionProduceResponse,
    RecordBatch,
    Send,
    TxnMarkerEntry,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from engine.rules import Rule
from engine.topic_partition import is_internal

MARKER_BYTES = 78
"""Size of a control batch in bytes: 61 of the header and 17 of its record, of which the key takes 4 and the
value 6 (MSG-3)."""


def cluster_action_denied(arrived: Arrived) -> bool:
    return arrived.permissions.is_denied("ClusterAction", "cluster")


MARKER_RULE: Rule[Arrived] = Rule(
    when=cluster_action_denied,
    answer=Error.CLUSTER_AUTHORIZATION_FAILED,
    spec="MRK-4",
    why=Reason.MARKERS_DENIED,
    then=Next.COORDINATOR_DISCARDS_RESPONSE,
    says=("broker", "coordinator"),
    compares=((Compared.COORDINATOR, "coordinator"),),
)


class MarkersBeingWritten:
    """One WriteTxnMarkers request, kept until the append of each of its entries has ended."""

    __slots__ = ("coordinator", "correlation_id", "errors", "left")

    def __init__(self, coordinator: str, correlation_id: int, left: int) -> None:
        self.coordinator = coordinator
        self.correlation_id = correlation_id
        self.errors: dict[int, dict[str, Error]] = {}
        self.left = left
        """Number of entries whose append has not ended."""


class WriteMarkersHandler:
    """Handles the WriteTxnMarkers requests at one broker. Owns the requests that have no response yet."""

    __slots__ = ("appending", "groups", "newest", "setup", "writing")

    def __init__(self, setup: Setup, appending: Appending, groups: GroupHost | None) -> None:
        self.setup = setup
        self.appending = appending
        self.groups = groups
        self.writing: dict[int, MarkersBeingWritten] = {}
        self.newest = 0
        """The number of the newest request; ``writing`` has the requests by number."""

    def crash(self) -> None:
        self.writing.clear()

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Append a control record to each partition of each entry. The response is sent when every append is
        replicated, refused or timed out (MRK-4)."""
        request = envelope.body
        if type(request) is not WriteTxnMarkersRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a WriteTxnMarkers request")
        if MARKER_RULE.when(Arrived(request, self.appending.permissions, self.appending.cluster)):
            facts = {"broker": self.setup.name, "coordinator": envelope.source}
            self.setup.watch.emit(RequestRefused, MARKER_RULE, facts)
            errors = {
                entry.producer_id: dict.fromkeys(entry.partitions, MARKER_RULE.answer)
                for entry in request.entries
            }
            return [
                Send(envelope.source, WriteTxnMarkersResponse(errors=errors), envelope.correlation_id, True)
            ]
        if not request.entries:
            return [Send(envelope.source, WriteTxnMarkersResponse(errors={}), envelope.correlation_id, True)]
        writing = MarkersBeingWritten(envelope.source, envelope.correlation_id, len(request.entries))
        self.newest += 1
        number = self.newest
        self.writing[number] = writing
        effects: Effects = []
        for entry in request.entries:
            batches = {partition: control_batch(entry, now) for partition in self._holdable(writing, entry)}
            if not batches:
                effects.extend(self._entry_ended(number, writing))
                continue
            effects.extend(
                self.appending.for_broker(
                    batches,
                    (self, (number, entry)),
                    now,
                    timeout_ms=self.setup.configuration.marker_request_timeout_ms,
                )
            )
        return effects

    def appended(self, argument: Any, answers: dict[str, PartitionProduceResponse], now: int) -> Effects:
        """Called when the append of one entry has ended: commit or drop the pending offsets that the entry
        decides, and note the results (MRK-7). ``argument``: (number of the request, entry)."""
        number, entry = argument
        effects: Effects = []
        writing = self.writing.get(number)
        if writing is None:
            return effects
        groups = self.groups
        for partition, answer in answers.items():
            if answer.error is Error.NONE and is_internal(partition) and groups is not None:
                effects.extend(groups.on_marker(partition, entry.producer_id, entry.result == "COMMIT", now))
        errors = writing.errors.setdefault(entry.producer_id, {})
        errors.update((partition, answer.error) for partition, answer in answers.items())
        return effects + self._entry_ended(number, writing)

    def _holdable(self, writing: MarkersBeingWritten, entry: TxnMarkerEntry) -> list[str]:
        """The entry's partitions whose record format can hold a marker (MRK-4)."""
        held = []
        for partition in entry.partitions:
            replica = self.appending.replicas.get(partition)
            if replica is None or replica.record_version >= RECORD_VERSION:
                held.append(partition)
                continue
            writing.errors.setdefault(entry.producer_id, {})[partition] = Error.UNSUPPORTED_FOR_MESSAGE_FORMAT
            self.setup.watch.emit(
                FormatWithoutMarkers,
                self.setup.name,
                partition,
                replica.record_version,
                entry.result,
                entry.producer_id,
            )
        return held

    def _entry_ended(self, number: int, writing: MarkersBeingWritten) -> Effects:
        writing.left -= 1
        if writing.left:
            return []
        del self.writing[number]
        body = WriteTxnMarkersResponse(errors=writing.errors)
        return [Send(writing.coordinator, body, writing.correlation_id, True)]


def control_batch(entry: TxnMarkerEntry, now: int) -> RecordBatch:
    """The control batch for a marker: it has one control record and no sequence number (MSG-3)."""
    return RecordBatch(
        record_count=1,
        last_offset_delta=0,
        producer_id=entry.producer_id,
        producer_epoch=entry.producer_epoch,
        is_transactional=True,
        is_control=True,
        control_type=entry.result,
        coordinator_epoch=entry.coordinator_epoch,
        max_timestamp=now,
        size=MARKER_BYTES,
    )
