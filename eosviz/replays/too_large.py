"""Makes the response to a request whose body `body_limit.py` refused: a page or a line of text, in the
reader's language."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.middleware import Middleware
from eosviz.replays.body_limit import LOG_PATH, TOO_LARGE
from eosviz.replays.refusal import ReplayRefused


class TooLargeBodies(Middleware):
    """Answers 413 if `BodyLimit` has marked the request and its address has a view. The view is not
    called."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        limit = getattr(request, "scope", {}).get(TOO_LARGE)
        if limit is None:
            return None
        problem = ReplayRefused("body_too_large", megabytes=f"{limit / 2**20:g}")
        if not request.accepts("text/html"):
            sentence = problem.text_in(language_of(get_language()))
            return HttpResponse(
                f"{sentence}\n",
                content_type="text/plain; charset=utf-8",
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        context = {"refused": problem, "is_log": request.path == LOG_PATH}
        return render(request, "413.html", context, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
