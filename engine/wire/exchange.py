"""Converts a client's bytes to the engine's messages, and the engine's answers to bytes."""

from __future__ import annotations

from typing import Any

from engine.wire.apis import APIS, known
from engine.wire.message import decode_request, encode_response, key_and_version
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.wire_error import WireError


def read_request(data: bytes, kept: KeptRecords) -> WireRequest:
    """Read one request from `data`, which does not include the four bytes of its size. The bytes of its
    records are stored in `kept`. Raises WireError if the bytes are not a request of ``APIS``."""
    key, version = key_and_version(data)
    api = APIS.get(key)
    if api is None or not api.lowest <= version <= api.highest:
        named = f"api key {key}" if api is None else api.name
        raise WireError("byte 0", f"{named} version {version} is not read", f"known are {known()}")
    header, payload = decode_request(data)
    return WireRequest(
        api=api.name,
        key=key,
        version=version,
        correlation_id=header.correlation_id,
        client=header.client_id or "",
        body=api.read(payload, kept),
    )


def write_response(request: WireRequest, answer: Any, kept: KeptRecords) -> bytes:
    """The bytes of the response to one request, without the four bytes of its size."""
    values = APIS[request.key].write(request, answer, kept)
    return encode_response(request.key, request.version, request.correlation_id, values)
