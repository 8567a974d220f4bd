"""Refusals: errors that say to a person what cannot be done, and why. `refusal_pages.py` makes responses of
them. This module does not need Django, because bounded processes also raise refusals."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar, Self

from eosviz.server_message import ErrorCode, ErrorMessage

_STATUS: dict[ErrorCode, HTTPStatus] = {
    "malformed": HTTPStatus.BAD_REQUEST,
    "not_found": HTTPStatus.NOT_FOUND,
    "limit": HTTPStatus.TOO_MANY_REQUESTS,
    "too_frequent": HTTPStatus.TOO_MANY_REQUESTS,
    "conflict": HTTPStatus.CONFLICT,
    "refused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}


class Refusal(Exception):
    """Something cannot be done. `key`: the sentence that says so; `params` fill it. An app has a subclass
    with the prefix of its keys and the code of most of its refusals."""

    words: ClassVar[str]
    """The prefix of keys, which have the form `<words>.<reason>`."""
    code: ErrorCode = "refused"
    wait_seconds: int | None = None
    """The number of seconds after which to try again; None if the refusal does not pass with time."""

    def __init__(self, reason: str, /, **params: Any) -> None:
        super().__init__(f"{reason} {params}")
        self.reason = reason
        self.key = f"{self.words}.{reason}"
        self.params = params

    @classmethod
    def keyed(cls, key: str, params: Mapping[str, Any]) -> Self:
        """A refusal with a key that does not begin with `words`."""
        refused = cls("", **params)
        refused.key = key
        return refused

    @classmethod
    def for_now(cls, reason: str, seconds: int) -> Self:
        """A refusal that passes within `seconds`. Its sentence states this time."""
        refused = cls(reason, seconds=seconds)
        refused.code, refused.wait_seconds = "unavailable", seconds
        return refused

    @property
    def remedy_key(self) -> str:
        """The key of the sentence that says what helps; empty if there is none."""
        return ""

    @property
    def status(self) -> HTTPStatus:
        return _STATUS.get(self.code, HTTPStatus.BAD_REQUEST)


class Problem(Refusal):
    """A request that cannot be carried out. The message `error` reports it.

    `code` is one of the codes in docs/websocket.md. The catalogue has the sentences of `key` and of
    `remedy_key`; `params` fill both.
    """

    words = "problem"

    def __init__(self, code: ErrorCode, key: str, /, **params: Any) -> None:
        super().__init__(key, **params)
        self.code = code

    def __str__(self) -> str:
        return f"{self.code}: {self.reason} {self.params}"

    @property
    def remedy_key(self) -> str:
        return f"{self.key}.remedy"

    def message(self, re: str | None) -> ErrorMessage:
        return ErrorMessage(
            re=re, code=self.code, key=self.key, params=self.params, remedy_key=self.remedy_key
        )
