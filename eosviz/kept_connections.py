"""Keeps a worker's database connections open from task to task, for `settings.WORKER_CONNECTION_SECONDS`.

Celery's own integration with Django closes them before and after each task, whatever `CONN_MAX_AGE` is. So
every click opened a new connection, and SQLite emptied its write-ahead log whenever the last one was closed.
This module replaces that integration.
"""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.fixups.django import DjangoFixup, DjangoWorkerFixup
from django.conf import settings
from django.db import close_old_connections, connections


class KeptConnections(DjangoWorkerFixup):
    def install(self) -> DjangoWorkerFixup:
        """Set for how long connections stay open. Celery calls this when a worker starts."""
        connections.settings["default"]["CONN_MAX_AGE"] = settings.WORKER_CONNECTION_SECONDS
        return super().install()

    def validate_models(self) -> None:
        """Load Django. Celery's own method also runs the site's checks at each start, but `manage.py migrate`
        has already run them."""
        self.django_setup()

    def close_database(self, **kwargs: Any) -> None:
        """Close only expired or unusable connections, as Django does before and after a request."""
        close_old_connections()


class DjangoKept(DjangoFixup):
    _worker_fixup: DjangoWorkerFixup | None

    @property
    def worker_fixup(self) -> DjangoWorkerFixup:
        """The fixup of a worker. It is created on first use, because it reads the settings, which are not
        loaded when the Celery application is created."""
        if self._worker_fixup is None:
            self._worker_fixup = KeptConnections(self.app)
        return self._worker_fixup


def fixup(app: Celery) -> DjangoFixup:
    return DjangoKept(app).install()


KEPT = {"eosviz.kept_connections:fixup"}
"""The value for the argument `fixups` of `Celery`."""
