"""Classes in Django's administration: they can be viewed and searched there. Only their instructors change
them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from eosviz.classroom.models import Assignment, Attempt, AuditEntry, Classroom, Outcome
from eosviz.language import say_here
from eosviz.operating.naming import column, head_of
from eosviz.operating.read_only_admin import ReadOnlyAdmin


@admin.register(Classroom)
class ClassroomAdmin(ReadOnlyAdmin):
    list_display = ("name", "members", "created", "archived")
    search_fields = ("name", "memberships__user__email")
    exclude = ("code",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Classroom]:
        found: QuerySet[Classroom] = super().get_queryset(request).annotate(member_count=Count("memberships"))
        return found

    @admin.display(description=column("members"))
    def members(self, classroom: Any) -> int:
        count: int = classroom.member_count
        return count


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("title", "kind", "classroom", "due", "created")
    list_filter = ("kind",)
    list_select_related = ("classroom",)
    search_fields = ("title", "classroom__name")


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("id", "assignment", "user", "number", "started", "handed_in", "outcome", "score")
    list_filter = ("outcome",)
    list_select_related = ("assignment", "user")
    search_fields = ("pk__startswith", "assignment__title", "user__email")

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Hide the text of an attempt that was not submitted: only the learner sees a draft
        (docs/classes.md)."""
        return ("text",) if obj is not None and obj.outcome == Outcome.OPEN else ()


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "sentence", "actor", "classroom")
    list_filter = ("deed",)
    list_select_related = ("actor", "classroom")
    search_fields = ("classroom__name", "actor__email")

    @admin.display(description=head_of(AuditEntry._meta.get_field("deed")), ordering="deed")
    def sentence(self, entry: AuditEntry) -> str:
        return say_here(entry.sentence_key, **entry.sentence_params)
