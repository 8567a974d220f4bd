"""What cannot be carried out, and how its pages, programs and sockets say it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Literal, TypeVar

from django.http import HttpResponse, JsonResponse

from eosviz.server_message import FromServer

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
PROBLEM_STATUS = {
    "malformed": HTTPStatus.BAD_REQUEST,
    "not_found": HTTPStatus.NOT_FOUND,
    "limit": HTTPStatus.TOO_MANY_REQUESTS,
    "too_frequent": HTTPStatus.TOO_MANY_REQUESTS,
    "conflict": HTTPStatus.CONFLICT,
    "refused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
Response = TypeVar("Response", bound=HttpResponse)


class ErrorMessage(FromServer, tag="error", frozen=True, kw_only=True):
    re: str | None
    code: ErrorCode
    key: str
    params: dict[str, Any]
    remedy_key: str


class Problem(Exception):
    """A request that cannot be carried out, as the `error` message reports it.

    `code` is one of docs/websocket.md. `key` and `remedy_key` are in eosviz/catalogue/problems.toml, where each
    `<key>` has a `<key>.remedy`; `params` fill both.
    """

    wait_seconds: int | None = None
    """When to try again, if the problem passes with time."""

    def __init__(self, code: ErrorCode, key: str, **params: Any) -> None:
        super().__init__(f"{code}: {key} {params}")
        self.code: ErrorCode = code
        self.key = f"problem.{key}"
        self.params = params

    @property
    def remedy_key(self) -> str:
        return f"{self.key}.remedy"

    def message(self, re: str | None) -> ErrorMessage:
        return ErrorMessage(
            re=re, code=self.code, key=self.key, params=self.params, remedy_key=self.remedy_key
        )


def problem_answer(problem: Problem) -> HttpResponse:
    """A JSON answer, for programs that have the catalogue."""
    told = {"key": problem.key, "remedy_key": problem.remedy_key, "params": problem.params}
    return with_wait(JsonResponse(told, status=PROBLEM_STATUS[problem.code]), problem)


def with_wait(response: Response, problem: Problem) -> Response:
    """Adds Retry-After where the problem passes with time."""
    if problem.wait_seconds is not None:
        response["Retry-After"] = str(problem.wait_seconds)
    return response
