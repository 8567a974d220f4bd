"""The byte layout of a class of kio: its fields in order, each with its encoding.

Source: the dataclasses that kio generates from Kafka's message definitions. The metadata of a field holds its
Kafka type, and the class holds whether its version is flexible (KIP-482). This package defines no layout
itself.
"""

from __future__ import annotations

from dataclasses import Field as ClassField
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

FIXED_BYTES = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "error_code": 2,
    "int32": 4,
    "uint32": 4,
    "timedelta_i32": 4,
    "int64": 8,
    "uint64": 8,
    "float64": 8,
    "timedelta_i64": 8,
    "datetime_i64": 8,
    "uuid": 16,
}
"""Kafka types with a fixed size, in bytes. The others (`string`, `bytes`, `records`) begin with a length."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    name: str
    kind: str | Entity
    """A Kafka type, or a structure. For an array: that of its elements."""
    is_array: bool
    is_nullable: bool
    is_flexible: bool
    """Whether lengths and counts are compact (unsigned varints of the value plus one)."""

    @property
    def element_bytes_min(self) -> int:
        """The smallest number of bytes of one value; for an array, of one element."""
        if isinstance(self.kind, Entity):
            return 1 if self.is_nullable and not self.is_array else max(1, self.kind.bytes_min)
        if self.kind in FIXED_BYTES:
            return FIXED_BYTES[self.kind]
        return 1 if self.is_flexible else 2 if self.kind == "string" else 4

    @property
    def bytes_min(self) -> int:
        if self.is_array:
            return 1 if self.is_flexible else 4
        return self.element_bytes_min


@dataclass(frozen=True, slots=True)
class Entity:
    """One structure of a message, or the message itself."""

    made: type
    is_flexible: bool
    fields: tuple[Field, ...]
    tagged: dict[int, Field]

    @property
    def bytes_min(self) -> int:
        return sum(field.bytes_min for field in self.fields) + self.is_flexible


@cache
def entity_of(made: Any) -> Entity:
    """The structure for a class of kio."""
    plain, tagged = [], {}
    for item in fields(made):
        tag = item.metadata.get("tag")
        field = _field_of(made, item, is_tagged=tag is not None)
        if tag is None:
            plain.append(field)
        else:
            tagged[int(tag)] = field
    return Entity(made, made.__flexible__, tuple(plain), tagged)


def _field_of(made: Any, item: ClassField[Any], *, is_tagged: bool) -> Field:
    inner, is_nullable = _without_none(item.type)
    is_array = get_origin(inner) is tuple
    if is_array:
        inner, _ = _without_none(get_args(inner)[0])
    kind = _entity(inner) if is_dataclass(inner) else str(item.metadata["kafka_type"])
    # If a tagged field with a simple type is null, the field is left out, so its bytes never say null.
    is_nullable = is_nullable and not (is_tagged and isinstance(kind, str) and not is_array)
    # The client's id has the non-compact encoding in every version of the header (RequestHeader.json).
    is_client_id = made.__name__ == "RequestHeader" and item.name == "client_id"
    return Field(item.name, kind, is_array, is_nullable, made.__flexible__ and not is_client_id)


def _entity(made: Any) -> Entity:
    return entity_of(made)


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    (inner,) = (option for option in get_args(hint) if option is not NoneType)
    return inner, True
