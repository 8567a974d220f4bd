from typing import Any

from celery.signals import worker_ready
from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_migrate


def forget_linked_files(**kwargs: Any) -> None:
    """Delete all files that were made for links. Called after each migration of the database, because a new
    release may make other steps."""
    from eosviz.replays.models import LinkedFile

    LinkedFile.objects.all().delete()


def forget_export(instance: Any, **kwargs: Any) -> None:
    """Delete the file of an Export whose row has been deleted."""
    from eosviz.replays.stores import exports

    place = instance.place  # read now, because after the commit the row has no id
    transaction.on_commit(lambda: exports.delete(place))


def forget_published(instance: Any, **kwargs: Any) -> None:
    from eosviz.replays.publishing import forget_unnamed

    transaction.on_commit(lambda: forget_unnamed(instance.digest))


def forget_upload(instance: Any, **kwargs: Any) -> None:
    from eosviz.replays.stores import uploads

    place = instance.place
    transaction.on_commit(lambda: uploads.delete(place))


def take_uploads_again(**kwargs: Any) -> None:
    """When a worker starts, take up unfinished uploads, and delete the folders of uploads that were
    interrupted."""
    from eosviz.replays import tasks

    tasks.take_uploads_again()


class ReplaysConfig(AppConfig):
    name = "eosviz.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from eosviz.replays.models import Export, Publication, Upload

        post_migrate.connect(forget_linked_files, sender=self)
        post_delete.connect(forget_export, sender=Export)
        post_delete.connect(forget_published, sender=Publication)
        post_delete.connect(forget_upload, sender=Upload)
        worker_ready.connect(take_uploads_again, weak=False, dispatch_uid="replays take")
