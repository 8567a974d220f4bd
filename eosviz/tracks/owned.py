"""Registers progress and predictions among what people own (`accounts/owning.py`)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import Owned, OwnedByKey, register, without_account
from eosviz.tracks.models import Prediction, Visit


@register
class Predictions(Owned):
    """Registers predictions. They belong to their session and are deleted with it."""

    model = Prediction
    kind = "predictions"

    def rows(self, user: User) -> QuerySet[Any]:
        return Prediction.objects.filter(session__owner=user.owner_key)

    def facts(self, user: User) -> dict[str, Any]:
        return {
            "predictions": [
                {
                    "session": str(answer.session_id),
                    "step": answer.at,
                    "question": answer.ask,
                    "choice": answer.choice,
                    "right": answer.right,
                    "answered": answer.answered.isoformat(),
                }
                for answer in self.rows(user).order_by("answered")
            ]
        }


@register
class Visits(OwnedByKey):
    model = Visit
    kind = "progress"

    def claim(self, browser: str, account: str) -> None:
        """Merge the progress of the two keys. A scenario that is done with either of them is done. If both
        have a session of it, the account's session is kept."""
        known = {(visit.track, visit.position): visit for visit in Visit.objects.of_browser(account)}
        for visit in Visit.objects.of_browser(browser):
            mine = known.get((visit.track, visit.position))
            if mine is None:
                visit.owner = account
                visit.save(update_fields=["owner"])
                continue
            run = visit.session
            visit.delete()
            mine.done = mine.done or visit.done
            mine.session = mine.session or run
            mine.save(update_fields=["done", "session"])

    def facts(self, user: User) -> dict[str, Any]:
        return {
            "progress": [
                {
                    "track": visit.track,
                    "position": visit.position,
                    "done": visit.done,
                    "begun": visit.begun.isoformat(),
                }
                for visit in self.rows(user).order_by("track", "position")
            ]
        }

    def left_behind(self, before: datetime) -> QuerySet[Any]:
        return without_account(Visit.objects.filter(begun__lt=before))

    def lost(self, rows: QuerySet[Any]) -> dict[str, int]:
        return {"visits": rows.count()}
