"""The pages for drafts and editions in Django's administration: view and remove them, and change who can find
a draft."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from eosviz.accounts.request_types import user_of
from eosviz.classroom.audit import note
from eosviz.operating.naming import column
from eosviz.workshop.actions import delete_draft
from eosviz.workshop.models import Draft, Edition


@admin.register(Draft)
class DraftAdmin(admin.ModelAdmin):
    list_display = ("identifier", "owner", "visibility", "language", "edition_count", "changed")
    list_filter = ("visibility", "language", "profile")
    list_select_related = ("owner",)
    search_fields = ("identifier", "searched", "owner__email")
    fields = ("identifier", "owner", "visibility", "tag_line", "text")
    readonly_fields = ("identifier", "owner", "tag_line", "text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Draft]:
        found: QuerySet[Draft] = super().get_queryset(request).annotate(held=Count("editions"))
        return found

    def save_model(self, request: HttpRequest, obj: Draft, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if "visibility" in form.changed_data:
            note(obj.classroom, user_of(request), f"visible_{obj.visibility}", name=str(obj))

    def delete_model(self, request: HttpRequest, obj: Draft) -> None:
        delete_draft(obj, user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Draft]) -> None:
        for draft in queryset:
            delete_draft(draft, user_of(request))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description=column("edition_count"))
    def edition_count(self, draft: Any) -> int:
        count: int = draft.held
        return count


@admin.register(Edition)
class EditionAdmin(admin.ModelAdmin):
    list_display = ("__str__", "draft", "engine", "checked", "published")
    list_select_related = ("draft", "version")
    search_fields = ("version__identifier", "draft__owner__email")
    exclude = ("steps",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
