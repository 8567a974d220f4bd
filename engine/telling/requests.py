"""Sentences for refusals by rules."""

from __future__ import annotations

from engine.happenings import requests as happened
from engine.happenings.base import Happening
from engine.happenings.codes import Compared, Next, Reason
from engine.telling.telling import Tell, Teller
from engine.tool.command import TOOL

_OF_GROUPS = frozenset({Reason.INSTANCE_REPLACED, Reason.MEMBER_UNKNOWN, Reason.GENERATION_DIFFERS})


_OF_THE_CONTROLLER = frozenset(
    {
        Reason.LEADER_EPOCH_OLD,
        Reason.PARTITION_EPOCH_OLD,
        Reason.PARTITION_GONE,
        Reason.REPLICA_INELIGIBLE,
    }
)


def reason_key(reason: Reason) -> str:
    """The key of the sentence for a reason."""
    if reason in _OF_THE_CONTROLLER:
        return f"quorum.{reason.value}"
    return f"{'group' if reason in _OF_GROUPS else 'broker'}.{reason.value}"


def next_key(then: Next) -> str:
    """The key of the sentence for the next action of the sender of the request."""
    return f"refusal.{then.value}"


COMPARED = {
    Compared.ALLOWED_BYTES: "allowed bytes",
    Compared.BATCH_BYTES: "batch bytes",
    Compared.CALL: "call",
    Compared.CLIENT: "client",
    Compared.COORDINATOR: "coordinator",
    Compared.CURRENT_GENERATION: "current generation",
    Compared.FETCH_OFFSET: "fetch offset",
    Compared.GENERATION: "generation",
    Compared.GROUP: "group",
    Compared.IN_SYNC_REPLICAS: "in-sync replicas",
    Compared.KEY: "key",
    Compared.LEADER: "leader",
    Compared.LIMIT: "limit",
    Compared.LOG_END: "log end",
    Compared.LOG_START: "log start",
    Compared.MEMBER: "member",
    Compared.MEMBERS: "members",
    Compared.MINIMUM: "minimum",
    Compared.PARTITION: "partition",
    Compared.PRODUCER_ID: "producer id",
    Compared.RECEIVER: "receiver",
    Compared.RECORD_BYTES: "record bytes",
    Compared.RECORD_VERSION: "record version",
    Compared.RESOURCE: "resource",
    Compared.STATE: "state",
    Compared.TOPIC: "topic",
    Compared.CURRENT_LEADER_EPOCH: "current leader epoch",
    Compared.CURRENT_PARTITION_EPOCH: "current partition epoch",
    Compared.ELIGIBLE: "replicas that may be in sync",
    Compared.IN_SYNC_WANTED: "in-sync replicas asked for",
    Compared.LEADER_EPOCH: "leader epoch",
    Compared.PARTITION_EPOCH: "partition epoch",
    Compared.TRANSACTIONAL_ID: "transactional id",
}
"""Dict of code of a compared value → its label in ``refusal.compared`` (docs/frame.md)."""


_OF_THE_TOOL = {
    Next.CLIENT_ENDS: Next.TOOL_ENDS,
    Next.CLIENT_LOOKS_UP_AGAIN: Next.TOOL_LOOKS_UP_AGAIN,
    Next.COORDINATOR_DISCARDS_RESPONSE: Next.TOOL_ENDS,
}
"""Dict of the next action of a producer or coordinator → the next action of ``kafka-transactions.sh`` if it sent
the request."""


def _request_refused(h: happened.RequestRefused, teller: Teller) -> None:
    rule, facts = h.rule, h.facts
    teller.say(reason_key(rule.why), (rule.spec,), **{name: facts[name] for name in rule.says})
    compared = [[COMPARED[label], facts[name]] for label, name in rule.compares]
    is_tool = TOOL in (facts.get("client"), facts.get("coordinator"))
    then = h.then or rule.then
    if is_tool:
        then = _OF_THE_TOOL.get(then, then)
    teller.refuse(rule.spec, rule.answer.name, compared, next_key(then))


TELLINGS: dict[type[Happening], Tell] = {happened.RequestRefused: _request_refused}
