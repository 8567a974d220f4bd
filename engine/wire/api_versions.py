"""ApiVersions: which requests in which versions a broker reads. The engine's broker is never asked."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.value import value
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest


@value
class ApiVersionsRequest:
    """From version 3 on a client says what it is."""

    software: str = ""
    software_version: str = ""


@value
class ApiVersionsResponse:
    versions: dict[int, tuple[int, int]]
    """Api key to its lowest and highest version."""
    error: Error = Error.NONE
    throttle_time_ms: int = 0


def read(payload: Any, kept: KeptRecords) -> ApiVersionsRequest:
    return ApiVersionsRequest(
        software=getattr(payload, "client_software_name", ""),
        software_version=getattr(payload, "client_software_version", ""),
    )


def write(request: WireRequest, answer: ApiVersionsResponse, kept: KeptRecords) -> dict[str, Any]:
    return {
        "throttle_time": answer.throttle_time_ms,
        "error_code": answer.error.code,
        "api_keys": [
            {"api_key": key, "min_version": lowest, "max_version": highest}
            for key, (lowest, highest) in answer.versions.items()
        ],
    }
