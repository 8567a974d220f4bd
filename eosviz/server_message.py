"""The base class of the server's messages to the page of a session and to followers (docs/websocket.md), and
the message that reports an error."""

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
    """The base of these messages. Fields may be added within a version; pages ignore
    fields that they do not know."""

    v: int = VERSION


class ErrorMessage(FromServer, tag="error", frozen=True, kw_only=True):
    re: str | None
    code: ErrorCode
    key: str
    params: dict[str, Any]
    remedy_key: str
