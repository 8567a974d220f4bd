"""Converts between bytes and the typed messages of kio, for every API and version that kio has.

`bounds` checks the bytes before kio reads them, and an exception of kio becomes a WireError."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple

from kio.index import KioIndexError, load_request_schema, load_response_schema
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer
from kio.serial.errors import SerialError

from engine.errors import EngineError
from engine.wire.bounds import checked
from engine.wire.schema import Entity, Field, entity_of
from engine.wire.wire_error import WireError

_EPOCH = datetime.fromtimestamp(0, UTC)
_FRONT = struct.Struct(">hh")


class Message(NamedTuple):
    """A header and a body, both objects of kio's classes."""

    header: Any
    payload: Any


def key_and_version(data: bytes) -> tuple[int, int]:
    """The api key and version with which every request begins. Raises WireError for fewer than four bytes."""
    if len(data) < _FRONT.size:
        raise WireError("byte 0", f"{len(data)} bytes, a request has more", "send the whole message")
    key, version = _FRONT.unpack_from(data)
    return int(key), int(version)


def decode_request(data: bytes) -> Message:
    """Read one request from `data`, which does not include the four bytes of its size. Raises WireError for
    bytes that are not exactly one request."""
    key, version = key_and_version(data)
    try:
        made: Any = load_request_schema(key, version)
    except KioIndexError:
        raise WireError(
            "byte 0", f"no request has api key {key} and version {version}", "send a known one"
        ) from None
    return _decode(data, made)


def decode_response(data: bytes, key: int, version: int) -> Message:
    """Read one response from `data`, which does not include the four bytes of its size. `key` and `version`:
    those of the request."""
    return _decode(data, load_response_schema(key, version))


def encode(message: Message) -> bytes:
    """The bytes of one message, without the four bytes of its size."""
    buffer = BytesIO()
    for part in message:
        entity_writer(type(part))(buffer, part)
    return buffer.getvalue()


def encode_response(key: int, version: int, correlation_id: int, values: Mapping[str, Any]) -> bytes:
    """The bytes of a response with these values, which have the names of kio's fields. Missing values get
    Kafka's default, or else null or an empty array. Raises EngineError for a missing value of any other
    field."""
    made: Any = load_response_schema(key, version)
    header = made.__header_schema__(correlation_id=correlation_id)
    return encode(Message(header, _filled(entity_of(made), values)))


def milliseconds(span: timedelta) -> int:
    """Milliseconds of a time that kio returns as a ``timedelta``."""
    return span // timedelta(milliseconds=1)


def _decode(data: bytes, made: Any) -> Message:
    header_type = made.__header_schema__
    sound = checked(data, (header_type, made))
    try:
        header, size = entity_reader(header_type)(sound, 0)
        payload, _ = entity_reader(made)(sound, size)
    except (SerialError, ValueError, OverflowError) as error:
        raise WireError("the message", str(error), "send values that Kafka's schema allows") from error
    return Message(header, payload)


def _filled(entity: Entity, values: Mapping[str, Any]) -> Any:
    made: Any = entity.made
    defaults = {item.name for item in fields(made) if item.default is not MISSING}
    given = {}
    for field in (*entity.fields, *entity.tagged.values()):
        if field.name in values:
            given[field.name] = _value(field, values[field.name])
        elif field.name not in defaults:
            given[field.name] = _nothing(entity, field)
    return made(**given)


def _nothing(entity: Entity, field: Field) -> Any:
    if field.is_nullable:
        return None
    if field.is_array:
        return ()
    raise EngineError(f"{entity.made.__name__}.{field.name} has no value")


def _value(field: Field, given: Any) -> Any:
    if given is None:
        return None
    if field.is_array:
        return tuple(_one(field, item) for item in given)
    return _one(field, given)


def _one(field: Field, given: Any) -> Any:
    kind = field.kind
    if isinstance(kind, Entity):
        return _filled(kind, given)
    if kind == "error_code":
        return ErrorCode(given)
    if kind in ("timedelta_i32", "timedelta_i64"):
        return timedelta(milliseconds=given)
    if kind == "datetime_i64":
        return None if given < 0 and field.is_nullable else _EPOCH + timedelta(milliseconds=given)
    return given
