"""The Celery application. What it is set to stands in `eosviz.settings.base`, under names with `CELERY_`."""

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")


class PromptConnection(Connection):
    """A worker's connection, tried again every second at the latest when Redis has gone.

    The library's own pauses start at 2 s and grow to 30 s, and no setting changes them; a page that steps
    would wait as long after Redis has come back.
    """

    def ensure_connection(self, *arguments: Any, **options: Any) -> Connection:
        pauses = {"interval_start": 0.1, "interval_step": 0.1, "interval_max": 1.0}
        return super().ensure_connection(*arguments, **{**pauses, **options})


class PromptAMQP(AMQP):
    Connection = PromptConnection


app = Celery("eosviz", amqp=PromptAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
