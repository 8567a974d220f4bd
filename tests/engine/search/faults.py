"""Makes one random entry of a fault script, for every action and every message in the engine's own tables.

An action without a row in :data:`FIELDS` gets a value in every field that a fault may have, so a new action is tried
at once; ``test_search`` checks that each action was carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.client.configuration import SETTINGS
from engine.crafted_requests import FIELDS as CRAFTED
from engine.profile import ZOOKEEPER
from engine.scenario.belonging import BELONGING
from engine.scenario.kept_by import ACTIONS
from engine.scenario.kept_by import APIS as KEPT_BY
from engine.scenario.schema import ACTOR_ACTIONS, APIS, MESSAGE_ACTIONS, MIDDLEWARE_APIS, WORLD_ACTIONS
from tests.engine.search.chances import below, one_of, perhaps

UNPROTECTED = ("TxnOffsetCommit", "OffsetCommit", "WriteTxnMarkers")
"""The network of an honest world does not repeat these requests. They have no sequence numbers, so their receiver
applies a copy that arrives in the next transaction. TCP does not repeat, and the sender waits for the response.
"""
ORDERED = "Produce"
"""In an honest world, no request of this API overtakes another, as with TCP. Otherwise 2.8 accepts the batch that
arrives first as the first one of an unknown producer; and while a transaction ends, another batch could get the
sequence numbers of the refused one.
"""
HONEST_ERRORS: dict[str, tuple[str, ...]] = {
    "Produce": ("NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "UNKNOWN_TOPIC_OR_PARTITION"),
    "FindCoordinator": ("COORDINATOR_NOT_AVAILABLE",),
    "InitProducerId": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "CONCURRENT_TRANSACTIONS"),
    "AddPartitionsToTxn": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "CONCURRENT_TRANSACTIONS"),
    "AddOffsetsToTxn": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "CONCURRENT_TRANSACTIONS"),
    "EndTxn": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE"),
    "TxnOffsetCommit": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "UNKNOWN_TOPIC_OR_PARTITION"),
    "WriteTxnMarkers": ("NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "UNKNOWN_TOPIC_OR_PARTITION"),
    "OffsetFetch": ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"),
    "Fetch": ("NOT_LEADER_OR_FOLLOWER",),
}
"""API → errors that an honest broker may return without having carried out the request, so that the sender tries
again, there or elsewhere.
"""
HONEST_AFTERWARDS: dict[str, tuple[str, ...]] = {
    "Produce": ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT", "NOT_LEADER_OR_FOLLOWER"),
    "InitProducerId": ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "AddPartitionsToTxn": ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "AddOffsetsToTxn": ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "EndTxn": ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "TxnOffsetCommit": ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "WriteTxnMarkers": ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT"),
}
"""API → errors that a broker may return although it carried out the request, so that the sender retries."""
RIGHTS = (
    ("Write", "topic:t"),
    ("Write", "topic:out"),
    ("IdempotentWrite", "cluster"),
    ("ClusterAction", "cluster"),
    ("Read", "group:g"),
    ("Describe", "group:g"),
    ("Write", "transactional_id:txn-1"),
    ("Write", "transactional_id:txn-2"),
    ("Describe", "transactional_id:txn-1"),
)


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a fault in one world can use."""

    partitions: tuple[str, ...] = ()
    """Partitions of the applications' topics."""
    internal: tuple[str, ...] = ()
    producers: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    brokers: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """The errors that the cluster's version has."""
    transaction_version: int = 0
    """The highest transaction version that requests in this world may name."""
    takes_epoch_bumps: bool = True
    """Whether an InitProducerId request may name a producer id (KIP-360)."""
    kept_by: str = ZOOKEEPER
    """What stores the decisions of the cluster's controller: ZooKeeper or a quorum."""

    @property
    def actors(self) -> tuple[str, ...]:
        return self.producers + self.consumers + self.brokers + self.nodes


OFTEN = ("Produce", "Produce", "EndTxn", "WriteTxnMarkers", "WriteTxnMarkers", "InitProducerId")
Fields = Callable[[Random, Names], dict[str, Any]]
UNNAMED_BEFORE_BUMPS = ("producer_id", "producer_epoch")
LIE_ACTIONS = ("craft_produce", "craft_request", "expire_producers", "delete_topic", "abort_hanging")
"""Actions that only hostile worlds have: they violate the protocol, or remove state on which the guarantees depend."""
HONEST_ACTIONS = tuple(action for action in WORLD_ACTIONS if action not in LIE_ACTIONS)


def timed(generator: Random, names: Names, actions: tuple[str, ...]) -> dict[str, Any]:
    """Return an entry that takes effect at a time."""
    action = one_of(generator, tuple(one for one in actions if ACTIONS.get(one) in (None, names.kept_by)))
    fields = FIELDS.get(action, _everything)(generator, names)
    return meant({"at": below(generator, 1500), "action": action, **fields})


def matched(generator: Random, names: Names, *, honest: bool) -> dict[str, Any]:
    """Return an entry that takes effect on a message. ``honest``: network and brokers obey the protocol."""
    middleware = bool(names.nodes)
    sent = tuple(api for api in APIS if KEPT_BY.get(api) in (None, names.kept_by))
    api = one_of(generator, MIDDLEWARE_APIS if middleware else (*sent, *OFTEN))
    action = one_of(generator, MESSAGE_ACTIONS[:-1] if middleware else MESSAGE_ACTIONS)
    if action == "duplicate" and honest and api in UNPROTECTED:
        action = "drop"
    if action == "reorder" and honest and api == ORDERED:
        action = "delay"
    match: dict[str, Any] = {"api": api, "nth": 1 + below(generator, 6)}
    if not middleware:
        match["response"] = perhaps(generator, 0.5)
    if perhaps(generator, 0.2):
        match["times"] = 1 + below(generator, 5)
    if perhaps(generator, 0.1):
        match["rate"] = 0.3
    if action == "inject_error":
        return _error(generator, match, names.errors, honest=honest)
    by = 1 + below(generator, 6000 if middleware else 400)
    return meant({"match": match, "action": action, "by_ms": by, "taken": below(generator, 5)})


def meant(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the entry without the fields that its action does not have; a document must not contain these."""
    belonging = BELONGING["fault"]
    known = {belonging.word, *belonging.always, *belonging.fields[entry["action"]]}
    return {name: value for name, value in entry.items() if name in known}


def _error(
    generator: Random, match: dict[str, Any], of_version: tuple[str, ...], *, honest: bool
) -> dict[str, Any]:
    """Return an entry that injects an error. ``of_version``: the errors that the world's version has."""
    stored = perhaps(generator, 0.4)
    known = HONEST_AFTERWARDS if stored else HONEST_ERRORS
    api = match["api"] if match["api"] in known else one_of(generator, tuple(known))
    errors = of_version
    if honest:
        errors = tuple(name for name in known[api] if name in of_version)
        if not errors:
            api, errors = "Produce", known["Produce"]
    return {
        "match": {**match, "api": api, "response": False},
        "action": "inject_error",
        "error": one_of(generator, errors),
        "stored": stored,
    }


def _lasts(generator: Random) -> int:
    return 20 + below(generator, 600)


def _stopped(generator: Random, names: Names) -> dict[str, Any]:
    actor = one_of(generator, names.brokers if names.brokers and perhaps(generator, 0.5) else names.actors)
    clean = actor in names.brokers and perhaps(generator, 0.3)
    return {"actor": actor, "for_ms": _lasts(generator), **({"clean": True} if clean else {})}


def _actor(generator: Random, names: Names) -> dict[str, Any]:
    return {"actor": one_of(generator, names.actors)}


def _followed(generator: Random, names: Names) -> dict[str, Any]:
    """Return a partition, possibly of an internal topic, and a broker for it."""
    partition = one_of(generator, names.partitions + names.internal)
    return {"partition": partition, "broker": 1 + below(generator, len(names.brokers))}


def _led(generator: Random, names: Names) -> dict[str, Any]:
    """Return a partition and, in most cases, its new leader. If none is given, the controller chooses one."""
    found = _followed(generator, names)
    return found if perhaps(generator, 0.7) else {"partition": found["partition"]}


def _right(generator: Random, names: Names) -> dict[str, Any]:
    operation, resource = one_of(generator, RIGHTS)
    return {"operation": operation, "resource": resource}


def _head(generator: Random, names: Names) -> dict[str, Any]:
    to = {} if perhaps(generator, 0.5) else {"to": 1 + below(generator, 4)}
    return {"partition": one_of(generator, names.partitions), **to}


def _level(generator: Random, names: Names) -> dict[str, Any]:
    return {"to": below(generator, 3)}


def _compacted(generator: Random, names: Names) -> dict[str, Any]:
    return {"partition": one_of(generator, names.partitions + names.internal)}


def _sought(generator: Random, names: Names) -> dict[str, Any]:
    consumer = one_of(generator, names.consumers)
    return {"actor": consumer, "partition": one_of(generator, names.partitions), "to": below(generator, 6)}


def _closed(generator: Random, names: Names) -> dict[str, Any]:
    return {"actor": one_of(generator, names.consumers)}


def _forgotten(generator: Random, names: Names) -> dict[str, Any]:
    return {"partition": one_of(generator, names.partitions)} if perhaps(generator, 0.7) else {}


def _nothing(generator: Random, names: Names) -> dict[str, Any]:
    return {}


def _made_batch(generator: Random, names: Names) -> dict[str, Any]:
    message = {
        "producer_id": below(generator, 5),
        "producer_epoch": below(generator, 3),
        "first_sequence": below(generator, 4),
        "records": 1 + below(generator, 3),
        "transactional": perhaps(generator, 0.5),
    }
    return {"partition": one_of(generator, names.partitions), "message": message}


def _made_request(generator: Random, names: Names) -> dict[str, Any]:
    """Return any request that a script may contain, with values of this world in its fields."""
    api = one_of(generator, [api for api in CRAFTED if (api in MIDDLEWARE_APIS) == bool(names.nodes)])
    message: dict[str, Any] = {"api": api}
    for field, (kind, default) in CRAFTED[api].items():
        if perhaps(generator, 0.85):
            message[field] = _value(generator, names, field, kind, default)
    unnamed = UNNAMED_BEFORE_BUMPS if api == "InitProducerId" and not names.takes_epoch_bumps else ()
    message = {field: value for field, value in message.items() if value is not None and field not in unnamed}
    return {"actor": one_of(generator, names.nodes or names.brokers), "message": message}


def _value(generator: Random, names: Names, field: str, kind: type, default: Any) -> Any:
    known = {
        "transactional_id": ("txn-1", "txn-2", "other"),
        "group_id": ("g", "h"),
        "key": ("txn-1", "g"),
        "key_type": ("TRANSACTION", "GROUP"),
        "result": ("COMMIT", "ABORT"),
        "partition": names.partitions,
        "transaction_timeout_ms": (2000, 0, 10**9),
        "transaction_version": tuple(range(names.transaction_version + 1)),
    }.get(field)
    if known:
        return one_of(generator, known)
    if kind is bool:
        return perhaps(generator, 0.5)
    if kind is int:
        return below(generator, 4) - (1 if perhaps(generator, 0.1) else 0)
    if kind is list:
        return [one_of(generator, names.partitions or names.nodes)]
    return default


def _broker(generator: Random, names: Names) -> dict[str, Any]:
    return {"actor": one_of(generator, names.brokers), "for_ms": _lasts(generator)}


def _slow(generator: Random, names: Names) -> dict[str, Any]:
    return {"actor": one_of(generator, names.brokers), "by_ms": below(generator, 200)}


def _topic(generator: Random, names: Names) -> dict[str, Any]:
    return {"topic": one_of(generator, names.partitions).rpartition("-")[0]}


def setting(generator: Random, producer: str) -> dict[str, Any]:
    """Return a change of a setting of a running producer; the engine may refuse it."""
    name = one_of(generator, tuple(SETTINGS))
    found = SETTINGS[name]
    value: Any = below(generator, 300)
    if found.kind == "bool":
        value = perhaps(generator, 0.5)
    elif name == "max_in_flight":
        value = 1 + below(generator, 7)
    elif found.low:
        value = 200 + below(generator, 2000)
    return {"path": f"clients.{producer}.{name}", "value": value}


def _setting(generator: Random, names: Names) -> dict[str, Any]:
    return setting(generator, one_of(generator, names.producers))


def _listed(generator: Random, names: Names) -> dict[str, Any]:
    return {"duration_ms": below(generator, 1000)} if perhaps(generator, 0.5) else {}


def _described(generator: Random, names: Names) -> dict[str, Any]:
    return {"transactional_id": one_of(generator, ("txn-1", "txn-2", "other"))}


def _remembered(generator: Random, names: Names) -> dict[str, Any]:
    """Return a partition whose producers are to be forgotten, at its leader or at any broker."""
    fields: dict[str, Any] = {"partition": one_of(generator, names.partitions)}
    if perhaps(generator, 0.3):
        fields["broker"] = _number(one_of(generator, names.brokers))
    return fields


def _searched(generator: Random, names: Names) -> dict[str, Any]:
    fields: dict[str, Any] = {"timeout_minutes": below(generator, 2)}
    if perhaps(generator, 0.5):
        return fields | {"broker": _number(one_of(generator, names.brokers))}
    return fields | {"partition": one_of(generator, names.partitions)}


def _aborted(generator: Random, names: Names) -> dict[str, Any]:
    partition = {"partition": one_of(generator, names.partitions)}
    if perhaps(generator, 0.5):
        return partition | {"start_offset": below(generator, 8)}
    identity = {"producer_id": 1000 + below(generator, 2), "producer_epoch": below(generator, 2)}
    return partition | identity | {"coordinator_epoch": below(generator, 2)}


def _number(broker: str) -> int:
    return int(broker.removeprefix("broker-"))


def _everything(generator: Random, names: Names) -> dict[str, Any]:
    """Return fields for an action that has no row of its own: a value in every field."""
    fields: dict[str, Any] = {}
    for fill in (_stopped, _followed, _right, _head, _topic, _setting):
        fields |= fill(generator, names)
    return fields


FIELDS: dict[str, Fields] = {
    "crash": _stopped,
    "pause": _stopped,
    "restart": _actor,
    "resume": _actor,
    "change_leader": _led,
    "shrink_isr": _followed,
    "restore_isr": _followed,
    "deny": _right,
    "allow": _right,
    "delete_head": _head,
    "compact": _compacted,
    "seek": _sought,
    "close_consumer": _closed,
    "expire_producers": _forgotten,
    "competing_write": _nothing,
    "lose_heartbeats": _broker,
    "find_heartbeats": _broker,
    "fail_controller": _nothing,
    "craft_produce": _made_batch,
    "craft_request": _made_request,
    "make_unavailable": _broker,
    "make_available": _broker,
    "delete_topic": _topic,
    "advance_clock": _nothing,
    "set": _setting,
    "connect_slowly": _slow,
    "update_features": _level,
    "list_transactions": _listed,
    "describe_transaction": _described,
    "describe_producers": _remembered,
    "find_hanging": _searched,
    "abort_hanging": _aborted,
}
"""Action → function that makes the fields of its entry other than action and time."""
ON_NODES = (*ACTOR_ACTIONS, "craft_request")
"""The actions that are possible in a world without brokers."""
