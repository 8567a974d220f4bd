"""Sentences for an application's calls, and for responses to transactional requests."""

from __future__ import annotations

from engine.client import control_reactions as reactions
from engine.client.reading import READ_UNCOMMITTED
from engine.happenings import producer as happened
from engine.happenings.base import Happening
from engine.machine import Row
from engine.telling.markers import missing_markers
from engine.telling.requests import COMPARED
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, params_of, phrase, says
from engine.topic_partition import is_internal

_DECIDES = "refusal.application_decides"


def _call_refused(h: happened.CallRefused, teller: Teller) -> None:
    said = {"client": h.client, "call": h.call, "error": h.error}
    if isinstance(h.why, Row):
        teller.say("client.call_not_in_state", (h.spec,), **said, state=h.why.source)
        teller.note(row_key(h.why), (h.spec,), **said)
    else:
        teller.say(f"client.{h.why.value}", (h.spec,), **said)
    teller.refuse(h.spec, h.error, [[COMPARED[what], value] for what, value in h.compared], _DECIDES)


def _refused_record_stays(h: happened.RefusedRecordStays, teller: Teller) -> None:
    teller.say(
        "client.refused_record_stays", ("TXM-8",), client=h.client, serial=h.serial, partition=h.partition
    )


def _record_appended(h: happened.RecordAppended, teller: Teller) -> None:
    teller.say(
        "client.record_starts_batch" if h.starts_batch else "client.record_joins_batch",
        ("ACC-1", "ACC-2", "ACC-3") if h.starts_batch else ("ACC-1", "ACC-2"),
        client=h.client,
        serial=h.serial,
        partition=h.partition,
        batch=h.batch,
        count=h.count,
        bytes=h.bytes,
        capacity=h.capacity,
    )


def _memory_wait_over(h: happened.MemoryWaitOver, teller: Teller) -> None:
    teller.say(
        "client.memory_wait_over",
        ("ACC-5",),
        client=h.client,
        serial=h.serial,
        size=h.size,
        free=h.free,
        waited=h.waited,
    )
    teller.refuse("ACC-5", h.error, [["needed bytes", h.size], ["free bytes", h.free]], _DECIDES)


_CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "init_transactions": ("client.init_transactions", ("TXM-7", "TXM-4")),
    "begin_transaction": ("client.begin_transaction", ("TXM-4", "CTR-1")),
    "send_offsets": ("client.send_offsets", ("OFS-1", "TXM-6", "CTR-32")),
    "commit_transaction": ("client.commit_transaction", ("TXM-10", "TXM-4")),
    "abort_transaction": ("client.abort_transaction", ("TXM-10", "TXM-4", "CTR-28")),
}

_ENDS = ("commit_transaction", "abort_transaction")
"""Calls that have another sentence while the producer holds batches that are not complete."""


def _transactional_call(h: happened.TransactionalCall, teller: Teller) -> None:
    key, rules = ("client.call_resumed", ("TXM-5",)) if h.resumed else _CALLS[h.call]
    if h.unfinished and not h.resumed and h.call in _ENDS:
        key = f"{key}_waits"
    teller.say(
        key,
        rules,
        client=h.client,
        call=h.call,
        transactional_id=h.transactional_id,
        unfinished=h.unfinished,
        group=h.group,
        offsets=[f"{name} → {offset}" for name, offset in h.offsets],
    )


def _call_timed_out(h: happened.CallTimedOut, teller: Teller) -> None:
    teller.say(f"client.{h.why.value}", ("TXM-5",), client=h.client, call=h.call, limit=h.limit)
    teller.refuse("TXM-5", h.error, [["waited ms", h.waited], ["limit", h.limit]], _DECIDES)


def _metadata_learned(h: happened.MetadataLearned, teller: Teller) -> None:
    key = "client.metadata_received" if h.changed else "client.metadata_unchanged"
    teller.say(key, ("SND-2", "MSG-1"), client=h.client)


def _disconnected(h: happened.Disconnected, teller: Teller) -> None:
    key = "client.disconnected" if h.was_open else "client.not_connected"
    teller.say(key, ("GEN-5", "SND-9"), client=h.client, broker=h.broker, count=h.count)


def _restarted(h: happened.Restarted, teller: Teller) -> None:
    key = "client.same_id_asked" if h.transactional else "client.new_id_needed"
    teller.note(key, ("PID-10", "CPT-3"), client=h.client)


CONTROL_REACTIONS = {
    reactions.RETRY: "client.control_retried",
    reactions.RETRY_SOON: "client.control_retried_soon",
    reactions.LOOKUP: "client.control_lookup",
    reactions.ABORTABLE: "client.control_abortable",
    reactions.BUMP: "client.control_abortable_bump",
    reactions.FATAL: "client.control_fatal",
}
"""Dict of the reaction to the response to a transactional request → key of its sentence."""


def _control_retried(h: happened.ControlRetried, teller: Teller) -> None:
    teller.say(
        CONTROL_REACTIONS[h.does],
        ("TXM-13",),
        client=h.client,
        api=h.api,
        error=h.error.name,
        kind=h.kind,
        backoff=h.backoff,
    )


def _control_failed(h: happened.ControlFailed, teller: Teller) -> None:
    fenced = ("FEN-4",) if h.fenced and h.does == reactions.FATAL else ()
    teller.say(
        CONTROL_REACTIONS[h.does],
        ("TXM-13", "TXM-4", *fenced),
        client=h.client,
        api=h.api,
        error=h.error.name,
        shown=h.shown.name,
        state=h.state,
    )


def _identity_ready(h: happened.TransactionalIdReady, teller: Teller) -> None:
    held = teller.holders(h.transactional_id)
    older = [
        (client, *identity)
        for client, identity in held.items()
        if client != h.client and (identity[0] != h.producer_id or identity[1] < h.producer_epoch)
    ]
    if len(older) == 1:
        client, producer_id, epoch = older[0]
        if producer_id == h.producer_id:
            fences = phrase("clause.fences_one", client=client, epoch=epoch)
        else:
            fences = phrase("clause.fences_another_id", client=client, older_id=producer_id)
    elif older:
        fences = phrase("clause.fences_several", clients=[client for client, *_ in older])
    elif h.producer_epoch == 0:
        fences = phrase("clause.fences_none")
    else:
        fences = phrase("clause.fences_any")
    teller.say("client.transactional_id_ready", ("TXM-7", "TXM-4", "PID-10"), **params_of(h), fences=fences)


def _protocol_chosen(h: happened.ProtocolChosen, teller: Teller) -> None:
    key = "client.goes_over_at_init" if h.initial else "client.goes_over"
    teller.note(key if h.raises else "client.goes_back", ("TXM-11",), client=h.client, level=h.level)


def _next_epoch_given(h: happened.NextEpochGiven, teller: Teller) -> None:
    rotated = h.producer_id != h.next_producer_id
    teller.note(
        "client.next_id_given" if rotated else "client.next_epoch_given",
        ("TXM-11",),
        client=h.client,
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
        next_producer_id=h.next_producer_id,
        next_epoch=h.next_epoch,
    )


def _transaction_ended(h: happened.TransactionEnded, teller: Teller) -> None:
    if h.bumps:
        key = "client.transaction_committed_bump" if h.committed else "client.transaction_aborted_bump"
        teller.say(key, ("TXM-11", "TXM-10", "TXC-17"), client=h.client)
    else:
        key = "client.transaction_committed" if h.committed else "client.transaction_aborted"
        teller.say(key, ("TXM-11", "TXC-17", "CTR-25"), client=h.client)
    if _readers_wait(h, teller):
        key = "client.committed_waits_for_markers" if h.committed else "client.aborted_waits_for_markers"
        teller.note(key, ("TXC-17", "CTR-25"))


def _readers_wait(h: happened.TransactionEnded, teller: Teller) -> bool:
    """Whether markers are missing in partitions with records. False if all consumers of the run are
    read_uncommitted."""
    coordinator = teller.coordinator_of(h.transactional_id)
    if coordinator is None or teller.isolations() == {READ_UNCOMMITTED}:
        return False
    return any(
        not is_internal(partition) for partition in missing_markers(teller, coordinator, h.transactional_id)
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.CallRefused: _call_refused,
    happened.RefusedRecordStays: _refused_record_stays,
    happened.RecordAppended: _record_appended,
    happened.MemoryAwaited: says("client.waits_for_memory", "ACC-5", "ACC-12"),
    happened.MemoryGranted: notes("client.memory_granted", "ACC-5", "ACC-2"),
    happened.MemoryWaitOver: _memory_wait_over,
    happened.FlushCalled: says("client.flush", "ACC-20"),
    happened.FlushDone: notes("client.flush_done", "ACC-20"),
    happened.ClosedWithoutSender: says("client.close_without_sender", "SND-14"),
    happened.CloseCalled: says("client.close", "SND-14", "ACC-20"),
    happened.CloseForced: says("client.force_close", "SND-14", "ACC-22"),
    happened.TransactionalCall: _transactional_call,
    happened.PartitionNew: notes("client.partition_new", "ACC-4", "TXM-8"),
    happened.PartitionLeftToLeader: notes("client.partition_left_to_leader", "ACC-4", "TXM-8"),
    happened.ProtocolChosen: _protocol_chosen,
    happened.NextEpochGiven: _next_epoch_given,
    happened.CallReturned: notes("client.call_returns", "TXM-5"),
    happened.CallThrew: notes("client.call_throws", "TXM-5"),
    happened.CallTimedOut: _call_timed_out,
    happened.UnexpectedAnswer: says("client.answer_unexpected", "SND-7"),
    happened.MetadataLearned: _metadata_learned,
    happened.Disconnected: _disconnected,
    happened.RequestTimedOut: says("client.request_timed_out", "SND-7"),
    happened.Restarted: _restarted,
    happened.ControlRetried: _control_retried,
    happened.ControlFailed: _control_failed,
    happened.AnswerThrown: says("client.illegal_transition", "TXM-4", "TXM-13"),
    happened.ProducerPoisoned: says("client.poisoned", "TXM-4", "TXM-3"),
    happened.CoordinatorFound: says("client.coordinator_found", "FND-6", "FND-1"),
    happened.TransactionalIdReady: _identity_ready,
    happened.EpochRaisedByCoordinator: says("client.epoch_raised_by_coordinator", "TXM-7", "TXM-10", "TXC-9"),
    happened.PartitionsAdded: says("client.partitions_added", "TXM-8", "TXM-13", "CTR-36"),
    happened.OffsetsRegistered: says("client.offsets_registered", "OFS-1", "CTR-32"),
    happened.OffsetsSent: says("client.offsets_pending", "OFS-1", "OFS-3"),
    happened.TransactionEnded: _transaction_ended,
}
