"""Sentences for consumers."""

from __future__ import annotations

from engine.happenings import readers as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, says


def _position_sought(h: happened.PositionSought, teller: Teller) -> None:
    ahead = ("CON-11",) if h.position > h.before else ()
    teller.say(
        "consumer.seeks",
        ("CON-8", *ahead),
        consumer=h.consumer,
        partition=h.partition,
        before=h.before,
        position=h.position,
    )


def _position_reset(h: happened.PositionReset, teller: Teller) -> None:
    ahead = ("CON-11",) if h.position > h.before else ()
    teller.say(
        "consumer.position_reset",
        ("CON-1", "CON-8", *ahead),
        consumer=h.consumer,
        partition=h.partition,
        before=h.before,
        position=h.position,
    )


def _fetch_refused(h: happened.FetchRefused, teller: Teller) -> None:
    key = "consumer.fetch_refused" if h.asks_metadata else "consumer.fetch_repeated"
    teller.say(key, ("CON-1",), consumer=h.consumer, partition=h.partition, error=h.error.name)


def _metadata_learned(h: happened.MetadataLearned, teller: Teller) -> None:
    key = "consumer.metadata_received" if h.changed else "consumer.metadata_unchanged"
    teller.say(key, ("MSG-1",), consumer=h.consumer)


def _records_brought(h: happened.RecordsBrought, teller: Teller) -> None:
    """Add the sentence for the records that arrived, and notes on skipped offsets (CON-3, CON-4, CON-11)."""
    hidden: dict[str, int] = {}
    for first, last, fate in h.stretches:
        hidden[fate] = hidden.get(fate, 0) + last - first + 1
    key = "consumer.moves_on" if not h.count else "consumer.buffers" if h.kept else "consumer.delivers"
    rules: tuple[str, ...] = ("CON-1",) if h.count else ("CON-1", "CON-4")
    if h.count and "aborted" in hidden:
        rules = ("CON-1", "CON-3")
    known = {"consumer": h.consumer, "partition": h.partition}
    teller.say(key, rules, count=h.count, position=h.position, skipped=0, **known)
    for fate, (key, rules) in _HIDDEN.items():
        if fate in hidden:
            teller.note(key, rules, **known, count=hidden[fate])


_HIDDEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "aborted": ("consumer.skips_aborted", ("CON-3", "CON-7")),
    "control": ("consumer.passes_markers", ("CON-4",)),
    "compacted": ("consumer.jumps_compacted", ("CON-11", "LOG-13")),
}


def _group_request_sent(h: happened.GroupRequestSent, teller: Teller) -> None:
    key, rules = _GROUP_REQUESTS[h.api]
    teller.say(key, rules, consumer=h.consumer, group=h.group, broker=h.broker, partitions=list(h.partitions))


_GROUP_REQUESTS = {
    "FindCoordinator": ("group_session.looks_up", ("FND-1", "FND-6")),
    "OffsetFetch": ("group_session.asks_committed", ("CON-9",)),
    "OffsetCommit": ("group_session.commits", ("OFS-6",)),
    "LeaveGroup": ("group_session.leaves", ("OFS-2",)),
}


def _group_request_refused(h: happened.GroupRequestRefused, teller: Teller) -> None:
    teller.say(
        f"group_session.{h.then.value}",
        ("FND-6",) if h.api == "FindCoordinator" else ("OFS-2",),
        consumer=h.consumer,
        group=h.group,
        api=h.api,
        error=h.error.name,
        backoff=h.backoff,
    )


def _poll_timed_out(h: happened.PollTimedOut, teller: Teller) -> None:
    kind = "_static" if h.static else "" if h.sends else "_alone"
    teller.say(
        f"group_session.poll_timed_out{kind}", ("OFS-2",), consumer=h.consumer, group=h.group, limit=h.limit
    )


def _consumer_closed(h: happened.ConsumerClosed, teller: Teller) -> None:
    kind = "closed_static" if h.static else "closed" if h.sends else "closed_alone"
    teller.say(f"group_session.{kind}", ("OFS-2",), consumer=h.consumer, group=h.group)


def _group_left(h: happened.GroupLeft, teller: Teller) -> None:
    key = "consumer.left_group_at_close" if h.closed else "consumer.left_group"
    teller.say(key, ("OFS-2",), consumer=h.consumer, group=h.group)


def _reading_resumed(h: happened.ReadingResumed, teller: Teller) -> None:
    key = "consumer.begins_at_end" if h.at_end else "consumer.begins_at"
    teller.say(
        "consumer.resumes_at" if h.committed else key,
        ("CON-9",),
        consumer=h.consumer,
        group=h.group,
        partition=h.partition,
        position=h.position,
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.PositionSought: _position_sought,
    happened.Rewound: notes("consumer.rewinds", "CON-10"),
    happened.FetchSent: says("consumer.fetches", "CON-1"),
    happened.FetchRefused: _fetch_refused,
    happened.EndAsked: says("consumer.asks_end", "CON-9"),
    happened.EndRefused: says("consumer.end_refused", "CON-9"),
    happened.PositionReset: _position_reset,
    happened.MetadataAsked: says("consumer.metadata_requested", "SND-6"),
    happened.Rebootstrapped: says("consumer.rebootstraps", "SND-6"),
    happened.MetadataLearned: _metadata_learned,
    happened.UnexpectedAnswer: says("consumer.answer_unexpected", "SND-7"),
    happened.Disconnected: says("consumer.disconnected", "GEN-5"),
    happened.RecordsBrought: _records_brought,
    happened.KeysApplied: notes("consumer.applies", "CPT-6"),
    happened.GroupRequestSent: _group_request_sent,
    happened.GroupRequestRefused: _group_request_refused,
    happened.PollTimedOut: _poll_timed_out,
    happened.ConsumerClosed: _consumer_closed,
    happened.GroupLeft: _group_left,
    happened.CommitOutsideGroup: notes("consumer.commits_outside_group", "OFS-2"),
    happened.CommitAfterClose: notes("consumer.commits_after_close", "OFS-2"),
    happened.GroupCoordinatorFound: says("group_session.coordinator_found", "FND-6"),
    happened.OffsetsCommitted: says("consumer.committed", "OFS-6"),
    happened.ReadingResumed: _reading_resumed,
}
