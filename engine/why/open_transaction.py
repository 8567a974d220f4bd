"""Says in one sentence whose transaction is open in a partition, what it waits for, and what will end it.

The sentence is made of a clause about the reason and a clause about the end. Both are found in the links that
``owner`` (stable_offset.py) gives about the same transaction: the first row of a table that applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.telling.telling import phrase
from engine.view.openers import DROPPED
from engine.why.links import Json, Link, link, transaction_subject, when_due
from engine.why.moment import Moment

UNANSWERED = "why.marker.unanswered"
_REASONS = {
    UNANSWERED: "marker_unanswered",
    "why.marker.on_the_way": "marker_on_the_way",
    "why.marker.leader_unreachable": "marker_unreachable",
    "why.marker.queued": "marker_queued",
    "why.marker.at_leader": "marker_at_leader",
    "why.coordinator.writes": "decision_written",
    "why.client.asks": "asked",
    "why.application.blocked": "blocked",
    "why.application.next": "next_call",
    "why.application.due": "call_due",
    "why.client.paused": "paused",
    "why.client.down": "down",
    "why.application.silent": "silent",
    "why.client.other_epoch": "other_epoch",
    "why.coordinator.undecided": "undecided",
}
"""Dict of key of a link → clause that says what the transaction waits for, in order of priority."""
_ENDS = {
    "why.message.arrives": "marker_arrives",
    "why.marker.next_pass": "marker_sent",
    "why.marker.next_pass_connects": "marker_connects",
    "why.coordinator.times_out": "timeout",
    "why.coordinator.times_out_at_scan": "scan",
}
"""Dict of key of a link → clause that says what will end the transaction."""
_UNABLE = ("why.client.other_epoch", "why.client.down", "why.client.paused")
"""Keys of links about a client that does not end its transaction now. The links about its applications, which follow,
give no reason."""


def still_open(partition: str, first: int, owned: Json, moment: Moment, known: Sequence[Link]) -> list[Link]:
    """The sentence about a transaction that is open in a partition from the offset ``first`` on, and after it the
    links with the reason. Empty if no link gives a reason. ``owned``: its transactional id, producer id and epoch.
    ``known``: the links about its clients, coordinator and markers."""
    able = _able(known)
    found = _first(_REASONS, able)
    if found is None:
        return []
    reason, why = found
    lost = [one for one in known if one.key in DROPPED]
    clause = phrase(f"clause.open.{reason}", **why.params, **_due(why))
    end = _end(known)
    if why.key == UNANSWERED:
        end = _request_times_out(moment, why.params)
        if lost:
            clause = phrase("clause.open.marker_lost", **why.params, number=lost[-1].step)
    params: Json = {**owned, "partition": partition, "first": first, "because": clause}
    if end is not None:
        params["end"] = end
    summary = link(
        "open.so_far" if end is None else "open.until",
        "LOG-8",
        subject=transaction_subject(owned["transactional_id"]),
        **params,
    )
    return [summary, *(lost or [why])]


def _able(known: Iterable[Link]) -> list[Link]:
    """The links without those about the applications of clients that do not end the transaction now."""
    kept: list[Link] = []
    is_able = True
    for one in known:
        if one.key.startswith("why.client."):
            is_able = one.key not in _UNABLE
        if is_able or not one.key.startswith("why.application."):
            kept.append(one)
    return kept


def _first(table: dict[str, str], known: Sequence[Link]) -> tuple[str, Link] | None:
    """(clause, link) for the first row of the table whose key a link in ``known`` has; None if none has one."""
    found = ((clause, one) for key, clause in table.items() for one in known if one.key == key)
    return next(found, None)


def _due(one: Link) -> Json:
    left = one.params.get("left")
    return {} if left is None else {"when": when_due(left)}


def _end(known: Sequence[Link]) -> Json | None:
    found = _first(_ENDS, known)
    return None if found is None else phrase(f"clause.open.{found[0]}", **found[1].params, **_due(found[1]))


def _request_times_out(moment: Moment, marker: Json) -> Json | None:
    """The clause that says when the coordinator's request for the marker times out; None if none is in flight to the
    leader. ``marker``: the params of the link about the marker."""
    coordinator = str(marker["coordinator"])
    until = moment.marker_deadline(coordinator, str(marker["leader"]))
    if until is None:
        return None
    return phrase(
        "clause.open.marker_again", coordinator=coordinator, until=until, when=when_due(until - moment.now)
    )
