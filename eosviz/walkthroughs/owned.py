"""Declares sessions as something that users own (`accounts/owning.py`)."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import OwnedByKey, register, without_account
from eosviz.refusals import Problem
from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.actions import delete_session
from eosviz.walkthroughs.models import Command, Session, Step


@register
class Sessions(OwnedByKey):
    model = Session
    kind = "sessions"

    def let_go(self, user: User) -> None:
        """Ends the presentations of the user's sessions, so that the pages of their followers are
        informed."""
        presented = self.rows(user).filter(presentation__isnull=False)
        for session_id in presented.values_list("id", flat=True):
            presenting.end(session_id)

    def left_behind(self, before: datetime) -> QuerySet[Any]:
        """Returns the sessions of browsers without an account that were created before `before`, have had no
        command since then, and are not being presented."""
        recent = Command.objects.filter(session=OuterRef("pk"), answered__gte=before)
        old = Session.objects.filter(created__lt=before, presentation__isnull=True)
        return without_account(old).exclude(Exists(recent))

    def lost(self, rows: QuerySet[Any]) -> dict[str, int]:
        steps = Step.objects.filter(branch__session__in=rows)
        return {"sessions": rows.count(), "steps": steps.count()}

    def delete_left(self, before: datetime, keys: list[Any]) -> None:
        for owner, session in Session.objects.filter(pk__in=keys).values_list("owner", "id"):
            # An owner who came back after the batch was read keeps the session. Another process may have
            # deleted the session.
            if self.left_behind(before).filter(id=session).exists():
                with suppress(Problem):
                    delete_session(owner, session)
