from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.urls import register_converter

from eosviz.scenarios.identifiers import ScenarioIdentifier


def load_library_after_migrate(sender: Any, using: str, **kwargs: Any) -> None:
    """Load the engine's library into the database. Called after `migrate`."""
    from eosviz.scenarios.actions import load_library

    if using == "default":
        load_library()


class ScenariosConfig(AppConfig):
    name = "eosviz.scenarios"
    label = "scenarios"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_converter(ScenarioIdentifier, "scenario")
        post_migrate.connect(load_library_after_migrate, sender=self)
