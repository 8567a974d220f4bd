"""What follows a migration, kept as rows: the library with its endings, roles, permissions.

A test that stores for good has its database emptied, and all of this made again, which takes longer than most of
these tests do. The rows are put back instead.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush
from django.db import connections, transaction
from pytest import MonkeyPatch


class KeptRows:
    """The rows of the tests' database as it is now."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        connection = connections["default"]
        with connection.cursor() as cursor:
            for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                if rows := cursor.fetchall():
                    self._rows[table] = rows

    def follow_a_flush(self, patch: MonkeyPatch) -> None:
        """In place of what follows a migration."""
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: self.put_back())

    def put_back(self) -> None:
        """Into empty tables."""
        connection = connections["default"]
        with transaction.atomic(), connection.cursor() as cursor:
            for table, rows in self._rows.items():
                places = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {connection.ops.quote_name(table)} VALUES ({places})", rows)
