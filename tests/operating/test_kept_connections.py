"""A worker keeps its database connections from task to task; a web process keeps none."""

import pytest
from celery.fixups.django import DjangoWorkerFixup
from django.conf import settings
from django.db import connections

from eosviz.celery import app
from eosviz.kept_connections import KeptConnections


def test_connections_are_kept_from_the_start_of_a_worker_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DjangoWorkerFixup, "install", lambda fixup: fixup)
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    assert settings.DATABASES["default"]["CONN_MAX_AGE"] == 0
    KeptConnections(app).install()
    assert connections.settings["default"]["CONN_MAX_AGE"] == settings.WORKER_CONNECTION_SECONDS == 600
