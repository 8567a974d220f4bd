"""Answers what the nodes of the message middleware wait for in a transaction, and until when, or that nothing ends the
wait."""

from __future__ import annotations

from collections.abc import Iterator

from engine.middleware import business_states
from engine.middleware import middleware_states as states
from engine.middleware.configuration import BUSINESS, MANAGER, MIDDLEWARE
from engine.middleware.messages import Confirm, ConfirmAck, Prepare, PrepareAck
from engine.middleware.participant_states import PREPARED
from engine.why.links import NAMED_MAX, Json, Link, actor_subject, link
from engine.why.messages import late_between
from engine.why.moment import Moment
from engine.why.records import quoted

_AT_MIDDLEWARE = {
    states.STARTED: Prepare.api,
    states.AWAIT_CONFIRM: Confirm.api,
    states.CHECKING: Confirm.api,
}
_AT_BUSINESS = {
    business_states.WAIT_ACK: PrepareAck.api,
    business_states.WAIT_CONFIRM_ACK: ConfirmAck.api,
}
"""Dict of state of the middleware, or of the business system → the message for which it waits in this state, without
a time limit."""
_LIMITS = {
    states.PREPARE_TIMEOUT: ("two_phase.until_votes", "MW-5"),
    states.CHECK_DUE: ("two_phase.until_check", "MW-13"),
    states.ANSWER_TIMEOUT: ("two_phase.until_answers", "MW-10"),
    states.COMPENSATION_DUE: ("two_phase.until_attempt", "MW-11"),
}
"""Dict of kind of the middleware's timer → the key of the sentence about it."""


def node_waits(moment: Moment, node: str) -> Iterator[Link]:
    """Links about what ``node`` waits for in each transaction that has not ended for it, and about what the
    middleware waits for in the same transaction. No links for other actors than nodes of the middleware."""
    for tid in _transactions(moment)[:NAMED_MAX]:
        at_node = list(_waits_at(moment, node, tid))
        yield from at_node
        if at_node and node != MIDDLEWARE:
            yield from _waits_at(moment, MIDDLEWARE, tid)


def never_ends(moment: Moment) -> Iterator[Link]:
    """Links about each transaction in which a node waits although nothing more will happen: what is missing, and at
    which node."""
    for tid in _transactions(moment)[:NAMED_MAX]:
        if _is_stuck(moment, tid):
            yield from _waits_at(moment, MIDDLEWARE, tid)
            yield from _waits_at(moment, BUSINESS, tid)


def _transactions(moment: Moment) -> list[str]:
    shown = moment.part("middleware")
    of_business = (shown.get(BUSINESS) or {}).get("transactions") or {}
    return list(dict.fromkeys([*(shown.get("transactions") or {}), *of_business]))


def _waits_at(moment: Moment, node: str, tid: str) -> Iterator[Link]:
    shown = moment.part("middleware")
    if node == MIDDLEWARE:
        transaction = (shown.get("transactions") or {}).get(tid) or {}
        timer = transaction.get("timer")
        if timer is not None:
            key, rule = _LIMITS[timer["kind"]]
            yield link(key, rule, subject=actor_subject(node), tid=int(tid), until=timer["until"])
        elif (api := _AT_MIDDLEWARE.get(transaction.get("state", ""))) is not None:
            yield from _without_limit(moment, node, tid, api, BUSINESS)
    elif node == BUSINESS:
        entry = _part(shown.get(BUSINESS), tid)
        if (api := _AT_BUSINESS.get(entry.get("state", ""))) is not None:
            yield from _without_limit(moment, node, tid, api, MIDDLEWARE)
    elif _part((shown.get("participants") or {}).get(node), tid).get("state") == PREPARED:
        yield link("two_phase.reserved", "MW-4", subject=actor_subject(node), participant=node, tid=int(tid))


def _without_limit(moment: Moment, node: str, tid: str, api: str, sender: str) -> Iterator[Link]:
    yield link("two_phase.no_limit", "MW-16", subject=actor_subject(node), node=node, tid=int(tid), api=api)
    if not _is_stuck(moment, tid):
        return
    lost = [fault for fault in late_between(moment, node, (sender,)) if fault.params["api"] == api]
    if lost:
        yield quoted(lost[-1])
        yield link("two_phase.not_again", "MW-16", subject=actor_subject(sender), tid=int(tid), api=api)


def _is_stuck(moment: Moment, tid: str) -> bool:
    """Whether nothing more will happen in a transaction: no message of it is in flight and no timer of it runs."""
    shown = moment.part("middleware")
    transaction = (shown.get("transactions") or {}).get(tid) or {}
    timers = [
        transaction.get("timer"),
        *(_part(shown.get(role), tid).get("due") for role in (BUSINESS, MANAGER)),
    ]
    under_way = any(str(one["fields"].get("tid")) == tid for one in moment.messages() if "fields" in one)
    return not under_way and all(timer is None for timer in timers)


def _part(node: Json | None, tid: str) -> Json:
    """The view of a transaction at a node; empty if the node does not have it."""
    found: Json = ((node or {}).get("transactions") or {}).get(tid) or {}
    return found
