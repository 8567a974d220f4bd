"""The health checks. `/healthz`: does everything that a step needs work? `/readyz`: can this process serve
pages? `/livez`: does this process respond at all?"""

import logging
from collections.abc import Callable
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection as database
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from eosviz.celery import app
from eosviz.launch.storage import Level, room_in
from eosviz.no_room import means_no_room

logger = logging.getLogger(__name__)

ANSWER_SECONDS_MAX = 2.0
WRITTEN_KEY = "eosviz:health"
WRITTEN_SECONDS = 60


class Unwell(Exception):
    """A part of the site does not work. `/healthz` shows the exception's text."""


def check_database() -> None:
    with database.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM django_migrations")
        cursor.fetchone()


def check_redis() -> None:
    """Raises if Redis does not accept a write. A read would not do: a Redis without memory still answers
    reads, but takes no task."""
    if not _redis_takes_writes():
        raise Unwell("it takes no writes: its disk is full or its memory used up")


def check_redis_answers() -> None:
    """Raises if Redis does not answer. A Redis that refuses writes passes this check, since pages can be
    read."""
    _redis_takes_writes()


def _redis_takes_writes() -> bool:
    """False if Redis answers that it has no memory or disk space left. Raises if it does not answer."""
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=ANSWER_SECONDS_MAX, socket_connect_timeout=ANSWER_SECONDS_MAX
    )
    try:
        client.set(WRITTEN_KEY, b"", ex=WRITTEN_SECONDS)
    except redis.ResponseError as error:
        if not means_no_room(error):
            raise
        return False
    finally:
        client.close()
    return True


def check_worker() -> None:
    # A new connection is made, because a kept one may be from before a restart of Redis.
    with app.connection_for_write() as connection:
        answers = app.control.ping(timeout=ANSWER_SECONDS_MAX, limit=1, connection=connection)
    if not answers:
        raise Unwell(f"no worker answered within {ANSWER_SECONDS_MAX:g} s; start one (docs/operating.md)")


def check_storage() -> str | None:
    room = room_in(Path(settings.DATA_DIR))
    if room.level is Level.NONE:
        raise Unwell(f"nothing can be stored: {room.why}")
    return f"low: {room.why}" if room.level is Level.LOW else None


CHECKS: dict[str, Callable[[], str | None]] = {
    "database": check_database,
    "redis": check_redis,
    "worker": check_worker,
    "storage": check_storage,
}
"""The checks of `/healthz`: name of a part → a function that raises if the part does not work, and may return
a warning."""
DOES_NOT_ANSWER = "does not answer; the log of this server says why"
"""The reason that is shown for an exception other than Unwell. The exception's text may contain addresses and
paths, which not everyone may read."""


NEEDED_TO_SERVE: dict[str, Callable[[], str | None]] = {
    "database": check_database,
    "redis": check_redis_answers,
}
"""The checks of `/readyz`. Those of the worker and of the disk's space are left out: without them pages can
still be read, and it would only get worse if a proxy sent no more requests."""


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answers 200 with `{"database": "ok", …}`, or 503 with the reason for each part that does not work.
    While the disk fills up, `storage` is a warning, `low: …`, and the status stays 200."""
    return _answered(CHECKS)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Like `healthz`, with the checks of NEEDED_TO_SERVE. A proxy should send requests to this process only
    while the status is 200."""
    return _answered(NEEDED_TO_SERVE)


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Answers 200 without any check. A process that does not answer this should be restarted."""
    return JsonResponse({"process": "ok"})


def _answered(checks: dict[str, Callable[[], str | None]]) -> JsonResponse:
    answers: dict[str, str] = {}
    healthy = True
    for name, check in checks.items():
        if name == "worker" and answers["redis"] != "ok":
            answers[name] = "cannot be asked without redis"
            continue
        try:
            answers[name] = check() or "ok"
        except Unwell as unwell:
            answers[name], healthy = str(unwell), False
        except Exception as error:  # Any error of a part is reported in the response, not raised.
            logger.warning("%s does not answer: %s: %s", name, type(error).__name__, error)
            answers[name], healthy = DOES_NOT_ANSWER, False
    return JsonResponse(answers, status=200 if healthy else 503)
