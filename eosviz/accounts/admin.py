"""Accounts in Django's administration: search, block, give roles. Only owners set passwords."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest

from eosviz.accounts.models import User

admin.site.site_header = admin.site.site_title = "eosviz"
# The administration's own form would bypass the limits on signing in.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    list_display = ("email", "name", "is_active", "date_joined", "last_login")
    list_filter = ("is_active", "groups")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "groups", "date_joined", "last_login")
    readonly_fields = ("email", "date_joined", "last_login")
    ordering = ("email",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people sign up themselves

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Only superusers change a superuser."""
        may = super().has_change_permission(request, obj)
        return may and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False  # people delete themselves, after reading what is deleted with them
