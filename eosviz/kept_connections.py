"""Database connections of a worker are kept from task to task, as `EOSVIZ_CONNECTION_SECONDS` says.

Celery's own way with Django closes them before and after each task, whatever `CONN_MAX_AGE` is: every click paid for
a new one, and SQLite wrote its log back whenever the last one closed. Named as a fixup in its place.
"""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.fixups.django import DjangoFixup, DjangoWorkerFixup
from django.conf import settings
from django.db import close_old_connections, connections


class KeptConnections(DjangoWorkerFixup):
    def install(self) -> DjangoWorkerFixup:
        """Called when a worker starts: from here on its connections are kept."""
        connections.settings["default"]["CONN_MAX_AGE"] = settings.WORKER_CONNECTION_SECONDS
        return super().install()

    def validate_models(self) -> None:
        """Only loads the site. The library runs all checks of the site whenever a worker or a beat starts, for which
        it loads every page's code; `manage.py migrate` has run them."""
        self.django_setup()

    def close_database(self, **kwargs: Any) -> None:
        """Those alone that are too old, or that failed and do not answer: what Django does around a request."""
        close_old_connections()


class DjangoKept(DjangoFixup):
    _worker_fixup: DjangoWorkerFixup | None

    @property
    def worker_fixup(self) -> DjangoWorkerFixup:
        """Made when it is first asked for: it reads the settings, which are not there when the application is made."""
        if self._worker_fixup is None:
            self._worker_fixup = KeptConnections(self.app)
        return self._worker_fixup


def fixup(app: Celery) -> DjangoFixup:
    return DjangoKept(app).install()


KEPT = {"eosviz.kept_connections:fixup"}
"""For `Celery(fixups=…)`."""
