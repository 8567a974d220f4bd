"""Metrics for Prometheus. Each web process serves its own metrics at `/metrics`. If
EOSVIZ_WORKER_METRICS_PORT is set, each worker serves its own metrics at a port of its own.

No label contains an address or an id, so the number of values depends only on the code.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Any

import redis
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, Counter, Gauge, Histogram, generate_latest

from eosviz.asgi_types import Application, Message, Receive, Scope, Send
from eosviz.celery import app
from eosviz.middleware import Middleware
from eosviz.operating.log_context import about, session_in
from eosviz.step_queues import QUEUES

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
REDIS_SECONDS_MAX = 1.0

requests = Histogram(
    "eosviz_request_seconds", "Answers over HTTP", ("route", "method", "status"), buckets=SECONDS
)
sockets = Gauge("eosviz_sockets_open", "WebSockets that are open")
received = Counter("eosviz_socket_messages_received", "Messages of pages over WebSockets")
sent = Counter("eosviz_socket_messages_sent", "Messages to pages over WebSockets")
tasks = Histogram("eosviz_task_seconds", "Tasks carried out", ("task", "outcome"), buckets=SECONDS)
waiting = Gauge("eosviz_tasks_waiting", "Tasks that no worker has taken yet")


class MeasuredRequests(Middleware):
    """Counts and times responses, except those with static files. Adds the session of the request to log
    lines."""

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        if self.is_async:
            return self._measured_async(request)
        began = time.perf_counter()
        with about(**session_in(request.path)):
            response: HttpResponse = self.get_response(request)
        self._note(request, response, began)
        return response

    async def _measured_async(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        with about(**session_in(request.path)):
            response: HttpResponse = await self.get_response(request)
        self._note(request, response, began)
        return response

    @staticmethod
    def _note(request: HttpRequest, response: Any, began: float) -> None:
        match = request.resolver_match
        route = (match.view_name or match.route) if match else "none"
        method = request.method if request.method in ("GET", "HEAD", "POST", "DELETE", "PATCH") else "other"
        requests.labels(route, method, response.status_code).observe(time.perf_counter() - began)


class MeasuredSockets:
    """An ASGI application that wraps another one, and counts open sockets and their messages."""

    def __init__(self, inner: Application) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._inner(scope, receive, send)
            return

        async def counted_receive() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                received.inc()
            return message

        async def counted_send(message: Message) -> None:
            if message["type"] == "websocket.send":
                sent.inc()
            await send(message)

        with sockets.track_inprogress(), about(**session_in(scope.get("path", ""))):
            await self._inner(scope, counted_receive, counted_send)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Responds with the metrics. Answers 404 if no token is set, and 401 if the request does not have the
    token."""
    if not settings.METRICS_TOKEN:
        raise Http404
    shown = request.headers.get("Authorization", "")
    if not constant_time_compare(shown, f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
    # While Redis is down the gauge keeps its last value; `/healthz` reports that Redis is down.
    with contextlib.suppress(redis.RedisError, OSError):
        waiting.set(_waiting())
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _waiting() -> int:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_SECONDS_MAX, socket_connect_timeout=REDIS_SECONDS_MAX
    )
    try:
        with client.pipeline() as pipeline:
            for queue in (app.conf.task_default_queue, *QUEUES):
                pipeline.llen(queue)
            return sum(pipeline.execute())
    finally:
        client.close()
