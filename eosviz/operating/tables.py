"""Lists all tables of the site, as models, and converts rows to JSON and back. A value is written in the form
that its field can read: bytes as Base64, a date as ISO 8601, a UUID as text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import BinaryField, JSONField, Model

MADE_BY_MIGRATE = frozenset(
    {
        "contenttypes.contenttype",
        "auth.permission",
        "auth.group",
        "auth.group_permissions",
        "scenarios.scenarioversion",
        "scenarios.endings",
    }
)
"""Tables whose rows `migrate` creates in an empty database."""

ROWS_READ_AT_ONCE = 200


def all_models() -> list[type[Model]]:
    """All models with a table, sorted by name, including the tables of many-to-many relations."""
    models = apps.get_models(include_auto_created=True)
    return sorted((model for model in models if has_own_table(model)), key=label_of)


def has_own_table(model: type[Model]) -> bool:
    return bool(model._meta.managed and not model._meta.proxy)


def label_of(model: type[Model]) -> str:
    """The model's name as `app.model` in lower case; for the table of a relation, for example,
    `auth.group_permissions`."""
    return str(model._meta.label_lower)


def migrations_applied() -> list[str]:
    """The applied migrations as `app.name`, sorted."""
    applied = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


def used_models() -> list[str]:
    """The names of the tables with rows, without those in MADE_BY_MIGRATE."""
    return [
        label_of(model)
        for model in all_models()
        if label_of(model) not in MADE_BY_MIGRATE and model._base_manager.exists()
    ]


def rows_of(model: type[Model]) -> Iterator[bytes]:
    """Each row of a table as one line of JSON: a list of values in the order of `columns_of`."""
    fields = model._meta.concrete_fields
    asked = model._base_manager.order_by("pk").values_list(*(field.attname for field in fields))
    for row in asked.iterator(chunk_size=ROWS_READ_AT_ONCE):
        yield msgspec.json.encode([_encodable(value) for value in row], enc_hook=str) + b"\n"


def columns_of(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _encodable(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return value


def objects_from(model: type[Model], lines: Iterable[bytes]) -> list[Model]:
    """The objects for these lines of JSON, not saved. Raises ValueError, or the error of the decoder or of a
    field, if a line is no row of this model."""
    fields = model._meta.concrete_fields
    objects = []
    for line in lines:
        values = msgspec.json.decode(line)
        if not isinstance(values, list) or len(values) != len(fields):
            raise ValueError(f"a row of {label_of(model)} has {len(fields)} values")
        objects.append(
            model(**{field.attname: _read(field, value) for field, value in zip(fields, values, strict=True)})
        )
    return objects


def _read(field: Any, value: Any) -> Any:
    if value is None or isinstance(field, JSONField):
        return value
    if isinstance(field, BinaryField):
        return base64.b64decode(value, validate=True)
    # A foreign key has the type of the other model's key.
    return field.target_field.to_python(value) if field.is_relation else field.to_python(value)


def store(model: type[Model], objects: list[Model]) -> None:
    """Save objects with exactly their values, even in fields that set their own (`auto_now_add`)."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = list(model._meta.concrete_fields)
    size = max(1, connection.ops.bulk_batch_size(fields, objects))
    for first in range(0, len(objects), size):
        # Only the private `_insert` has the option `raw`; `bulk_create` does not.
        model._base_manager._insert(  # type: ignore[attr-defined]
            objects[first : first + size], fields=fields, using=DEFAULT_DB_ALIAS, raw=True
        )
