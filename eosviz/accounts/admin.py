"""Accounts in Django's administration: search, block, give roles. Passwords cannot be set there."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from eosviz.accounts.forms import words
from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, give_role, role_of

admin.site.site_header = admin.site.site_title = "eosviz"
# The administration's own form would bypass the limits on signing in.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    list_display = ("email", "name", "is_active", "date_joined", "last_login", "asked_to_teach")
    list_filter = (("asked_to_teach", admin.EmptyFieldListFilter), "is_active", "groups")
    actions = ("make_instructors",)
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "groups", "date_joined", "last_login", "asked_to_teach")
    readonly_fields = ("email", "date_joined", "last_login", "asked_to_teach")
    ordering = ("email",)

    @admin.action(description=words("accounts.make_instructors"), permissions=["change"])
    def make_instructors(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Make the chosen learners instructors, which also closes their requests for that role.
        Administrators stay administrators."""
        for user in chosen:
            if role_of(user) is Role.LEARNER:
                give_role(user, Role.INSTRUCTOR)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the form, with the person's groups. If a group gives the person a role, their request for the
        role of an instructor is closed."""
        super().save_related(request, form, formsets, change)
        if role_of(form.instance) is not Role.LEARNER:
            User.objects.filter(pk=form.instance.pk).update(asked_to_teach=None)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people sign up themselves; nothing is added here

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Only superusers change a superuser."""
        may = super().has_change_permission(request, obj)
        return may and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False  # people delete their own accounts, after reading what is deleted with them
