"""Problems as answers to a request."""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeVar

from django.http import HttpResponse, JsonResponse

from eosviz.rates import TooOften
from eosviz.walkthroughs.bounded_problems import RunsFull
from eosviz.walkthroughs.messages import Problem

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


def problem_answer(problem: Problem) -> HttpResponse:
    """A JSON answer, for programs that have the catalogue."""
    content = {"key": problem.key, "remedy_key": problem.remedy_key, "params": problem.params}
    return with_wait(JsonResponse(content, status=PROBLEM_STATUS[problem.code]), problem)


def with_wait(response: Response, problem: Problem) -> Response:
    """Adds Retry-After where the problem passes with time."""
    if isinstance(problem, TooOften | RunsFull):
        response["Retry-After"] = str(problem.wait_seconds)
    return response
