"""`/healthz`: does everything that a step needs answer now? `/readyz`: can this process serve? `/livez`: does it
answer at all?
"""

import shutil
from collections.abc import Callable

import redis
from django.conf import settings
from django.db import connection as database
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from eosviz.celery import app

STORAGE_BYTES_MIN = 50 * 1024 * 1024
ANSWER_SECONDS_MAX = 2.0


def check_database() -> None:
    with database.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM django_migrations")
        cursor.fetchone()


def check_redis() -> None:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=ANSWER_SECONDS_MAX, socket_connect_timeout=ANSWER_SECONDS_MAX
    )
    try:
        client.ping()
    finally:
        client.close()


def check_worker() -> None:
    # A connection of its own: a kept one may be left over from before a restart of Redis.
    with app.connection_for_write() as connection:
        answers = app.control.ping(timeout=ANSWER_SECONDS_MAX, limit=1, connection=connection)
    if not answers:
        raise RuntimeError(
            f"no worker answered within {ANSWER_SECONDS_MAX:g} s; start one (docs/operating.md)"
        )


def check_storage() -> None:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free < STORAGE_BYTES_MIN:
        raise RuntimeError(
            f"{free // 2**20} MB free where the data is, {STORAGE_BYTES_MIN // 2**20} needed; free some space"
        )


CHECKS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "redis": check_redis,
    "worker": check_worker,
    "storage": check_storage,
}


NEEDED_TO_SERVE = ("database", "redis")
"""Without a worker pages are still read, and a proxy that took them away would make it worse."""


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 and `{"database": "ok", …}`, or 503 with the reason beside each part that did not answer."""
    return _answered(tuple(CHECKS))


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The same of what every page needs: a proxy sends nobody here while it is not 200."""
    return _answered(NEEDED_TO_SERVE)


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Asks nothing: a process that does not answer this is to be started again."""
    return JsonResponse({"process": "ok"})


def _answered(names: tuple[str, ...]) -> JsonResponse:
    answers: dict[str, str] = {}
    for name in names:
        if name == "worker" and answers["redis"] != "ok":
            answers[name] = "cannot be asked without redis"
            continue
        try:
            CHECKS[name]()
        except Exception as error:  # whatever is wrong with a part is the answer, never a failed page
            answers[name] = f"{type(error).__name__}: {error}"
        else:
            answers[name] = "ok"
    healthy = all(answer == "ok" for answer in answers.values())
    return JsonResponse(answers, status=200 if healthy else 503)
