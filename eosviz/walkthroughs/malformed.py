"""Says why a message could not be read, in sentences of the catalogue.

msgspec and pydantic explain errors in English. This file turns each explanation into a key of the catalogue,
with the path of the field, what was found and what is allowed, so that a page can show it in the reader's
language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec

Found = tuple[str, dict[str, Any]]
"""A key below `problem.`, and its parameters."""

_PLACE = re.compile(r" - at (?:`key` in )?`\$\.?(?P<place>[^`]*)`$")
_SHOWN_MAX = 60

ROWS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), key)
    for pattern, key in (
        (r"Input data was truncated", "cut_short"),
        (r"JSON is malformed: .*\(byte (?P<byte>\d+)\)", "not_json"),
        (r"Object missing required field `(?P<name>[^`]*)`", "missing_field"),
        (r"Object contains unknown field `(?P<name>[^`]*)`", "unknown_field"),
        (r"Expected `\w+` >= (?P<least>-?\d+)", "too_small"),
        (r"Expected `\w+` <= (?P<most>-?\d+)", "too_great"),
        (r"(?:Integer value|Number) out of range", "no_such_number"),
        (r"Expected `\w+` of length >= (?P<least>\d+)", "too_short"),
        (r"Expected `\w+` of length <= (?P<most>\d+)", "too_long"),
        (r"Expected `str` matching regex '\^\[0-9\]", "not_digits"),
        (r"Expected `str` matching regex ", "not_one_line"),
        (r"Expected `(?P<allowed>[^`]*)`, got `(?P<found>[^`]*)`", "wrong_type"),
        (r"Invalid UUID", "no_uuid"),
        (r"Invalid (?:enum )?value (?P<found>.*)", "not_one_of"),
    )
)
"""Patterns for the texts of msgspec's errors, each with its key. A text that matches no pattern is shown as
it is, shortened (`malformed`)."""

KEYS = frozenset(key for _, key in ROWS) | {"not_utf8", "nested_too_deep", "malformed"}


def explained(error: Exception, choices: Mapping[str, list[str]]) -> Found:
    """Returns the key and the parameters of the sentence for an error of a decoder. `choices`: a dict of
    field name → allowed words, for the fields that have a list of allowed words."""
    if isinstance(error, RecursionError):
        return "nested_too_deep", {}
    if isinstance(error, UnicodeError):
        return "not_utf8", {}
    text = str(error)
    placed = _PLACE.search(text)
    place = placed["place"] if placed else ""
    bare = text[: placed.start()] if placed else text
    for pattern, key in ROWS:
        match = pattern.match(bare)
        if match is not None:
            return key, _params(key, match.groupdict(), place, choices)
    return "malformed", {"wrong": _short(text)}


def _params(key: str, params: dict[str, Any], place: str, choices: Mapping[str, list[str]]) -> dict[str, Any]:
    if "name" in params:
        name = params.pop("name")
        place = f"{place}.{name}" if place else name
    if key == "not_one_of":
        params["allowed"] = choices.get(place.rpartition(".")[2], [])
        params["found"] = _short(params["found"])
    if key not in ("cut_short", "not_json"):
        params["field"] = _short(place) or "$"
    return params


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 1] + "…"


# -- parameters of an address, which django-ninja reads

_Context = Mapping[str, Any]
_OF_PARAMETER: dict[str, tuple[str, Callable[[_Context], dict[str, Any]]]] = {
    "missing": ("missing_field", lambda context: {}),
    "greater_than_equal": ("too_small", lambda context: {"least": context["ge"]}),
    "less_than_equal": ("too_great", lambda context: {"most": context["le"]}),
    "string_too_short": ("too_short", lambda context: {"least": context["min_length"]}),
    "string_too_long": ("too_long", lambda context: {"most": context["max_length"]}),
    "string_pattern_mismatch": ("not_digits", lambda context: {}),
    "uuid_parsing": ("no_uuid", lambda context: {}),
    "int_parsing": ("wrong_type", lambda context: {"allowed": "int", "found": "str"}),
    "int_parsing_size": ("no_such_number", lambda context: {}),
}


def explained_parameter(error: Mapping[str, Any]) -> Found:
    """Returns the key and the parameters of the sentence for one error of pydantic (with `type`, `loc`, `ctx`
    and `msg`) about a parameter of an address."""
    field = ".".join(str(word) for word in error["loc"][1:]) or "$"
    known = _OF_PARAMETER.get(error["type"])
    if known is None:
        return "malformed", {"wrong": _short(f"{field}: {error['msg']}")}
    key, params = known
    return key, {**params(error.get("ctx", {})), "field": field}


# -- allowed words of fields


def choices_of(kinds: Any) -> dict[str, list[str]]:
    """Returns a dict of field name → allowed words, for every field of these types that has a list of allowed
    words."""
    found: dict[str, list[str]] = {}
    waiting = [msgspec.inspect.type_info(kind) for kind in get_args(kinds)]
    seen: set[type] = set()
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.UnionType):
            waiting += info.types
            tagged = [kind for kind in info.types if isinstance(kind, msgspec.inspect.StructType)]
            if tagged and tagged[0].tag_field is not None:
                found[tagged[0].tag_field] = sorted(str(kind.tag) for kind in tagged)
        if isinstance(info, msgspec.inspect.Metadata):
            waiting.append(info.type)
        if not isinstance(info, msgspec.inspect.StructType) or info.cls in seen:
            continue
        seen.add(info.cls)
        for field in info.fields:
            waiting.append(field.type)
            if isinstance(field.type, msgspec.inspect.LiteralType):
                found[field.encode_name] = [str(value) for value in field.type.values]
    return found
