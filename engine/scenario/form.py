"""Makes the data for a form that edits scenario documents, as JSON, from the tables by which the loader checks. The
labels are in the catalogue, under the same names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from itertools import chain
from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.client.configuration import SETTINGS
from engine.crafted_requests import FIELDS as CRAFTED
from engine.database.approaches import APPROACHES, fields_of
from engine.database.messages import DATABASE
from engine.errors import Error
from engine.explain.in_force import states_in
from engine.explain.machines import machines
from engine.judge.bench import EVERY_GUARANTEE
from engine.profiles import PROFILES
from engine.scenario import schema
from engine.scenario.belonging import BELONGING, Belonging
from engine.scenario.document import can_undo, nodes_of
from engine.scenario.faults_and_overrides import ACTORS, ERROR_ANSWER_FIELDS, FAULT_NEEDS, PRODUCE_FIELDS
from engine.scenario.kept_by import absent
from engine.scenario.mistakes import MISTAKES_MAX
from engine.scenario.schema import SECTIONS, Field
from engine.switches import Switches
from engine.tool.command import COMMANDS
from engine.topic_partition import partition_name

TABLES: dict[tuple[str, str], str] = {
    ("producer", "settings"): "settings",
    ("cluster", "broker"): "broker",
    ("scenario", "switches"): "switches",
}
"""Dict of (section, field) of a table with free keys → the table that defines these keys."""

NAMES: dict[tuple[str, str], str] = {
    ("latency", "between"): "actors",
    ("consumer", "partitions"): "partitions",
    ("application", "client"): "callable",
    ("loop", "producer"): "producers",
    ("loop", "consumer"): "consumers",
    ("loop", "output"): "partitions",
    ("service", "producer"): "producers",
    ("service", "consumer"): "consumers",
    ("service", "output"): "partitions",
    ("call", "partition"): "partitions",
    ("call", "nodes"): "undoable",
    ("fault", "actor"): "actors",
    ("fault", "partition"): "partitions",
    ("fault", "topic"): "topics",
    ("fault", "error"): "errors",
    ("match", "from"): "actors",
    ("match", "to"): "actors",
    ("match", "partition"): "partitions",
    ("override", "client"): "producers",
    ("override", "partition"): "partitions",
    ("override", "partitions"): "partitions",
    ("expect", "errors"): "errors",
    ("expect", "broken"): "guarantees",
    ("verdict", "partition"): "partitions",
    ("checkpoint", "actor"): "actors",
    ("checkpoint", "source"): "actors",
    ("checkpoint", "partition"): "partitions",
    ("checkpoint", "machine"): "machines",
}
"""Dict of (section, field) → the kind of object that the field names. `names_in` lists the names in a document."""


NAMES_BY: dict[tuple[str, str], dict[str, str]] = {("fault", "actor"): ACTORS}
"""Dict of (section, field) → dict of action → the kind of object that the field names beside this action, in place of
the kind in NAMES."""


OF_SERVICES = Belonging(
    "approach",
    tuple(
        name
        for name in SECTIONS["service"]
        if name not in ("approach", *chain.from_iterable(map(fields_of, APPROACHES.values())))
    ),
    {name: fields_of(approach) for name, approach in APPROACHES.items()},
)
"""The fields of a service that its approach reads. A document may also give other fields that change nothing."""


def form() -> dict[str, Any]:
    """The data of the form as JSON: the sections, the tables with free keys, the fields that an entry may have
    (`Belonging`), and the names that exist in every document."""
    return {
        "sections": {
            section: {name: _field(section, name, field) for name, field in table.items()}
            for section, table in SECTIONS.items()
        },
        "tables": {
            "settings": {name: _setting(name) for name in SETTINGS},
            "broker": _table_of(BrokerConfiguration),
            "switches": _table_of(Switches),
        },
        "belonging": {
            section: {"word": one.word, "always": one.always, "fields": one.fields}
            for section, one in (*BELONGING.items(), ("service", OF_SERVICES))
        },
        "needs": FAULT_NEEDS,
        "actions": {
            "message": schema.MESSAGE_ACTIONS,
            "actor": schema.ACTOR_ACTIONS,
            "world": schema.WORLD_ACTIONS,
        },
        "messages": _messages(),
        "names": {
            "errors": sorted(error.name for error in Error if error is not Error.NONE),
            "guarantees": list(EVERY_GUARANTEE),
            "machines": sorted(machine.name for machine in machines().values()),
        },
        "versions": {profile.name: profile.version for profile in PROFILES.values()},
        "name": schema.NAME,
        "mistakes_max": MISTAKES_MAX,
    }


def _field(section: str, name: str, field: Field) -> dict[str, Any]:
    return {
        "kind": field.kind,
        "default": list(field.default) if isinstance(field.default, tuple) else field.default,
        "required": field.required,
        "low": field.low,
        "high": field.high,
        "choices": list(field.choices),
        "rows": field.rows,
        "bound": field.bound,
        "table": TABLES.get((section, name)),
        "names": NAMES.get((section, name)),
        "names_by": NAMES_BY.get((section, name), {}),
    }


def _setting(name: str) -> dict[str, Any]:
    setting = SETTINGS[name]
    if setting.kind == "int":
        return _value("int", setting.default, low=setting.low, high=setting.high)
    return _value(setting.kind, setting.default, choices=[0, 1, "all"] if setting.kind == "acks" else [])


_KINDS = {int: "int", str: "text", bool: "bool", list: "names"}
ANY_REQUEST = ""
"""The key of a table whose fields apply to every request."""


def _messages() -> dict[str, dict[str, Any]]:
    """The fields of a fault's ``message``: dict of action → dict of request → fields. The request is the one that
    the message names, or ANY_REQUEST."""
    numbers = {name: _value("int", low=low, high=high) for name, (low, high) in PRODUCE_FIELDS.items()} | {
        "transactional": _value("bool"),
        "transactional_id": _value("text"),
    }
    api = {"api": _value("text", choices=list(CRAFTED))}
    crafted = {
        name: api | {field: _value(_KINDS[kind], default) for field, (kind, default) in known.items()}
        for name, known in CRAFTED.items()
    }
    answer = {name: _value("int", low=low, high=high) for name, (low, high) in ERROR_ANSWER_FIELDS.items()}
    return {
        "craft_request": {ANY_REQUEST: api, **crafted},
        "craft_produce": {ANY_REQUEST: numbers},
        "inject_error": {ANY_REQUEST: answer},
    }


def _value(
    kind: str,
    default: Any = None,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: list[Any] | None = None,
) -> dict[str, Any]:
    usual = list(default) if isinstance(default, tuple) else default
    return {"kind": kind, "default": usual, "low": low, "high": high, "choices": choices or []}


def _table_of(kind: type[Any]) -> dict[str, Any]:
    """Dict of field of a dataclass → its type and default, in the form of a setting."""
    found: dict[str, Any] = {}
    for field in fields(kind):
        default = None if field.default is MISSING else field.default
        named = "bool" if type(default) is bool else "text" if type(default) is str else "int"
        found[field.name] = _value(named, default)
    return found


def names_in(document: dict[str, Any]) -> dict[str, list[str]]:
    """Dict of kind of object → the names that a document may refer to. ``absent``: the names in the form that this
    document cannot use. Any document is accepted, even one that does not load."""
    cluster = document.get("cluster")
    count = _whole(cluster.get("brokers", 3) if isinstance(cluster, dict) else 3, 3, 9)
    brokers = [f"broker-{number}" for number in range(1, count + 1)]
    producers, consumers = _names(document, "producers"), _names(document, "consumers")
    topics = _named_rows(document, "topics") or ([{"name": "t"}] if count else [])
    section = document.get("middleware")
    middleware = section if isinstance(section, dict) else {}
    participants = _names(middleware, "participants")
    nodes = [*nodes_of(middleware), *participants] if participants else []
    services = _names(document, "services")
    beside = [*services, DATABASE] if services else []
    versions, named = SECTIONS["scenario"]["profile"], document.get("profile")
    profile = str(named if named in versions.choices else versions.default)
    without = [name for name, machine in machines().items() if not states_in(machine, PROFILES[profile])]
    return {
        "producers": producers,
        "consumers": consumers,
        "callable": [*producers, *nodes],
        "topics": [str(topic["name"]) for topic in topics],
        "partitions": [
            partition_name(topic["name"], number)
            for topic in topics
            for number in range(_whole(topic.get("partitions"), 2, 64))
        ],
        "actors": [*producers, *consumers, *brokers, *nodes, *beside],
        "brokers": brokers,
        "receivers": [*brokers, *nodes],
        "undoable": [node for node in nodes if can_undo(node)],
        "absent": [*absent(profile), *without, *_without(producers, nodes, brokers)],
    }


def _without(producers: list[str], nodes: list[str], brokers: list[str]) -> Iterator[str]:
    """The calls and actions that need a component which the document does not have."""
    yield from () if producers else schema.CALLS
    yield from () if nodes else schema.MIDDLEWARE_CALLS
    yield from () if brokers else COMMANDS


def _named_rows(document: dict[str, Any], section: str) -> list[dict[str, Any]]:
    rows = document.get(section)
    rows = rows[:64] if isinstance(rows, list) else []
    return [row for row in rows if isinstance(row, dict) and type(row.get("name")) is str]


def _names(document: dict[str, Any], section: str) -> list[str]:
    return [row["name"] for row in _named_rows(document, section)]


def _whole(value: Any, usual: int, most: int) -> int:
    return value if type(value) is int and 0 <= value <= most else usual
