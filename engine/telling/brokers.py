"""Sentences for brokers, except the sentences for their logs."""

from __future__ import annotations

from typing import Any

from engine.broker.producer_id_states import WRITING
from engine.errors import Error
from engine.happenings import brokers as happened
from engine.happenings.base import Happening
from engine.telling.machines import tell_row
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, params_of, phrase, says


def _became_leader(h: happened.BecameLeader, teller: Teller) -> None:
    key = "broker.became_leader_plain" if h.producer_count is None else "broker.became_leader"
    teller.note(key, ("LOG-10",), **params_of(h))


def _metadata_answered(h: happened.MetadataAnswered, teller: Teller) -> None:
    leaders = [f"{name}: {'–' if leader is None else f'broker-{leader}'}" for name, leader in h.leaders]
    known = {"broker": h.broker, "client": h.client}
    if leaders:
        teller.say("broker.metadata_answered", ("MSG-1",), leaders=leaders, **known)
    else:
        teller.say("broker.metadata_without_topics", ("MSG-1",), **known)


def _block_moved(h: happened.BlockMoved, teller: Teller) -> None:
    params: dict[str, Any] = {"broker": h.broker, "path": h.path}
    if h.version is not None:
        params["version"] = h.version
    if h.start is not None:
        params |= {"start": h.start, "end": h.end}
    if h.latest_end is not None:
        params["latest_end"] = h.latest_end
    if h.row.target == WRITING:
        params["condition"] = _condition(h)
    teller.say(row_key(h.row), (h.row.spec,), **params)
    tell_row(h.row, h.broker, teller)
    if h.latest_end is not None:
        teller.refuse(
            "PID-3",
            Error.UNKNOWN_SERVER_ERROR.name,
            [["latest block's end", h.latest_end], ["highest end to go on from", h.end_max]],
            "refusal.broker_cannot_hand_out",
        )


def _condition(h: happened.BlockMoved) -> dict[str, Any]:
    if not h.is_checked:
        return phrase("clause.block_unconditionally")
    return phrase("clause.block_if_unchanged", version=h.version)


def _producer_id_issued(h: happened.ProducerIdIssued, teller: Teller) -> None:
    teller.say(
        "broker.producer_id_issued",
        ("PID-1", "PID-5", "PID-8"),
        broker=h.broker,
        client=h.client,
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
        start=h.start,
        end=h.end,
    )
    if h.producer_id < 0:
        known = {"broker": h.broker, "producer_id": h.producer_id}
        teller.note("broker.producer_id_overflowed", ("PID-5",), **known)


def _partitions_not_added(h: happened.PartitionsNotAdded, teller: Teller) -> None:
    shown = [f"{name}: {error.name}" for name, error in h.errors]
    teller.say("broker.partitions_not_added", ("TXC-12",), broker=h.broker, client=h.client, errors=shown)
    first = next(error for _, error in h.errors if error is not Error.OPERATION_NOT_ATTEMPTED)
    retries = any(error is Error.UNKNOWN_TOPIC_OR_PARTITION for _, error in h.errors)
    following = "refusal.client_asks_again" if retries else "refusal.client_aborts"
    teller.refuse("TXC-12", first.name, [["partitions", shown]], following)


def _log_loaded(h: happened.LogLoaded, teller: Teller) -> None:
    teller.say(
        "coordinator.loaded" if h.transactional_ids else "coordinator.in_charge",
        ("TXC-22", "TXC-1") if h.transactional_ids else ("TXC-1", "FND-7"),
        coordinator=h.coordinator,
        partition=h.partition,
        coordinator_epoch=h.coordinator_epoch,
        transactional_ids=list(h.transactional_ids) or None,
    )


def _empty_log_loaded(h: happened.EmptyLogLoaded, teller: Teller) -> None:
    teller.note(
        "coordinator.in_charge",
        ("TXC-1", "FND-7"),
        coordinator=h.coordinator,
        partition=h.partition,
        coordinator_epoch=h.coordinator_epoch,
        transactional_ids=None,
    )


def _image_appended(h: happened.ImageAppended, teller: Teller) -> None:
    teller.note(
        f"coordinator.{h.became.value}",
        ("TXC-5", "TXC-19") if h.decided else ("TXC-5",),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        state=h.state,
        producer_epoch=h.producer_epoch,
        error=h.error.name,
    )


def _groups_loaded(h: happened.GroupsLoaded, teller: Teller) -> None:
    groups = list(h.groups) or None
    rules = ("OFS-5",)
    teller.say(
        "group.loaded", rules, broker=h.broker, partition=h.partition, groups=groups, pending=h.pending
    )


def _lifecycle_moved(h: happened.LifecycleMoved, teller: Teller) -> None:
    teller.say(
        row_key(h.row),
        (h.row.spec,),
        broker=h.broker,
        broker_epoch=h.broker_epoch,
        metadata_offset=h.metadata_offset,
        due=h.due,
    )
    tell_row(h.row, h.broker, teller)


def _allocation_moved(h: happened.AllocationMoved, teller: Teller) -> None:
    teller.say(
        row_key(h.row),
        (h.row.spec,),
        broker=h.broker,
        next=h.next_id,
        end=h.end,
        start=h.next_start,
        last=h.next_end,
        error=h.error.name,
        at=h.not_before,
    )
    tell_row(h.row, h.broker, teller)


def _no_id_yet(h: happened.NoIdYet, teller: Teller) -> None:
    teller.say("allocation.no_id_yet", ("PID-5",), broker=h.broker, client=h.client)
    error = Error.COORDINATOR_LOAD_IN_PROGRESS.name
    teller.refuse("PID-5", error, [["state", h.state]], "refusal.client_asks_again")


def _metadata_read(h: happened.MetadataRead, teller: Teller) -> None:
    records = [f"{kind} {about}" for kind, about in h.records]
    teller.say(
        "lifecycle.metadata_read",
        ("LOG-10",),
        broker=h.broker,
        start=h.start,
        last=h.end - 1,
        records=records,
    )


_RESOURCES = ("cluster", "group", "topic", "transactional_id")


def _resource(resource: str) -> Any:
    """The resource of a right as a phrase: ``topic:t`` becomes topic t. Any other resource stays as it is."""
    kind, _, name = resource.partition(":")
    return phrase(f"resource.{kind}", name=name) if kind in _RESOURCES else resource


def _right_denied(h: happened.RightDenied, teller: Teller) -> None:
    resource = _resource(h.resource)
    teller.say("fault.denied", ("GEN-6", "LOG-1"), broker=h.broker, operation=h.operation, resource=resource)


def _right_given(h: happened.RightGiven, teller: Teller) -> None:
    resource = _resource(h.resource)
    teller.say("fault.allowed", ("GEN-6",), broker=h.broker, operation=h.operation, resource=resource)


TELLINGS: dict[type[Happening], Tell] = {
    happened.RequestWaitsForStart: says("broker.request_waits_for_start", "PID-6"),
    happened.StartFailed: says("broker.start_failed", "PID-6"),
    happened.BecameLeader: _became_leader,
    happened.MetadataAnswered: _metadata_answered,
    happened.CoordinatorFound: says("broker.coordinator_found", "FND-1", "FND-2", "FND-7"),
    happened.RightDenied: _right_denied,
    happened.RightGiven: _right_given,
    happened.BlockMoved: _block_moved,
    happened.LateZooKeeperReply: says("broker.late_zookeeper_reply", "PID-4"),
    happened.BlockUsedUp: says("broker.block_used_up", "PID-5", "PID-6"),
    happened.NoIdForNextTransaction: says("broker.no_id_for_next_transaction", "PID-5", "TXC-14"),
    happened.NoProducerIdLeft: says("broker.no_producer_id_left", "PID-3"),
    happened.ProducerIdIssued: _producer_id_issued,
    happened.OffsetsOfUnknownPartition: notes("broker.offsets_of_unknown_partition", "OFS-2"),
    happened.PartitionsNotAdded: _partitions_not_added,
    happened.OffsetsPartitionJoins: notes("broker.offsets_partition_joins", "TXC-13", "CTR-36"),
    happened.LoadingBegins: notes("coordinator.begins_loading", "TXC-22", "FND-7"),
    happened.LogLoaded: _log_loaded,
    happened.EmptyLogLoaded: _empty_log_loaded,
    happened.LogResigned: notes("coordinator.resigns", "TXC-22", "FND-7"),
    happened.ImageAppended: _image_appended,
    happened.CompletionNotWritten: notes("coordinator.completion_not_written", "TXC-18"),
    happened.MarkersTimedOut: says("markers.timed_out", "MRK-9"),
    happened.GroupLoadingBegins: notes("group.begins_loading", "OFS-5", "FND-7"),
    happened.GroupsLoaded: _groups_loaded,
    happened.LifecycleMoved: _lifecycle_moved,
    happened.AllocationMoved: _allocation_moved,
    happened.NoIdYet: _no_id_yet,
    happened.LateControllerAnswer: says("lifecycle.late_answer", "GEN-5"),
    happened.MetadataRead: _metadata_read,
    happened.GroupsResigned: notes("group.resigns", "OFS-5", "FND-7"),
}
