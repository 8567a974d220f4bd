"""Registers a read-only page of the administration for every model that has no page there and is not in
HIDDEN.

This app is loaded last, so that all pages of other apps are already registered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db import models

from eosviz.operating.naming import head_of
from eosviz.operating.read_only_admin import ReadOnlyAdmin

HIDDEN = {
    "sessions.session": "its key is a browser's cookie",
    "account.emailconfirmation": "its key proves an address",
    "contenttypes.contenttype": "Django's own list of the models",
    "auth.permission": "Django's own list of what can be allowed",
}
"""The models that get no page. Dict of `app.model` → reason."""

KEYS = {"owner", "code", "token", "secret", "key", "owner_key"}
"""Names of fields whose values give access to something, so that no page shows them."""

COLUMNS_MAX = 8
SHORT = 200
"""A text field may be a column of a list only if its values have at most this many characters."""


Column = str | Callable[[models.Model], Any]


def columns(model: type[models.Model]) -> list[Column]:
    """The columns of a model's list, at most COLUMNS_MAX, the primary key first. Long fields and the fields
    in KEYS are left out. A relation is shown as the related row's key."""
    shown: list[Column] = [_held(model._meta.pk)]
    for field in model._meta.concrete_fields:
        is_short = field.max_length is None or field.max_length <= SHORT
        is_long = isinstance(field, models.BinaryField | models.TextField | models.JSONField)
        if not field.primary_key and field.name not in KEYS and is_short and not is_long:
            shown.append(_held(field) if field.is_relation else field.name)
    return shown[:COLUMNS_MAX]


def _held(field: Any) -> Column:
    """A column with the value of `field` that the row itself stores: for a relation, the related row's
    key."""

    @admin.display(description=head_of(field), ordering=field.attname)
    def key(row: models.Model) -> Any:
        return getattr(row, field.attname)

    return key


def searched(model: type[models.Model]) -> list[str]:
    """The fields that the list's search looks up, in Django's notation: keys by their beginning, and each
    `CharField` that is not in KEYS."""
    texts = [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField) and not field.primary_key and field.name not in KEYS
    ]
    others = [
        f"{field.name}__{field.target_field.name}__startswith"
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and isinstance(field.target_field, models.UUIDField)
    ]
    # `others` already contains a primary key that is a relation.
    own = [] if model._meta.pk.is_relation else ["pk__startswith"]
    return [*own, *texts, *others]


def filters(model: type[models.Model]) -> list[str]:
    return [
        field.name
        for field in model._meta.concrete_fields
        if field.choices or isinstance(field, models.BooleanField)
    ]


def admin_of(model: type[models.Model]) -> type[ReadOnlyAdmin]:
    kept_back = [field.name for field in model._meta.concrete_fields if field.name in KEYS]
    made = {
        "list_display": columns(model),
        "search_fields": searched(model),
        "list_filter": filters(model),
        "exclude": kept_back,
        "ordering": ("pk",),
    }
    return type(f"{model.__name__}ReadOnlyAdmin", (ReadOnlyAdmin,), made)


for _model in apps.get_models():
    if _model._meta.label_lower not in HIDDEN and _model not in admin.site._registry:
        admin.site.register(_model, admin_of(_model))
