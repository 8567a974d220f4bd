"""Announces changes of rows that may end a right of an open socket. Each app names its models in
`AppConfig.ready`. Django's signals report the changes, whether a page, the administration or a command
made them. A change without a signal, such as SQL by hand, is noticed at the regular checks
(`eosviz/rights.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model
from django.db.models.signals import post_delete, post_save

from eosviz.rights import changed

Row = TypeVar("Row", bound=Model)


def deleting_ends(model: type[Row], topic_of: Callable[[Row], str]) -> None:
    """From now on, announce each deletion of a row of this model: it may end the rights with the topic
    `topic_of(row)`."""
    _connect(post_delete, "deleted", model, topic_of)


def any_change_ends(model: type[Row], topic_of: Callable[[Row], str]) -> None:
    """From now on, announce each change of a row of this model: it may end the rights with the topic
    `topic_of(row)`."""
    deleting_ends(model, topic_of)
    _connect(post_save, "saved", model, topic_of)


def _connect(signal: Any, change: str, model: type[Row], topic_of: Callable[[Row], str]) -> None:
    def announce(instance: Row, **kwargs: Any) -> None:
        changed(topic_of(instance))

    signal.connect(announce, sender=model, weak=False, dispatch_uid=f"rights: {model.__name__} {change}")
