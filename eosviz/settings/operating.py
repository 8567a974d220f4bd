"""Settings for operators: retention, metrics, logging, the memory of bounded processes, and the tasks of
`celery beat`. docs/operating.md describes the environment variables."""

from typing import Any

import environ
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from eosviz.bounded.memory import MEBIBYTE, share_of_machine
from eosviz.bounded.tasks import MEMORY_BYTES_MAX

env = environ.Env()

KEEP_ANONYMOUS_DAYS = env.int("EOSVIZ_KEEP_ANONYMOUS_DAYS", 0)
"""Old rows of browsers without an account (`accounts/retention.py`) are deleted after this many days. This is
done once a day, if `celery beat` runs. 0: they are never deleted."""
METRICS_TOKEN = env.str("EOSVIZ_METRICS_TOKEN", "")
"""The token that a request to `/metrics` must have. If it is empty, `/metrics` answers 404."""
WORKER_METRICS_PORT = env.int("EOSVIZ_WORKER_METRICS_PORT", 0)
"""The port at which the first worker serves its metrics. Each further worker has the next port. 0: workers
serve no metrics."""
WORKER_METRICS_HOST = env.str("EOSVIZ_WORKER_METRICS_HOST", "127.0.0.1")

BOUNDED_MEMORY_BYTES = env.int("EOSVIZ_BOUNDED_MEMORY", 0) * MEBIBYTE or share_of_machine(MEMORY_BYTES_MAX)
"""The largest memory of all bounded processes on one machine together, in bytes."""
if BOUNDED_MEMORY_BYTES < MEMORY_BYTES_MAX:
    raise ImproperlyConfigured(
        f"EOSVIZ_BOUNDED_MEMORY: at least {MEMORY_BYTES_MAX // MEBIBYTE} (MiB), or the largest process never starts"
    )

# These tasks run only if Celery's scheduler is running: celery -A eosviz beat
CELERY_BEAT_SCHEDULE: dict[str, Any] = {
    "analytics": {"task": "analytics.ask_for_all", "schedule": crontab(hour=2, minute=30)},
    "check_editions": {"task": "workshop.check_editions", "schedule": 24 * 3600.0},
}
if KEEP_ANONYMOUS_DAYS > 0:
    CELERY_BEAT_SCHEDULE["retention"] = {"task": "operating.apply_retention", "schedule": 24 * 3600.0}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"context": {"()": "eosviz.operating.log_context.AddContext"}},
    "formatters": {
        "line": {
            "()": "eosviz.operating.log_context.Lines",
            "fmt": "{asctime} {levelname} {name}: {message}{context}",
            "style": "{",
        },
        "json": {"()": "eosviz.operating.log_context.JsonLines"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "json" if env.str("EOSVIZ_LOG_FORMAT", "line") == "json" else "line",
            "filters": ["context"],
        }
    },
    # uvicorn may already have configured its own logging; its lines should have the same form as all others.
    # The lines of `uvicorn.access` contain whole addresses, in which there may be a key, so they are not
    # written at all.
    "loggers": {
        "uvicorn": {"handlers": [], "propagate": True},
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
    "root": {"handlers": ["console"], "level": env.str("EOSVIZ_LOG_LEVEL", "INFO")},
}
