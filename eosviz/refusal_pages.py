"""Makes responses of refusals: a page with the refusal's status, or JSON for programs that have the
catalogue."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from eosviz.refusals import Refusal

Response = TypeVar("Response", bound=HttpResponse)


def refusal_page(
    request: HttpRequest, template: str, refused: Refusal, context: dict[str, Any] | None = None
) -> HttpResponse:
    """A page that shows the refusal. The template must include it: `{% include "refusal.html" %}`."""
    page = render(request, template, {**(context or {}), "refused": refused}, status=refused.status)
    return with_wait(page, refused)


def form_page(
    request: HttpRequest, template: str, context: dict[str, Any], refused: Refusal | None
) -> HttpResponse:
    """The page of a form. If the input was refused, the page says why and has the refusal's status.
    `refused`: None if nothing was refused."""
    if refused is not None:
        return refusal_page(request, template, refused, context)
    return render(request, template, {**context, "refused": None})


def refusal_json(refused: Refusal, status: HTTPStatus | None = None) -> JsonResponse:
    body: dict[str, Any] = {"key": refused.key, "params": refused.params}
    if refused.remedy_key:
        body["remedy_key"] = refused.remedy_key
    return with_wait(JsonResponse(body, status=status or refused.status), refused)


def with_wait(response: Response, refused: Refusal) -> Response:
    """Adds Retry-After, if the refusal passes with time. Returns the response."""
    if refused.wait_seconds is not None:
        response["Retry-After"] = str(refused.wait_seconds)
    return response
