"""Registers trails among what people own (`accounts/owning.py`). A trail belongs to its session and is
deleted with it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import Owned, register
from eosviz.analytics.models import Trail


@register
class Trails(Owned):
    model = Trail
    kind = "trails"

    def rows(self, user: User) -> QuerySet[Any]:
        return Trail.objects.filter(session__owner=user.owner_key)

    def facts(self, user: User) -> dict[str, Any]:
        return {
            "trails": [
                {
                    "session": str(trail.session_id),
                    "last": trail.last,
                    "furthest": trail.furthest,
                    "backs": trail.backs,
                    "backs_more": trail.backs_more,
                }
                for trail in self.rows(user).order_by("changed")
            ]
        }
