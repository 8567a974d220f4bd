"""Sends the progress of an analysis to its open pages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.template.loader import render_to_string

from eosviz.accounts.models import User
from eosviz.live_page import PartOfRow
from eosviz.pipeline.live import group_of_job
from eosviz.rights import of_job


class AnalysisConsumer(PartOfRow):
    """`/ws/analytics/<id>/?lang=en`: the progress of one analysis."""

    parameter = "job_id"

    def group(self) -> str:
        return group_of_job(self.wanted)

    def topic(self) -> str:
        return of_job(self.wanted)

    def rows(self, seen_by: User | None = None) -> QuerySet[Any]:
        from eosviz.analytics.models import Analysis

        return Analysis.objects.all() if seen_by is None else Analysis.objects.seen_by_person(seen_by)

    def part(self) -> str | None:
        analysis = self.row()
        return None if analysis is None else render_to_string("analytics/state.html", {"job": analysis})
