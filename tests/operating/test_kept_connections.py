"""A worker's connections outlive its tasks, as long as they are young and well."""

from __future__ import annotations

import pytest
from django.db import connection

from eosviz.celery import app
from eosviz.kept_connections import DjangoKept, KeptConnections


def test_the_worker_is_made_with_it() -> None:
    assert [type(one) for one in app._fixups] == [DjangoKept]
    assert isinstance(app._fixups[0].worker_fixup, KeptConnections)


@pytest.mark.django_db(transaction=True)
def test_a_connection_is_kept_until_it_is_too_old() -> None:
    around_tasks = KeptConnections(app)
    connection.ensure_connection()
    held = connection.connection
    connection.close_at = None
    around_tasks.close_database()
    assert connection.connection is held
    connection.close_at = 0.0
    around_tasks.close_database()
    assert connection.connection is None
