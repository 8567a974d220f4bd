"""Deletes two kinds of old data: rows of people without an account that are older than the operator's limit,
and expired cookie sessions. Each app says which of its rows are old (`owning.py`)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.contrib.sessions.models import Session as Cookie
from django.db.models import QuerySet
from django.utils import timezone

from eosviz.accounts.owning import everything

logger = logging.getLogger(__name__)

BATCH = 100


def due(days: int) -> dict[str, int]:
    """Count what `apply` would delete: the rows of people without an account that are older than this many
    days, and the expired cookie sessions. Dict of word → number. Raises ValueError if ``days`` is below 1."""
    before = _before(days)
    numbers: dict[str, int] = {}
    for owned in everything():
        rows = owned.left_behind(before)
        if rows is not None:
            numbers |= owned.lost(rows)
    return {**numbers, "cookies": _cookies().count()}


def apply(days: int) -> dict[str, int]:
    """Delete what `due` counts, after logging the counts. Returns the counts."""
    before = _before(days)
    numbers = due(days)
    logger.info("retention: older than %s days and without an account: %s", days, listed(numbers))
    for owned in everything():
        while keys := _some(owned.left_behind(before)):
            owned.delete_left(before, keys)
    while keys := _some(_cookies()):
        Cookie.objects.filter(pk__in=keys).delete()
    return numbers


def listed(numbers: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in numbers.items())


def _some(rows: QuerySet[Any] | None) -> list[Any]:
    return [] if rows is None else list(rows.values_list("pk", flat=True)[:BATCH])


def _before(days: int) -> datetime:
    if days < 1:
        raise ValueError("retention needs at least one day: what people do now is theirs")
    return timezone.now() - timedelta(days=days)


def _cookies() -> QuerySet[Cookie]:
    return Cookie.objects.filter(expire_date__lt=timezone.now())
