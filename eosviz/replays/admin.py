"""Published replays in Django's administration. An administrator can find a replay by the digest in its
address, view it and withdraw it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from eosviz.accounts.request_types import user_of
from eosviz.replays.models import Publication
from eosviz.replays.publishing import withdraw


@admin.register(Publication)
class PublicationAdmin(admin.ModelAdmin):
    """Deleting a publication here withdraws it; the audit log records which administrator did so."""

    list_display = ("scenario", "variant", "steps", "bytes", "digest", "created")
    list_filter = ("scenario",)
    search_fields = ("digest__startswith", "scenario")
    exclude = ("owner",)  # the owner's key gives access to everything that the owner has
    date_hierarchy = "created"
    ordering = ("-created",)

    def delete_model(self, request: HttpRequest, obj: Publication) -> None:
        withdraw(obj, user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Publication]) -> None:
        for publication in queryset:
            withdraw(publication, user_of(request))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def view_on_site(self, publication: Publication) -> str:
        return reverse("replays:published", args=[publication.digest])
