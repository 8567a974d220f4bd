from typing import Any

from celery.signals import worker_ready
from django.apps import AppConfig


def compare_editions(**kwargs: Any) -> None:
    """Compare editions when a worker starts: it may have a newer engine."""
    from eosviz.workshop.tasks import check_editions

    check_editions.delay()


def take_publications_again(**kwargs: Any) -> None:
    """Take up publications that a stop interrupted."""
    from eosviz.workshop.tasks import publish_again

    publish_again()


class WorkshopConfig(AppConfig):
    name = "eosviz.workshop"

    def ready(self) -> None:
        worker_ready.connect(compare_editions, weak=False, dispatch_uid="workshop compare")
        worker_ready.connect(take_publications_again, weak=False, dispatch_uid="workshop publish")
