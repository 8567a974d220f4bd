"""ApiVersions: the requests and versions that a broker can read, and the features of its cluster."""

from __future__ import annotations

from typing import Any

from engine.errors import Error
from engine.value import value
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest

LEVEL_0_FROM = 4
"""From this version of ApiVersions on, a feature whose lowest level is 0 is listed; older clients cannot read
it (KAFKA-17492)."""
UNKNOWN_EPOCH = -1


@value
class ApiVersionsRequest:
    """A client requests the list of supported requests. From version 3 on it names its software."""

    software: str = ""
    software_version: str = ""


@value
class Feature:
    """A feature that a broker supports, with its lowest and highest level."""

    name: str
    lowest: int
    highest: int


@value
class ApiVersionsResponse:
    versions: dict[int, tuple[int, int]]
    """Dict of API key → (lowest version, highest version)."""
    error: Error = Error.NONE
    throttle_time_ms: int = 0
    features: tuple[Feature, ...] = ()
    finalized: dict[str, int] | None = None
    """Dict of feature → its level in the cluster (KIP-584). A feature that is not enabled is absent. None:
    the levels are unknown."""
    features_epoch: int = UNKNOWN_EPOCH


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
        "supported_features": [
            {"name": feature.name, "min_version": feature.lowest, "max_version": feature.highest}
            for feature in answer.features
            if feature.lowest or request.version >= LEVEL_0_FROM
        ],
        "finalized_features_epoch": answer.features_epoch if answer.finalized is not None else UNKNOWN_EPOCH,
        "finalized_features": [
            {"name": name, "max_version_level": level, "min_version_level": level}
            for name, level in (answer.finalized or {}).items()
        ],
    }
