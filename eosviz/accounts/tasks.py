"""The task of accounts that Celery's scheduler starts."""

from __future__ import annotations

from django.conf import settings

from eosviz.accounts import retention
from eosviz.celery import app


@app.task(name="operating.apply_retention", ignore_result=True, acks_late=False)
def apply_retention() -> None:
    """Delete what `retention.due` counts. Does nothing if the operator has set no limit
    (`KEEP_ANONYMOUS_DAYS`)."""
    if settings.KEEP_ANONYMOUS_DAYS > 0:
        retention.apply(settings.KEEP_ANONYMOUS_DAYS)
