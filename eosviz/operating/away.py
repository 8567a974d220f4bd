"""What a page says while Redis is away: it comes back by itself, and nothing of what was asked has happened."""

from __future__ import annotations

import logging
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from eosviz.middleware import Middleware

logger = logging.getLogger(__name__)

RETRY_SECONDS = 3


class RedisAway(Middleware):
    """503 instead of 500 where a view asked Redis (limits on signing in, a task) and nobody was there."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, RedisError | OperationalError):
            return None
        logger.warning("%s was not answered: %r", request.path, exception)
        response: HttpResponse
        if request.path.startswith("/api/"):
            response = JsonResponse({"detail": "Redis is away"}, status=HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            response = render(request, "503.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
