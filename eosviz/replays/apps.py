from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def forget_linked_files(**kwargs: Any) -> None:
    """A new release may make other steps; what links show is made again by the first who asks."""
    from eosviz.replays.models import LinkedFile

    LinkedFile.objects.all().delete()


class ReplaysConfig(AppConfig):
    name = "eosviz.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(forget_linked_files, sender=self)
