"""Sentences for group offsets."""

from __future__ import annotations

from engine.errors import Error
from engine.happenings import groups as happened
from engine.happenings.base import Happening
from engine.telling.machines import tell_row
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes

_SENT_ONCE = ("LeaveGroup",)
"""Requests that a consumer does not repeat, whatever the error (``LeaveGroupResponseHandler``)."""


def _listed(offsets: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{partition}: {offset}" for partition, offset in offsets]


def _commit_arrived(h: happened.CommitArrived, teller: Teller) -> None:
    teller.say("group.commit_arrives", ("OFS-6",), broker=h.broker, group=h.group, offsets=_listed(h.offsets))


def _transaction_commit_arrived(h: happened.TransactionCommitArrived, teller: Teller) -> None:
    teller.say(
        "group.transaction_commit_arrives",
        ("OFS-1", "OFS-2", "OFS-3"),
        producer_id=h.producer_id,
        producer_epoch=h.producer_epoch,
        broker=h.broker,
        group=h.group,
        offsets=_listed(h.offsets),
    )


def _offset_moved(h: happened.OffsetMoved, teller: Teller) -> None:
    row = h.row
    teller.note(
        row_key(row),
        (row.spec,),
        broker=h.broker,
        group=h.group,
        partition=h.partition,
        producer_id=h.producer_id,
        offset=h.offset,
        position=h.position,
        visible=h.visible,
    )
    if not row.refused:
        tell_row(row, f"{h.group} {h.partition}", teller)


def _offsets_returned(h: happened.OffsetsReturned, teller: Teller) -> None:
    rules = ("CON-9", "OFS-4")
    teller.say("group.offsets_told", rules, offsets=_listed(h.offsets), broker=h.broker, group=h.group)


def _offsets_unstable(h: happened.OffsetsUnstable, teller: Teller) -> None:
    partitions = list(h.partitions)
    teller.say("group.offsets_unstable", ("OFS-4",), partitions=partitions, broker=h.broker, group=h.group)
    pending = ", ".join(str(producer) for producer in h.producers) or None
    teller.refuse(
        "OFS-4",
        Error.UNSTABLE_OFFSET_COMMIT.name,
        [["producers with pending offsets", pending]],
        "refusal.consumer_asks_again",
    )


def _member_left(h: happened.MemberLeft, teller: Teller) -> None:
    teller.say(
        "group.member_left",
        ("OFS-2",),
        broker=h.broker,
        group=h.group,
        member=h.member,
        generation=h.generation,
        members=", ".join(h.members) or None,
    )


def _member_was_gone(h: happened.MemberWasGone, teller: Teller) -> None:
    teller.say("group.member_was_gone", ("OFS-2",), broker=h.broker, group=h.group, member=h.member)
    teller.refuse(
        "OFS-2", Error.UNKNOWN_MEMBER_ID.name, [["member", h.member or None]], "refusal.group_is_refused"
    )


def _sent_away(h: happened.SentAway, teller: Teller) -> None:
    loading = h.error is Error.COORDINATOR_LOAD_IN_PROGRESS
    gone = h.error is Error.NOT_COORDINATOR
    teller.say(
        "group.loading" if loading else "group.not_coordinator",
        ("OFS-2",),
        broker=h.broker,
        group=h.group,
        api=h.api,
        error=h.error.name,
    )
    following = "refusal.client_looks_up_again" if gone else "refusal.client_asks_again"
    if h.api in _SENT_ONCE:
        following = "refusal.group_is_refused"
    teller.refuse("OFS-2", h.error.name, [["offsets partition", h.number]], following)


TELLINGS: dict[type[Happening], Tell] = {
    happened.CommitArrived: _commit_arrived,
    happened.TransactionCommitArrived: _transaction_commit_arrived,
    happened.OffsetMoved: _offset_moved,
    happened.OffsetsVisible: notes("group.offsets_visible_at_once", "OFS-6"),
    happened.OffsetsReturned: _offsets_returned,
    happened.OffsetsUnstable: _offsets_unstable,
    happened.MemberLeft: _member_left,
    happened.MemberWasGone: _member_was_gone,
    happened.SentAway: _sent_away,
}
