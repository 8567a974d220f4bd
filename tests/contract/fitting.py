"""Checks messages between server and page against the schema; a field that the schema does not describe is a
mismatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from eosviz.contract import schema
from eosviz.contract.__main__ import FILE


@cache
def _schema() -> Any:
    return schema.closed(msgspec.json.decode(FILE.read_bytes()))


@cache
def _validator(name: str) -> Any:
    return jsonschema_rs.validator_for(schema.of(_schema(), name))


@cache
def _by_type() -> Mapping[str, str]:
    """Return a dict: the `type` of a message from the server → the name of its shape in the schema."""
    defs = _schema()["$defs"]
    names = [member["$ref"].rpartition("/")[2] for member in defs["FromServer"]["oneOf"]]
    return {defs[name]["properties"]["type"]["enum"][0]: name for name in names}


def misfits(name: str, value: Any) -> list[str]:
    """Return descriptions of the first five mismatches between a message and the shape with this name."""
    validator = _validator(name)
    if validator.is_valid(value):
        return []
    found = [
        f"{name} {list(error.instance_path)}: {error.message[:300]}" for error in validator.iter_errors(value)
    ]
    return found[:5]


def heard(message: Any) -> Any:
    """Fail unless the message of the server fits its shape; return it."""
    assert message["type"] in _by_type(), message
    assert misfits(_by_type()[message["type"]], message) == []
    return message
