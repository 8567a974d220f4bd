"""The base of the messages to the page of a session and to followers (docs/websocket.md), and the message that
refuses a request."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

VERSION = 1
ErrorCode = Literal[
    "malformed",
    "unknown_type",
    "unsupported_version",
    "too_large",
    "too_frequent",
    "not_found",
    "conflict",
    "refused",
    "limit",
    "unavailable",
]


class FromServer(Struct, tag_field="type", frozen=True, kw_only=True):
    """Base of every message that the server sends. Fields may be added within a version; pages ignore unknown ones."""

    v: int = VERSION


class ErrorMessage(FromServer, tag="error", frozen=True, kw_only=True):
    re: str | None
    code: ErrorCode
    key: str
    params: dict[str, Any]
    remedy_key: str
