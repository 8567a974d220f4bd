"""Analyses in Django's administration, read-only."""

from __future__ import annotations

from django.contrib import admin

from eosviz.analytics.models import Analysis, Figure
from eosviz.operating.read_only_admin import ReadOnlyAdmin


@admin.register(Analysis)
class AnalysisAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "state", "people", "sessions", "withheld", "created", "finished")
    list_filter = ("state",)
    list_select_related = ("classroom",)
    exclude = ("owner",)
    ordering = ("-created",)


@admin.register(Figure)
class FigureAdmin(ReadOnlyAdmin):
    list_display = ("analysis", "kind", "group", "version", "variant", "step", "rule", "people", "of")
    list_filter = ("kind",)
    list_select_related = ("analysis", "version")
    ordering = ("-analysis__created", "id")
