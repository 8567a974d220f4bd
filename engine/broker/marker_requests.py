"""WriteTxnMarkers at a leader: outcomes become control batches in the log (MRK-4 to MRK-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.broker.internal_topics import is_internal
from engine.broker.produce import append_for_broker
from engine.broker.produce_rules import RECORD_VERSION
from engine.broker.request_rules import Arrived
from engine.errors import EngineError, Error
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
from engine.rules import Rule, say_refused

if TYPE_CHECKING:
    from engine.broker.broker import Broker

MARKER_BYTES = 78
"""A control batch: 61 bytes of batch, a record with a key of 4 and a value of 6 (MSG-3)."""


def cluster_action_denied(arrived: Arrived) -> bool:
    return arrived.broker.is_denied("ClusterAction", "cluster")


MARKER_RULE: Rule[Arrived] = Rule(
    when=cluster_action_denied,
    answer=Error.CLUSTER_AUTHORIZATION_FAILED,
    spec="MRK-4",
    why="broker.markers_denied",
    next_key="refusal.coordinator_stops_markers",
    says=("broker", "coordinator"),
    compares=(("coordinator", "coordinator"),),
)


class MarkersBeingWritten:
    """One WriteTxnMarkers request until each of its entries is appended and replicated."""

    __slots__ = ("coordinator", "correlation_id", "errors", "left")

    def __init__(self, coordinator: str, correlation_id: int, left: int) -> None:
        self.coordinator = coordinator
        self.correlation_id = correlation_id
        self.errors: dict[int, dict[str, Error]] = {}
        self.left = left
        """Entries whose append has not ended."""


def handle_write_markers(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """Append a control record per partition of each entry; answer when all of it is replicated (MRK-4)."""
    request = envelope.body
    if type(request) is not WriteTxnMarkersRequest:
        raise EngineError(f"{broker.name}: {request!r} is not a WriteTxnMarkers request")
    if MARKER_RULE.when(Arrived(broker, request, envelope.source)):
        facts = {"broker": broker.name, "coordinator": envelope.source}
        say_refused(broker.watch, MARKER_RULE, facts)
        errors = {
            entry.producer_id: dict.fromkeys(entry.partitions, MARKER_RULE.answer)
            for entry in request.entries
        }
        return [Send(envelope.source, WriteTxnMarkersResponse(errors=errors), envelope.correlation_id, True)]
    if not request.entries:
        return [Send(envelope.source, WriteTxnMarkersResponse(errors={}), envelope.correlation_id, True)]
    writing = MarkersBeingWritten(envelope.source, envelope.correlation_id, len(request.entries))
    broker.markers_being_written += 1
    number = broker.markers_being_written
    broker.marker_writes[number] = writing
    effects: Effects = []
    for entry in request.entries:
        batches = {partition: control_batch(entry, now) for partition in _holdable(broker, writing, entry)}
        if not batches:
            effects.extend(_entry_ended(broker, number, writing))
            continue
        effects.extend(
            append_for_broker(
                broker,
                batches,
                ("markers", (number, entry)),
                now,
                timeout_ms=broker.configuration.marker_request_timeout_ms,
            )
        )
    return effects


def control_batch(entry: TxnMarkerEntry, now: int) -> RecordBatch:
    """The marker: one control record, without a sequence (MSG-3)."""
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


def markers_appended(
    broker: Broker, argument: Any, answers: dict[str, PartitionProduceResponse], now: int
) -> Effects:
    """One entry's append ended; a marker on an offsets partition decides its pending offsets first (MRK-7)."""
    number, entry = argument
    effects: Effects = []
    writing = broker.marker_writes.get(number)
    if writing is None:
        return effects
    groups = broker.groups
    for partition, answer in answers.items():
        if answer.error is Error.NONE and is_internal(partition) and groups is not None:
            effects.extend(groups.on_marker(partition, entry.producer_id, entry.result == "COMMIT", now))
    errors = writing.errors.setdefault(entry.producer_id, {})
    errors.update((partition, answer.error) for partition, answer in answers.items())
    return effects + _entry_ended(broker, number, writing)


def _holdable(broker: Broker, writing: MarkersBeingWritten, entry: TxnMarkerEntry) -> list[str]:
    """The entry's partitions without those whose format cannot hold a marker, which are answered so (MRK-4)."""
    held = []
    for partition in entry.partitions:
        replica = broker.replicas.get(partition)
        if replica is None or replica.record_version >= RECORD_VERSION:
            held.append(partition)
            continue
        writing.errors.setdefault(entry.producer_id, {})[partition] = Error.UNSUPPORTED_FOR_MESSAGE_FORMAT
        broker.watch.say(
            "broker.format_without_markers",
            ("MRK-4", "MSG-4"),
            broker=broker.name,
            partition=partition,
            version=replica.record_version,
            result=entry.result,
            producer_id=entry.producer_id,
        )
    return held


def _entry_ended(broker: Broker, number: int, writing: MarkersBeingWritten) -> Effects:
    """The request is answered when none of its entries is left (MRK-4)."""
    writing.left -= 1
    if writing.left:
        return []
    del broker.marker_writes[number]
    body = WriteTxnMarkersResponse(errors=writing.errors)
    return [Send(writing.coordinator, body, writing.correlation_id, True)]
