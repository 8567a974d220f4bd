"""How far an analysis is, to whoever looks at its page."""

from __future__ import annotations

from django.template.loader import render_to_string

from eosviz.accounts.models import User
from eosviz.live_page import LivePart
from eosviz.pipeline.live import group_of_job


class AnalysisConsumer(LivePart):
    """`/ws/analytics/<id>/?lang=en`"""

    def group(self) -> str:
        return group_of_job(self.scope["url_route"]["kwargs"]["job_id"])

    def part(self) -> str | None:
        from eosviz.analytics.models import Analysis

        user = User.objects.filter(pk=getattr(self.scope["user"], "pk", None), is_active=True).first()
        wanted = self.scope["url_route"]["kwargs"]["job_id"]
        analysis = user and Analysis.objects.seen_by_person(user).filter(id=wanted).first()
        if not analysis:
            return None
        return render_to_string("analytics/state.html", {"job": analysis})
