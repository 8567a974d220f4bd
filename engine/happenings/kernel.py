"""Happenings that no role causes: those of the network, of faults and of interventions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class MessageDelivered(Happening):
    """A message arrived, and its receiver emitted no happening that makes a step."""

    api: str
    kind: str
    """``request`` or ``response``."""
    source: str
    destination: str


@happening
class MessageLost(Happening):
    """A message was lost, because its receiver is down."""

    api: str
    kind: str
    """``request`` or ``response``."""
    source: str
    destination: str


@happening
class RequestWaitsInConnection(Happening):
    """A request arrived, but its broker has not answered ``before``, an earlier request of the connection,
    yet."""

    broker: str
    source: str
    api: str
    before: str


@happening
class AnswerGoesNowhere(Aside):
    """A broker has finished a request, but the connection of the request has ended, so the response is
    dropped."""

    broker: str
    client: str
    api: str


class Fault(Enum):
    """The ways in which a fault took effect, and the reasons for which a fault had no effect."""

    ANSWER_DROPPED = "answer_dropped"
    ANSWER_DROPPED_ALONE = "answer_dropped_alone"
    ALREADY_DOWN = "already_down"
    ASKED_TO_STOP = "asked_to_stop"
    ALREADY_UP = "already_up"
    CLIENT_CRASHED = "client_crashed"
    CLOCK_ADVANCED = "clock_advanced"
    CONNECTS_SLOWLY = "connects_slowly"
    CRAFTED_REQUEST = "crafted_request"
    CRASHED = "crashed"
    DISCONNECTED = "disconnected"
    IMPOSSIBLE = "impossible"
    MESSAGE_DELAYED = "message_delayed"
    MESSAGE_DROPPED = "message_dropped"
    MESSAGE_DUPLICATED = "message_duplicated"
    MESSAGE_REORDERED = "message_reordered"
    MESSAGE_NOT_OVERTAKEN = "message_not_overtaken"
    MESSAGES_HELD = "messages_held"
    NO_LEADER = "no_leader"
    PAUSED = "paused"
    REQUEST_CRAFTED = "request_crafted"
    RESTARTED = "restarted"
    RESUMED = "resumed"
    SETTING_CHANGED = "setting_changed"
    STOPPED = "stopped"
    STOPPED_CLEANLY = "stopped_cleanly"


@happening
class FaultStruck(Happening):
    """A fault took effect, or had none. ``facts``: the target and the parameters of the fault, by name."""

    what: Fault
    facts: Mapping[str, Any]


@happening
class RequestsLeftAtBroker(Aside):
    """A connection has ended. The broker still handles the first ``count`` of the requests that wait there."""

    client: str
    broker: str
    count: int


@happening
class OthersLost(Aside):
    """A connection has ended with the message that was dropped. ``count`` further messages to ``receiver`` are lost."""

    receiver: str
    is_response: bool
    count: int


@happening
class ErrorInjected(Happening):
    """The receiver of a request answers with an injected error and does not handle the request."""

    actor: str
    api: str
    error: Error


@happening
class AnswerReplaced(Aside):
    """A request took effect, but its response was replaced by an error."""

    actor: str
    error: Error


@happening
class WakesAsZombie(Aside):
    """A broker resumed after its session had ended; it learns of the end only at ``until`` (virtual ms)."""

    actor: str
    until: int


@happening
class RegistersAnew(Happening):
    broker: str


@happening
class CraftedAnswer(Happening):
    """One partition of the response to a hand-made Produce request."""

    partition: str
    error: Error
    base_offset: int


@happening
class CraftedRequestAnswered(Happening):
    """A hand-made request was answered. ``error`` None: the answer is a separate message of the middleware."""

    api: str
    broker: str
    error: str | None
