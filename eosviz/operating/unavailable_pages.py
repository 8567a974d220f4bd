"""Pages for errors of the site, for unreadable requests, and for the time while Redis is down, the disk is
full or the database is too busy. They use neither the database nor the session, because these may be what
failed."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from eosviz.catalogue import language_of, say
from eosviz.middleware import Middleware
from eosviz.no_room import means_busy, means_no_room

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sentence:
    key: str
    """The key of the title; `<key>.why` is the key of the sentence below the title."""
    detail: str
    """A fixed English text for programs: `detail` in the JSON response."""

    @property
    def why(self) -> str:
        return f"{self.key}.why"


AWAY = Sentence("page.away", "Redis is away")
FULL = Sentence("page.full", "The server has no room to store anything")
BUSY = Sentence("page.busy", "The database is too busy")
FAILED = Sentence("page.failed", "The server failed")
BAD_REQUEST = Sentence("page.bad_request", "The request cannot be read")
PAGES = (AWAY, FULL, BUSY, FAILED, BAD_REQUEST)
RETRY_SECONDS = 3
RETRY_FULL_SECONDS = 30
"""The value of the header Retry-After while the disk is full, in seconds. It is long, because an operator has
to free space first."""


class RedisAway(Middleware):
    """Answers 503 instead of 500 if a view failed because Redis did not answer, nothing can be stored, or the
    database is too busy."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if means_no_room(exception):
            return full(request, exception)
        if means_busy(exception):
            return busy(request, exception)
        if not isinstance(exception, RedisError | OperationalError):
            return None
        logger.warning("%s was not answered: %r", request.path, exception)
        return _unavailable(request, AWAY, RETRY_SECONDS)


def failed(request: HttpRequest) -> HttpResponse:
    """The response after an exception that no view and no middleware handled, such as a session that could
    not be stored: 503 if nothing can be stored or the database is too busy, else 500."""
    error = sys.exc_info()[1]
    if error is not None and means_no_room(error):
        return full(request, error)
    if error is not None and means_busy(error):
        return busy(request, error)
    return _page(request, FAILED, HTTPStatus.INTERNAL_SERVER_ERROR)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The response to a bad request. It is 503 if nothing can be stored, because Django reports a session
    that could not be stored as a bad request."""
    if means_no_room(exception):
        return full(request, exception)
    return _page(request, BAD_REQUEST, HTTPStatus.BAD_REQUEST)


def full(request: HttpRequest, error: BaseException) -> HttpResponse:
    """The response 503 for the time while nothing can be stored. The error is logged."""
    logger.error("%s could not be stored: %r", request.path, error)
    return _unavailable(request, FULL, RETRY_FULL_SECONDS)


def busy(request: HttpRequest, error: BaseException) -> HttpResponse:
    logger.warning("%s found no turn to write: %r", request.path, error)
    return _unavailable(request, BUSY, RETRY_SECONDS)


def _unavailable(request: HttpRequest, what: Sentence, retry_seconds: int) -> HttpResponse:
    response: HttpResponse
    if request.path.startswith("/api/") or _asks_for_json(request):
        sentence = say(what.why, language_of(get_language()))
        content = {"detail": what.detail, "refused": sentence, "key": what.why, "params": {}}
        response = JsonResponse(content, status=HTTPStatus.SERVICE_UNAVAILABLE)
    else:
        response = _page(request, what, HTTPStatus.SERVICE_UNAVAILABLE)
    response["Retry-After"] = str(retry_seconds)
    return response


def _page(request: HttpRequest, what: Sentence, status: HTTPStatus) -> HttpResponse:
    """The page as HTML. No context processor is used, because those read the session and the account."""
    context = {"request": request, "what": what.key, "why": what.why, "code": status.value}
    return HttpResponse(render_to_string("failure.html", context), status=status)


def _asks_for_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")
