"""Answers why a client or a coordinator closes a connection: a request got no response within its timeout."""

from __future__ import annotations

from collections.abc import Iterator

from engine.client.consumer import REQUEST_TIMEOUT_MS
from engine.why.happened import newest_of
from engine.why.links import Json, Link, NotAsked, actor_subject, link
from engine.why.markers import MARKERS
from engine.why.messages import late_between
from engine.why.moment import Moment
from engine.why.records import quoted
from engine.why.replication import not_running

_SENDERS = {
    "client.request_timed_out": "client",
    "markers.timed_out": "coordinator",
    "consumer.disconnected": "consumer",
}
"""Dict of key of a step in which a request times out → name of the parameter with the sender of the request."""
_FOLLOWS = ("client.control_lost", "client.requeued", "markers.disconnected")
"""Keys of the notes about the request, and about its sender's next action."""


def sender_of(step: Json) -> str | None:
    """The producer client, the consumer or the coordinator whose request times out in this step; None for
    other steps."""
    name = _SENDERS.get(step["key"])
    if name is None or step["kind"] != "timer":
        return None
    sender: str = step["params"][name]
    return sender


def why_unanswered(moment: Moment, sender: str) -> Iterator[Link]:
    """Links about the request, its fate, and the sender's next action. Raises NotAsked if no request of this sender
    times out in the newest step."""
    step = newest_of(moment)
    if sender_of(step) != sender:
        raise NotAsked("subject", f"no request of {sender!r} times out in this step", "a step with a timeout")
    broker, timeout = step["params"]["broker"], _timeout(moment, step, sender)
    sent_at = moment.now - timeout
    follows = [note for note in step["notes"] if note["key"] in _FOLLOWS]
    api = MARKERS if step["key"] == "markers.timed_out" else _timed_out(step)
    lost = [
        one
        for one in late_between(moment, sender, (broker,))
        if one.at >= sent_at and api == one.params["api"]
    ]
    subject = actor_subject(sender)
    known: Json = {"sender": sender, "broker": broker, "timeout": timeout}
    yield link("unanswered.request", "SND-7", subject=subject, **known, api=api)
    if lost:
        yield quoted(lost[-1])
    else:
        yield from not_running(moment, broker)
    for note in follows:
        rules = tuple(note["rules"])
        yield Link(key=note["key"], params=note["params"], rules=rules, subject=subject, step=step["number"])


def _timed_out(step: Json) -> str:
    """The API of the request whose deadline has passed. Other requests of its connection may end in the same step."""
    ended = [
        one["before"] for one in step["changes"] if one["path"][2:3] == ["requests"] and "after" not in one
    ]
    api: str = next(request["api"] for request in ended if request["deadline"] <= step["at"])
    return api


def _timeout(moment: Moment, step: Json, sender: str) -> int:
    if step["key"] == "markers.timed_out":
        configuration = moment.configuration_of(sender)
        if configuration is None:
            raise NotAsked("subject", "the broker's settings are not known", "a recorded run")
        return configuration.marker_request_timeout_ms
    timeout: int = step["params"].get("timeout", REQUEST_TIMEOUT_MS)
    return timeout
