from typing import Any

from celery.signals import worker_ready
from django.apps import AppConfig


def compare_editions(**kwargs: Any) -> None:
    """Compares the editions when a worker starts, because its engine may be newer than theirs."""
    from eosviz.workshop.tasks import check_editions

    check_editions.delay()


def take_publications_again(**kwargs: Any) -> None:
    """Starts the publications that no worker is working on."""
    from eosviz.workshop.tasks import publish_again

    publish_again()


class WorkshopConfig(AppConfig):
    name = "eosviz.workshop"

    def ready(self) -> None:
        from eosviz.classroom.material import add_source
        from eosviz.scenarios.visibility import add_rule
        from eosviz.workshop.assignable import NewestEditions
        from eosviz.workshop.visibility import published_to

        add_rule(published_to)
        add_source(NewestEditions())
        worker_ready.connect(compare_editions, weak=False, dispatch_uid="workshop compare")
        worker_ready.connect(take_publications_again, weak=False, dispatch_uid="workshop publish")
