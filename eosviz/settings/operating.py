"""What is kept for how long, what is measured, and what the logs say. Variables: docs/operating.md."""

from typing import Any

import environ
from celery.schedules import crontab

env = environ.Env()

KEEP_ANONYMOUS_DAYS = env.int("EOSVIZ_KEEP_ANONYMOUS_DAYS", 0)
"""Days after the last step of a session without an account; 0: for ever."""
METRICS_TOKEN = env.str("EOSVIZ_METRICS_TOKEN", "")
"""Who asks for the figures must know it; none: they are not there."""
WORKER_METRICS_PORT = env.int("EOSVIZ_WORKER_METRICS_PORT", 0)
"""Where a worker tells its figures; 0: nowhere."""
WORKER_METRICS_HOST = env.str("EOSVIZ_WORKER_METRICS_HOST", "127.0.0.1")

# Only where a beat runs, and one alone: celery -A eosviz beat
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
        "line": {"format": "{asctime} {levelname} {name}: {message}{context}", "style": "{"},
        "json": {"()": "eosviz.operating.log_context.JsonLines"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "json" if env.str("EOSVIZ_LOG_FORMAT", "line") == "json" else "line",
            "filters": ["context"],
        }
    },
    # uvicorn has set up a way of its own by now; its lines are to look as all others.
    "loggers": {"uvicorn": {"handlers": [], "propagate": True}},
    "root": {"handlers": ["console"], "level": env.str("EOSVIZ_LOG_LEVEL", "INFO")},
}
