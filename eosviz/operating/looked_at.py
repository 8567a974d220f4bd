"""Pages of the administration that are read and nothing else."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class LookedAt(admin.ModelAdmin):
    """Neither made, changed nor deleted here: each model has its own doors for that."""

    show_full_result_count = False  # a table of millions would be counted twice

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
