"""Deletes what people without an account left behind, after a time that the operator sets.

Accounts keep everything. A session's age counts from its last command; a presented session is in use. Published
replays stay: others may have their address.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.contrib.sessions.models import Session as Cookie
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from eosviz.accounts.models import User
from eosviz.replays.models import Replay
from eosviz.tracks.models import Visit
from eosviz.walkthroughs.actions import delete_session
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Command, Session, Step

logger = logging.getLogger(__name__)

BATCH = 100


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many of each are deleted, or would be."""

    sessions: int
    steps: int
    replays: int
    visits: int
    cookies: int

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, one.name)} {one.name}" for one in fields(self))


def due(days: int) -> Numbers:
    """Counts what is older than this many days and deletes nothing. ValueError for fewer than one day."""
    before = _before(days)
    sessions = _sessions(before)
    return Numbers(
        sessions=sessions.count(),
        steps=Step.objects.filter(branch__session__in=sessions).count(),
        replays=_replays(before).count(),
        visits=_visits(before).count(),
        cookies=_cookies().count(),
    )


def apply(days: int) -> Numbers:
    """Deletes what `due` counts, in batches, so that commands of running sessions wait only briefly. The numbers are
    logged first."""
    before = _before(days)
    numbers = due(days)
    logger.info("retention: older than %s days and without an account: %s", days, numbers)
    while batch := list(_sessions(before).values_list("owner", "id")[:BATCH]):
        for owner, session in batch:
            # Owners who have returned since the batch was read keep their session; others may have deleted it.
            if _sessions(before).filter(id=session).exists():
                with suppress(Problem):
                    delete_session(owner, session)
    stale: tuple[QuerySet[Any], ...] = (_replays(before), _visits(before), _cookies())
    for found in stale:
        while keys := list(found.values_list("pk", flat=True)[:BATCH]):
            found.model._base_manager.filter(pk__in=keys).delete()
    return numbers


def _before(days: int) -> datetime:
    if days < 1:
        raise ValueError("retention needs at least one day: what people do now is theirs")
    return timezone.now() - timedelta(days=days)


def _sessions(before: datetime) -> QuerySet[Session]:
    recent = Command.objects.filter(session=OuterRef("pk"), answered__gte=before)
    old = Session.objects.filter(created__lt=before, presentation__isnull=True, owner__gt="")
    return old.exclude(Exists(_account("owner")) | Exists(recent))


def _replays(before: datetime) -> QuerySet[Replay]:
    """Imports without an owner came from the operator."""
    return Replay.objects.filter(created__lt=before).exclude(owner="").exclude(Exists(_account("owner")))


def _visits(before: datetime) -> QuerySet[Visit]:
    return Visit.objects.filter(begun__lt=before).exclude(Exists(_account("owner")))


def _cookies() -> QuerySet[Cookie]:
    """Sessions of cookies that have expired."""
    return Cookie.objects.filter(expire_date__lt=timezone.now())


def _account(key: str) -> QuerySet[User]:
    found: QuerySet[User] = User.objects.filter(owner_key=OuterRef(key))
    return found
