"""How far an analysis is, to whoever looks at its page."""

from __future__ import annotations

import uuid

from django.template.loader import render_to_string

from eosviz.accounts.models import User
from eosviz.live_page import LivePart
from eosviz.pipeline.live import group_of_job
from eosviz.rights import Ending, Right, of_job


class AnalysisConsumer(LivePart):
    """`/ws/analytics/<id>/?lang=en`"""

    def group(self) -> str:
        return group_of_job(self.scope["url_route"]["kwargs"]["job_id"])

    @property
    def wanted(self) -> uuid.UUID:
        named: uuid.UUID = self.scope["url_route"]["kwargs"]["job_id"]
        return named

    def right(self) -> Right:
        from eosviz.analytics.models import Analysis

        wanted, person = self.wanted, getattr(self.scope["user"], "pk", None)

        def ask() -> Ending | None:
            user = User.objects.filter(pk=person, is_active=True).first()
            if user is not None and Analysis.objects.seen_by_person(user).filter(id=wanted).exists():
                return None
            return Ending.TAKEN if Analysis.objects.filter(id=wanted).exists() else Ending.GONE

        return Right(f"analysis {wanted} {person}", frozenset({of_job(wanted)}), ask)

    def part(self) -> str | None:
        from eosviz.analytics.models import Analysis

        analysis = Analysis.objects.filter(id=self.wanted).first()
        if analysis is None:
            return None
        return render_to_string("analytics/state.html", {"job": analysis})
