"""The JSON Schema of all data that server and page send each other. It is generated from the types with which
the server writes and reads this data. Messages of the page may have no other fields; messages of the server
may, because fields may be added within a version."""

from __future__ import annotations

import json
from copy import deepcopy
from types import ModuleType
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from engine.shapes import (
    alongside,
    brokers,
    clients,
    database,
    derived,
    headers,
    logs,
    middleware,
    near_views,
    plans,
    questions,
    readers,
    steps,
    tool,
    transactions,
    views,
    words,
)
from eosviz import server_message
from eosviz.contract.documented import texts_of_fields
from eosviz.replays import player_file
from eosviz.server_message import VERSION
from eosviz.walkthroughs import (
    branch_names,
    conditions,
    interventions,
    limits,
    message_base,
    messages,
    presenting_messages,
    view_differences,
)
from eosviz.walkthroughs.conditions import AnyCondition
from eosviz.walkthroughs.interventions import AnyIntervention

Schema = dict[str, Any]

MODULES: tuple[ModuleType, ...] = (
    alongside,
    branch_names,
    brokers,
    clients,
    conditions,
    database,
    derived,
    headers,
    interventions,
    limits,
    logs,
    message_base,
    messages,
    middleware,
    plans,
    player_file,
    presenting_messages,
    questions,
    readers,
    server_message,
    near_views,
    steps,
    tool,
    transactions,
    views,
    view_differences,
    words,
)
"""The modules that define the types."""
UNIONS: dict[str, Any] = {
    "FromPage": messages.AnyFromPage,
    "FromServer": messages.AnyFromServer,
    "Intervention": AnyIntervention,
    "Condition": AnyCondition,
}
"""The named unions. A value of a union is a value of one of its members."""
PASSED_ON = (derived.SentStep, steps.Step, views.View, near_views.NearView, headers.Header, plans.Plan)
"""Types of parts of messages. In the types of the messages themselves, these parts are declared as plain
JSON."""
BESIDE = (questions.Question, player_file.PlayerFile, alongside.Alongside)
"""Types of data that is sent over HTTP, not as messages."""
ROOTS = ("FromPage", "FromServer", *(kind.__name__ for kind in BESIDE))
JSON: Schema = {
    "description": "Any value of JSON.",
    "anyOf": [
        {"type": ["null", "boolean", "number", "string"]},
        {"type": "array", "items": {"$ref": "#/$defs/Json"}},
        {"$ref": "#/$defs/JsonObject"},
    ],
}
_REF = "#/$defs/{name}"
_UNION_OF = {
    frozenset(_REF.format(name=member.__name__) for member in get_args(union)): name
    for name, union in UNIONS.items()
}


def schema() -> Schema:
    """The schema, in JSON Schema 2020-12. It describes one document: a message of either side, or one of
    `BESIDE`."""
    members = {name: get_args(union) for name, union in UNIONS.items()}
    kinds = [*(kind for union in members.values() for kind in union), *PASSED_ON, *BESIDE]
    _, made = msgspec.json.schema_components(kinds, ref_template=_REF)
    defs: Schema = {name: _named(shape, set(made) | set(UNIONS)) for name, shape in made.items()}
    _describe(defs)
    for name, union in members.items():
        defs[name] = {"oneOf": [{"$ref": _REF.format(name=member.__name__)} for member in union]}
    defs["Json"] = JSON
    defs["JsonObject"] = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sent",
        "description": f"What goes between server and page of eosviz, version {VERSION}.",
        "oneOf": [{"$ref": _REF.format(name=name)} for name in ROOTS],
        "$defs": dict(sorted(defs.items())),
    }


def as_text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def closed(whole: Schema) -> Schema:
    """A copy of the schema `whole` in which objects have no fields but those that it describes. Tests
    validate real traffic with it."""
    made: Schema = _closed(deepcopy(whole))
    return made


def of(whole: Schema, name: str) -> Schema:
    """The schema of the type with this name, taken from the schema `whole`."""
    return {"$schema": whole["$schema"], "$ref": _REF.format(name=name), "$defs": whole["$defs"]}


def _named(node: Any, names: set[str]) -> Any:
    """A copy of `node`, a part of the schema. Types, unions and general JSON that msgspec writes out in full
    are replaced by references to them."""
    if isinstance(node, list):
        return [_named(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    if node == {}:
        return {"$ref": "#/$defs/Json"}
    if node.get("title") in names and "properties" not in node:
        return _or_null(node)
    if "discriminator" in node:
        return {"$ref": _REF.format(name=_UNION_OF[frozenset(member["$ref"] for member in node["anyOf"])])}
    if node == {"type": "object"}:
        return {"$ref": "#/$defs/JsonObject"}
    if node == {"type": "array"}:
        return {"type": "array", "items": {"$ref": "#/$defs/Json"}}
    return {key: _named_part(key, value, names) for key, value in node.items()}


def _named_part(key: str, value: Any, names: set[str]) -> Any:
    if key == "properties":
        return {name: _named(shape, names) for name, shape in value.items()}
    return value if key in ("default", "enum") else _named(value, names)


def _or_null(node: Schema) -> Schema:
    named = {"$ref": _REF.format(name=node["title"])}
    nullable = {"type": "null"} in node.get("anyOf", ())
    return {"anyOf": [named, {"type": "null"}]} if nullable else named


def _describe(defs: Schema) -> None:
    """Give each field its docstring as description, and put the fields into the order of the source."""
    texts = texts_of_fields(MODULES)
    for module in MODULES:
        for name, kind in vars(module).items():
            if name in defs and isinstance(kind, type) and kind.__module__ == module.__name__:
                _describe_one(defs[name], kind, texts.get(name, {}))


def _describe_one(shape: Schema, kind: type, texts: dict[str, str]) -> None:
    properties = shape["properties"]
    if issubclass(kind, msgspec.Struct):
        written = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
        if not kind.__struct_config__.forbid_unknown_fields:
            # The server always sends a field that has a default, unless its value is UNSET.
            unset = {field.encode_name for field in msgspec.structs.fields(kind) if field.default is UNSET}
            shape["required"] = [name for name in properties if name not in unset]
    else:
        written = {name: name for name in kind.__annotations__}
        shape["properties"] = {name: properties[name] for name in written}
    for field, text in texts.items():
        properties[written[field]]["description"] = text


def _closed(node: Any) -> Any:
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for value in node.values():
            _closed(value)
    elif isinstance(node, list):
        for value in node:
            _closed(value)
    return node
