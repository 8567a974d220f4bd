from typing import Any

from celery.signals import worker_ready
from django.apps import AppConfig


def take_what_waits(**kwargs: Any) -> None:
    """A machine that was stopped may have been asked for jobs that no message tells of any more."""
    from eosviz.pipeline.tasks import start_what_waits

    start_what_waits.delay()


class PipelineConfig(AppConfig):
    name = "eosviz.pipeline"
    label = "pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worker_ready.connect(take_what_waits, weak=False, dispatch_uid="pipeline take")
