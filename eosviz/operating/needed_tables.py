"""Refuses to start commands that use tables if the database lacks migrations of this release."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

APPS_NAMED_MAX = 5


class TablesCommand(BaseCommand):
    """A command that refuses to start if the database lacks migrations (`check_tables`)."""

    requires_migrations_checks = True

    def check_migrations(self) -> None:
        check_tables()


def check_tables(**options: Any) -> None:
    """Raises CommandError, created with ``options``, if the database lacks migrations of this release. A
    database that a newer release has migrated is accepted."""
    connection = connections[DEFAULT_DB_ALIAS]
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return
    apps = list(dict.fromkeys(migration.app_label for migration, _ in plan))
    named = ", ".join(apps[:APPS_NAMED_MAX]) + (" and others" if len(apps) > APPS_NAMED_MAX else "")
    raise CommandError(
        f"the database {connection.settings_dict['NAME']} lacks tables or columns of this eosviz"
        f" ({len(plan)} migrations, of {named}); make them first: python manage.py migrate",
        **options,
    )
