"""Changes of rows that may end a right of an open socket. Each app names its models in `AppConfig.ready`.
Django's signals announce the changes, whether a page, the administration or a command made them. Changes
without a signal, such as SQL by hand, are found at intervals (`eosviz/rights.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model
from django.db.models.signals import post_delete, post_save

from eosviz.rights import changed

Row = TypeVar("Row", bound=Model)


def deleting_ends(model: type[Row], topic_of: Callable[[Row], str]) -> None:
    """Announce that deleting a row of this model may end the rights with its topic."""
    _connect(post_delete, "deleted", model, topic_of)


def any_change_ends(model: type[Row], topic_of: Callable[[Row], str]) -> None:
    """Announce that any change of a row may end the rights with its topic."""
    deleting_ends(model, topic_of)
    _connect(post_save, "saved", model, topic_of)


def _connect(signal: Any, change: str, model: type[Row], topic_of: Callable[[Row], str]) -> None:
    def announce(instance: Row, **kwargs: Any) -> None:
        changed(topic_of(instance))

    signal.connect(announce, sender=model, weak=False, dispatch_uid=f"rights: {model.__name__} {change}")
