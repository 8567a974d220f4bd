"""Answers where a message is, and why its receiver has not handled it: the message is on its link, the receiver is
paused, or the broker handles an earlier request of the connection (GEN-5, GEN-6, GEN-11)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine.lately import Said
from engine.view.openers import DROPPED
from engine.why.links import Json, Link, NotAsked, actor_subject, kind_of, link, message_subject, when_due
from engine.why.moment import Moment
from engine.why.replication import not_running

_LATE = (*DROPPED, "fault.message_delayed")
"""The faults of a single message because of which a response may not come in time."""


def late_between(moment: Moment, actor: str, others: Collection[str]) -> Iterator[Said]:
    """The faults that dropped or delayed single messages between an actor and any of ``others``, oldest first."""
    for fault in moment.lately.faults:
        ends = {fault.params.get("source"), fault.params.get("destination")}
        if fault.key in _LATE and any(ends == {actor, other} for other in others):
            yield fault


def why_message(moment: Moment, message: str) -> Iterator[Link]:
    shown = (moment.part("network").get("messages") or {}).get(message)
    if shown is None:
        raise NotAsked("subject", f"message {message!r} is not under way", "its fate was settled before")
    yield from whereabouts(moment, shown)


def whereabouts(moment: Moment, message: Json) -> Iterator[Link]:
    """A link that says where a message in flight is; and a second link if its receiver is down, paused or starting."""
    at = message["arrives_at"]
    held = message["held"] or at is None
    behind = message.get("waits_behind")
    if behind is not None:
        yield link(
            "message.waits_behind",
            "GEN-11",
            subject=message_subject(str(message["id"])),
            api=message["api"],
            source=message["from"],
            destination=message["to"],
            behind=behind,
        )
        yield from not_running(moment, message["to"])
        return
    yield link(
        "message.held" if held else "message.arrives",
        "GEN-6" if held else "GEN-5",
        subject=message_subject(str(message["id"])),
        api=message["api"],
        kind=kind_of(message),
        source=message["from"],
        destination=message["to"],
        sent_at=message["sent_at"],
        at=at,
        left=None if held else max(at - moment.now, 0),
    )
    yield from not_running(moment, message["to"])


_EVENTS = {
    "delivery": "next.connection",
    "timer": "next.timer",
    "sender": "next.pass",
    "call": "next.call",
    "fault": "next.fault",
}


def coming(moment: Moment, event: Json) -> Link:
    """A link about a queued event (GEN-2): its actor, its action, and the milliseconds until it happens."""
    what = str(event["what"])
    key, subject = _EVENTS[event["class"]], actor_subject(event["actor"])
    left = event["at"] - moment.now
    params: Json = {"actor": event["actor"], "at": event["at"], "when": when_due(left)}
    first, _, rest = what.partition(" ")
    message = (moment.part("network").get("messages") or {}).get(rest) if first == "message" else None
    if message is not None:
        key, subject = "next.message", message_subject(rest)
        params |= {"api": message["api"], "kind": kind_of(message), "source": message["from"]}
    elif first == "fetch":
        key = "next.fetch"
        params["partition"] = rest
    elif first == "connection":
        params["peer"] = rest.removeprefix("to ")
    elif what == "loop":
        key = "next.loop"
    elif event["class"] == "call":
        params["call"] = what
    return Link(key=f"why.{key}", params=params, rules=("GEN-2",), subject=subject)
