"""Keeps the rows that a migration creates: the library with the ends of its runs, roles, permissions.

The database of a test that commits is emptied afterwards. Creating these rows again takes longer than most of these
tests, so they are put back.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush
from django.db import connections, transaction
from pytest import MonkeyPatch


class KeptRows:
    """The rows of the tests' database at the time when this object is made."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        connection = connections["default"]
        with connection.cursor() as cursor:
            for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                if rows := cursor.fetchall():
                    self._rows[table] = rows

    def follow_a_flush(self, patch: MonkeyPatch) -> None:
        """Put the rows back after a database was emptied, in place of what Django does after a migration."""
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: self.put_back())

    def put_back(self) -> None:
        """Insert the rows into the tables, which must be empty."""
        connection = connections["default"]
        with transaction.atomic(), connection.cursor() as cursor:
            for table, rows in self._rows.items():
                places = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {connection.ops.quote_name(table)} VALUES ({places})", rows)
