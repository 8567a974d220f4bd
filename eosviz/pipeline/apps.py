from typing import Any

from celery.signals import worker_ready
from django.apps import AppConfig

from eosviz.right_changes import deleting_ends
from eosviz.rights import of_job

LOOK_SECONDS = 60.0


def take_what_waits(sender: Any, **kwargs: Any) -> None:
    """In each worker, ask for waiting jobs to be run, at its start and then every LOOK_SECONDS."""
    from eosviz.pipeline.tasks import ask_for_what_waits

    sender.timer.call_repeatedly(LOOK_SECONDS, ask_for_what_waits)
    ask_for_what_waits()


class PipelineConfig(AppConfig):
    name = "eosviz.pipeline"
    label = "pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from eosviz.pipeline.waiting import kinds

        for kind in kinds():
            deleting_ends(kind, lambda job: of_job(job.pk))
        worker_ready.connect(take_what_waits, weak=False, dispatch_uid="pipeline take")
