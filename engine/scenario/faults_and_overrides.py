"""Checks the entries of the fault script and the overrides, after their types were checked: fields that belong
together must be there, and names must exist.

Without these checks a mistake would only appear in the middle of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.broker.internal_topics import INTERNAL_TOPICS
from engine.crafted_requests import FIELDS, check_crafted
from engine.errors import Error, Refused
from engine.scenario import schema
from engine.scenario.bad_scenario import MISSING, BadScenario, known
from engine.scenario.phrases import Phrase, allowed, any_of, shown, wrong
from engine.tool.command import COMMANDS, command_of, missing_option
from engine.topic_partition import topic_of

LEVEL_MAX = 2
"""The highest level of ``transaction.version`` (KIP-1022)."""
FAULT_NEEDS: dict[str, tuple[str, ...]] = {
    "delay": ("by_ms",),
    "inject_error": ("error",),
    "delete_head": ("partition",),
    "compact": ("partition",),
    "seek": ("actor", "partition"),
    "close_consumer": ("actor",),
    "change_leader": ("partition",),
    "shrink_isr": ("partition",),
    "restore_isr": ("partition",),
    "deny": ("operation",),
    "allow": ("operation",),
    "craft_produce": ("partition", "message"),
    "craft_request": ("message",),
    "delete_topic": ("topic",),
    "make_unavailable": ("actor",),
    "make_available": ("actor",),
    "connect_slowly": ("actor",),
    "lose_heartbeats": ("actor",),
    "find_heartbeats": ("actor",),
    "set": ("path", "value"),
    "update_features": ("to",),
}
"""Dict of action → the fields that it requires."""

ACTORS: dict[str, str] = {
    **dict.fromkeys((*schema.ACTOR_ACTIONS, "connect_slowly"), "actors"),
    **dict.fromkeys(("seek", "close_consumer"), "consumers"),
    **dict.fromkeys(("make_unavailable", "make_available", "lose_heartbeats", "find_heartbeats"), "brokers"),
    "craft_request": "receivers",
}
"""Dict of action → the kind of component that its ``actor`` names (a key of `form.names_in`). A hand-made message of
the middleware goes only to a node of the middleware, any other hand-made message only to a broker."""

_MEANING = {
    "by_ms": allowed("delay"),
    "error": allowed("error"),
    "partition": allowed("partition"),
    "actor": allowed("actor"),
    "operation": allowed("operation"),
    "message": allowed("message"),
    "to": allowed("int_between", low=0, high=LEVEL_MAX),
    "topic": allowed("topic_name"),
    "path": allowed("setting_path"),
    "value": allowed("new_value"),
}

PRODUCE_FIELDS: dict[str, tuple[int, int]] = {
    "producer_id": (-(2**63), 2**63 - 1),
    "producer_epoch": (-(2**15), 2**15 - 1),
    "first_sequence": (-1, 2**31 - 1),
    "records": (1, 10_000),
    "transaction_version": (0, LEVEL_MAX),
}
"""The numeric fields of a hand-made Produce request, each with its lowest and highest value. The request also
has ``transactional`` and ``transactional_id``."""
ERROR_ANSWER_FIELDS: dict[str, tuple[int, int]] = {"log_start_offset": (-1, 2**63 - 1)}
"""The fields that a response with an injected error may have, each with its lowest and highest value."""


def check_fault(
    fault: dict[str, Any],
    place: str,
    names: Mapping[str, list[str]],
    partitions: list[str],
    clients: list[str],
) -> None:
    """Raises BadScenario for an impossible fault. ``names``: dict of kind of component in ACTORS, or ``nodes`` → the
    existing names. May set ``response`` in the fault's ``match``."""
    matched = bool(fault["match"]) and fault["match"].get("api") is not None
    if matched == (fault["at"] is not None):
        raise BadScenario(place, wrong("at_or_match"), allowed("at_or_match"))
    action = fault["action"]
    if action in schema.MESSAGE_ACTIONS and not matched:
        raise BadScenario(f"{place}.match", MISSING, allowed("match"))
    for name in FAULT_NEEDS.get(action, ()):
        if fault[name] is None:
            raise BadScenario(f"{place}.{name}", MISSING, _MEANING[name])
    if action == "craft_request":
        _check_crafted(fault, place, names)
    elif action in ACTORS:
        known(f"{place}.actor", fault["actor"], names[ACTORS[action]])
    if fault["partition"] is not None:
        _check_partition(f"{place}.partition", fault["partition"], partitions)
    if action == "delete_topic":
        known(f"{place}.topic", fault["topic"], sorted({topic_of(name) for name in partitions}))
    if action == "craft_produce":
        _check_numbers(fault["message"], f"{place}.message", PRODUCE_FIELDS)
    if action == "inject_error":
        known(f"{place}.error", fault["error"], list(Error.__members__))
        _check_numbers(fault["message"] or {}, f"{place}.message", ERROR_ANSWER_FIELDS)
    if action in COMMANDS:
        _check_command(fault, place, names["brokers"], partitions)
    if action == "update_features" and fault["to"] > LEVEL_MAX:
        raise BadScenario(f"{place}.to", shown(fault["to"]), _MEANING["to"])
    if action == "set":
        _check_path(f"{place}.path", fault["path"], clients)
    if matched and fault["match"]["api"] in schema.ANSWERING_APIS:
        fault["match"]["response"] = True


def _check_partition(place: str, name: str, partitions: list[str]) -> None:
    if topic_of(name) not in INTERNAL_TOPICS:
        known(place, name, partitions)


def _check_command(fault: dict[str, Any], place: str, brokers: list[str], partitions: list[str]) -> None:
    """Check the options of ``kafka-transactions.sh`` as the tool does."""
    if not brokers:
        raise BadScenario(f"{place}.action", shown(fault["action"]), allowed("no_brokers"))
    command = command_of(fault)
    if command.broker is not None:
        known(f"{place}.broker", f"broker-{command.broker}", brokers)
    if command.topic is not None:
        known(f"{place}.topic", command.topic, sorted({*map(topic_of, partitions), *INTERNAL_TOPICS}))
    missing = missing_option(command)
    if missing is not None:
        raise BadScenario(f"{place}.{missing}", MISSING, allowed(f"option.{missing}"))


def _check_crafted(fault: dict[str, Any], place: str, names: Mapping[str, list[str]]) -> None:
    to_node = (fault["message"] or {}).get("api") in schema.MIDDLEWARE_APIS
    if fault["actor"] is not None or to_node:
        known(f"{place}.actor", fault["actor"], names["nodes" if to_node else "brokers"])
    if "api" not in (fault["message"] or {}):
        raise BadScenario(f"{place}.message.api", MISSING, any_of(FIELDS))
    try:
        check_crafted(fault["message"], f"{place}.message")
    except Refused as refused:
        reason, remedy = (Phrase(key, refused.params) for key in (refused.key, f"{refused.key}.remedy"))
        raise BadScenario(refused.place, reason, remedy) from None


def _check_numbers(message: dict[str, Any], place: str, fields: dict[str, tuple[int, int]]) -> None:
    """Check the names and values in a fault's table ``message``. ``fields``: dict of name → its lowest and highest
    value."""
    for name, value in message.items():
        if name == "transactional" and "records" in fields:
            if type(value) is not bool:
                raise BadScenario(f"{place}.{name}", shown(value), allowed("bool"))
            continue
        if name == "transactional_id" and "records" in fields:
            if type(value) is not str:
                raise BadScenario(f"{place}.{name}", shown(value), allowed("text", most=schema.TEXT_MAX))
            continue
        if name not in fields:
            raise BadScenario(f"{place}.{name}", wrong("unknown_key"), any_of(fields))
        low, high = fields[name]
        if type(value) is not int or not low <= value <= high:
            raise BadScenario(f"{place}.{name}", shown(value), allowed("int_between", low=low, high=high))


def _check_path(place: str, path: str, clients: list[str]) -> None:
    words = path.split(".", 2)
    if len(words) != 3 or words[0] != "clients" or words[1] not in clients:
        paths = any_of((f"clients.{name}.SETTING" for name in clients), allowed("no_producer"))
        raise BadScenario(place, shown(path), paths)


# -- initial state -------------------------------------------------------------------------------------------


def check_override(
    override: dict[str, Any], place: str, cluster: dict[str, Any], partitions: list[str], clients: list[str]
) -> None:
    """Raises BadScenario unless the override's subject exists in this cluster (GEN-7)."""
    brokers = list(range(1, cluster["brokers"] + 1))
    kind = override["set"]
    if kind == "client":
        known(f"{place}.client", override["client"], clients)
        if override["partition"] is not None:
            known(f"{place}.partition", override["partition"], partitions)
    elif kind in ("broker_entry", "log_start", "leader"):
        known(f"{place}.partition", override["partition"], partitions)
        if kind == "leader" and not override["no_leader"]:
            _known_broker(f"{place}.broker", override["broker"], brokers)
    elif kind == "zookeeper":
        _check_producer_ids(override, place, brokers)
    elif kind == "group":
        _check_group(override, place, cluster)
    elif not override["transactional_id"] or not cluster["internal_topics"]:
        raise BadScenario(
            f"{place}.transactional_id",
            shown(override["transactional_id"]),
            allowed("id_with_internal_topics"),
        )


def check_identities(overrides: list[dict[str, Any]]) -> None:
    """Raises BadScenario if two overrides set the identity of one client."""
    seen: set[str] = set()
    for index, override in enumerate(overrides):
        if override["set"] != "client" or override["producer_id"] is None:
            continue
        if override["client"] in seen:
            raise BadScenario(f"overrides.{index}.producer_id", wrong("twice"), allowed("one_identity"))
        seen.add(override["client"])


def _check_producer_ids(override: dict[str, Any], place: str, brokers: list[int]) -> None:
    """Check the block that ZooKeeper holds, and the next id of one broker's block."""
    if override["next_id"] is None and override["block_end"] is None:
        raise BadScenario(f"{place}.next_id", MISSING, allowed("next_id_or_block"))
    if override["next_id"] is not None:
        _known_broker(f"{place}.broker", override["broker"], brokers)
    first, last = override["block_start"] or 0, override["block_end"]
    if last is not None and last < first:
        raise BadScenario(f"{place}.block_end", str(last), allowed("from_block_start", first=first))


def _check_group(override: dict[str, Any], place: str, cluster: dict[str, Any]) -> None:
    if not override["group"] or not cluster["internal_topics"]:
        raise BadScenario(f"{place}.group", shown(override["group"]), allowed("name_with_internal_topics"))
    seen: set[str] = set()
    for index, member in enumerate(override["members"] or ()):
        if not member["id"] or member["id"] in seen:
            fault = wrong("twice") if member["id"] else MISSING
            raise BadScenario(f"{place}.members.{index}.id", fault, allowed("no_members_id"))
        seen.add(member["id"])


def _known_broker(place: str, broker: int | None, brokers: list[int]) -> None:
    if broker not in brokers:
        existing = any_of(brokers, allowed("no_brokers"))
        raise BadScenario(place, MISSING if broker is None else str(broker), existing)
