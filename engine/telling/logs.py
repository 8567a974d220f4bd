"""Sentences for a broker's logs."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.happenings import logs as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, params_of, says


def _follower_took(h: happened.FollowerTook, teller: Teller) -> None:
    known = {"broker": h.broker, "partition": h.partition, "leader": h.leader}
    if h.cut_to is not None:
        teller.say(
            "broker.replica_truncated" if h.producer_count is not None else "broker.replica_truncated_plain",
            ("LOG-10",),
            to=h.cut_to,
            log_end=h.log_end_before,
            leader_epoch=h.leader_epoch,
            **known,
        )
    if h.started_over_at is not None:
        teller.say("broker.replica_started_over", ("LOG-11",), offset=h.started_over_at, **known)
    if h.copied:
        teller.say(
            "broker.replica_fetched",
            ("LOG-7",),
            batch_count=h.copied,
            first_offset=h.log_end_before if h.started_over_at is None else h.log_start,
            log_end=h.log_end,
            high_watermark=h.high_watermark,
            **known,
        )
    if h.log_start_raised:
        teller.say("broker.log_start_follows", ("LOG-11",), log_start=h.log_start, **known)
    if h.forgotten:
        _forgotten(h.broker, h.partition, h.forgotten, happened.Forgotten.HEAD_DELETED, teller)
    if h.high_watermark_moved and not h.copied:
        moved = h.high_watermark
        teller.say("broker.replica_learned_high_watermark", ("LOG-7",), high_watermark=moved, **known)


def _producers_forgotten(h: happened.ProducersForgotten, teller: Teller) -> None:
    _forgotten(h.broker, h.partition, h.producer_ids, h.because, teller)


def _forgotten(
    broker: str, partition: str, gone: tuple[int, ...], because: happened.Forgotten, teller: Teller
) -> None:
    rules = ("LOG-11",) if because is happened.Forgotten.HEAD_DELETED else ("LOG-12",)
    key = f"broker.{because.value}"
    teller.say(key, rules, broker=broker, partition=partition, producer_ids=sorted(gone))


def _log_opened(h: happened.LogOpened, teller: Teller) -> None:
    key = "broker.log_loaded_from_snapshot" if h.from_snapshot else "broker.log_replayed"
    if h.producer_count is None:
        key = "broker.plain_log_opened"
    teller.note(
        key if h.log_end else "broker.empty_log_opened",
        ("LOG-10",),
        broker=h.broker,
        partition=h.partition,
        log_end=h.log_end,
        producer_count=h.producer_count,
    )


def _append_not_replicated(h: happened.AppendNotReplicated, teller: Teller) -> None:
    compared: list[list[Any]] = [
        ["high watermark waited for", h.until_offset],
        ["high watermark", h.high_watermark],
    ]
    if h.error is Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
        compared = [["in-sync replicas", h.in_sync], ["minimum", h.min_isr]]
    following = "refusal.coordinator_is_told" if h.for_broker else "refusal.client_retries"
    teller.refuse("LOG-2", h.error.name, compared, following)
    teller.note(
        _NOT_REPLICATED.get(h.error, "broker.too_few_in_sync_after_append"),
        ("LOG-2",),
        broker=h.broker,
        partition=h.partition,
        base_offset=h.base_offset,
        until_offset=h.until_offset,
        high_watermark=h.high_watermark,
        in_sync=h.in_sync,
        min_isr=h.min_isr,
        client=h.client,
    )


_NOT_REPLICATED = {
    Error.REQUEST_TIMED_OUT: "broker.replication_timed_out",
    Error.NOT_LEADER_OR_FOLLOWER: "broker.leadership_lost_while_waiting",
}


def _produce_timed_out(h: happened.ProduceTimedOut, teller: Teller) -> None:
    own = h.client == h.broker
    teller.say("broker.append_timed_out" if own else "broker.produce_timed_out", ("LOG-2",), **params_of(h))


def _abort_indexed(h: happened.AbortIndexed, teller: Teller) -> None:
    alone = h.first_offset == h.marker_offset
    teller.note(
        "broker.marker_indexed_alone" if alone else "broker.aborted_indexed",
        ("LOG-9", "CON-7"),
        partition=h.partition,
        producer_id=h.producer_id,
        first_offset=h.first_offset,
        marker_offset=h.marker_offset,
        stable_offset=h.stable_offset,
    )


def _stable_offset(h: happened.StableOffsetAdvanced, teller: Teller) -> None:
    moves = h.last_stable_offset > h.before
    teller.note(
        "broker.last_stable_offset_advanced" if moves else "broker.last_stable_offset_stays",
        ("LOG-8", "CON-6") if moves else ("LOG-8", "CON-5"),
        **params_of(h),
    )


def _readers_wait(h: happened.ReadersWait, teller: Teller) -> None:
    teller.note(_waits_for(h.producer_id), ("LOG-8", "CON-5"), **params_of(h))


def _waits_for(producer_id: int | None) -> str:
    """The key of the sentence that says for what read_committed consumers wait. ``producer_id``: the producer id of
    the open transaction at the last stable offset; None if they wait for a marker's replication."""
    of = "marker" if producer_id is None else "transaction"
    return f"broker.readers_wait_for_{of}"


def _end_returned(h: happened.EndReturned, teller: Teller) -> None:
    key = "broker.end_returned_stable" if h.stable else "broker.end_returned"
    teller.say(key, ("CON-9",), broker=h.broker, consumer=h.consumer, partition=h.partition, offset=h.offset)


def _fetch_answered(h: happened.FetchAnswered, teller: Teller) -> None:
    """Add the sentence for the response, and notes on the effects of transactions (CON-1, CON-2, CON-5)."""
    teller.say(
        "broker.fetch_answered" if h.batch_count else "broker.fetch_answered_empty",
        ("CON-1",),
        broker=h.broker,
        consumer=h.consumer,
        partition=h.partition,
        fetch_offset=h.fetch_offset,
        isolation=h.isolation,
        next_offset=h.next_offset,
        batch_count=h.batch_count,
        high_watermark=h.high_watermark,
        last_stable_offset=h.last_stable_offset,
    )
    known = {"broker": h.broker, "partition": h.partition}
    stable = h.last_stable_offset
    if h.held:
        teller.note(
            _waits_for(h.holder),
            ("CON-5", "LOG-8"),
            last_stable_offset=stable,
            high_watermark=h.high_watermark,
            producer_id=h.holder,
            partition=h.partition,
        )
    if h.too_early:
        teller.note("broker.undecided_given", ("CON-2",), last_stable_offset=stable, **known)
    if h.aborted:
        listed = [f"PID {producer_id} → {first}" for producer_id, first in h.aborted]
        teller.note("broker.aborted_listed", ("CON-1", "LOG-9"), aborted=listed, **known)


def _head_deleted(h: happened.HeadDeleted, teller: Teller) -> None:
    teller.say(
        "fault.head_deleted" if h.moved else "fault.no_head_to_delete",
        ("GEN-6", "LOG-11"),
        broker=h.broker,
        partition=h.partition,
        log_start=h.log_start,
        to=h.to,
    )


def _producers_expired(h: happened.ProducersExpired, teller: Teller) -> None:
    rules = ("GEN-6", "LOG-12")
    teller.say("fault.producers_expired", rules, broker=h.broker, partition=h.partition)


def _log_compacted(h: happened.LogCompacted, teller: Teller) -> None:
    known = {"broker": h.broker, "partition": h.partition}
    teller.say(
        "broker.compacted" if h.count else "broker.nothing_to_compact",
        ("GEN-6", "LOG-13"),
        count=h.count,
        below=h.below,
        **known,
    )
    removed = {"retention": h.retention, **known}
    if h.markers:
        teller.note("broker.old_markers_compacted", ("LOG-13",), markers=h.markers, **removed)
    if h.tombstones:
        teller.note("broker.old_tombstones_compacted", ("LOG-13",), tombstones=h.tombstones, **removed)
    if h.waiting:
        teller.note(
            "broker.markers_wait_for_retention",
            ("LOG-13",),
            count=h.waiting,
            retention=h.retention,
            **known,
        )


def _isr_change_answered(h: happened.IsrChangeAnswered, teller: Teller) -> None:
    if not h.counts:
        key = "broker.isr_answer_old"
    elif h.error is Error.NONE:
        key = "broker.isr_change_committed"
    else:
        key = (
            "broker.isr_change_taken_back"
            if h.error is Error.INELIGIBLE_REPLICA
            else "broker.isr_change_waits"
        )
    teller.say(
        key,
        ("LOG-7",),
        broker=h.broker,
        partition=h.partition,
        error=h.error.name,
        isr=list(h.isr),
        partition_epoch=h.partition_epoch,
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.FollowerTook: _follower_took,
    happened.HighWatermarkAdvanced: says("broker.high_watermark_advanced", "LOG-7"),
    happened.HighWatermarkFollowsIsr: notes("broker.high_watermark_follows_isr", "LOG-7"),
    happened.IsrShrinkAsked: says("broker.asks_isr_smaller", "LOG-7"),
    happened.IsrChangeAskedAgain: says("broker.asks_isr_again", "LOG-7"),
    happened.IsrChangeAnswered: _isr_change_answered,
    happened.IsrAskedBack: says("broker.asks_isr_back", "LOG-7"),
    happened.IsrWriteSent: says("broker.writes_isr_back", "LOG-7"),
    happened.IsrWriteSentAgain: says("broker.writes_isr_again", "LOG-7"),
    happened.LogOpened: _log_opened,
    happened.AppendNotReplicated: _append_not_replicated,
    happened.ProduceAnswered: notes("broker.produce_answered", "LOG-2"),
    happened.ProduceTimedOut: _produce_timed_out,
    happened.ConnectionEnded: notes("broker.connection_ended", "LOG-2"),
    happened.StaleEpochCopied: notes("broker.stale_epoch_copied", "SEQ-9"),
    happened.AbortIndexed: _abort_indexed,
    happened.HighWatermarkHeld: notes("broker.high_watermark_held", "LOG-7"),
    happened.StableOffsetAdvanced: _stable_offset,
    happened.ReadersWait: _readers_wait,
    happened.FormatWithoutMarkers: says("broker.format_without_markers", "MRK-4", "MSG-4"),
    happened.FetchAnswered: _fetch_answered,
    happened.EndReturned: _end_returned,
    happened.ProducersForgotten: _producers_forgotten,
    happened.ProducersKept: notes("broker.producers_kept_after_head", "LOG-11"),
    happened.HeadDeleted: _head_deleted,
    happened.ProducersExpired: _producers_expired,
    happened.LogCompacted: _log_compacted,
}
