"""The Celery application. What it is set to stands in `eosviz.settings.base`, under names with `CELERY_`."""

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection
from kombu.transport.redis import Channel, Transport

from eosviz.kept_connections import KEPT

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")


class OutlivedChannel(Channel):
    """A channel that may be lost while a task is under way.

    The library would hand the task back, and acknowledge it at its end, over the connection that is gone; the
    error that it meets then ends the worker. Neither is needed: the task goes on, what it commits is kept, and
    when its message comes back by itself (`visibility_timeout`) it is found done.
    """

    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        if not self._is_lost:
            super().basic_ack(delivery_tag, multiple=multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self._is_lost:
            super().basic_reject(delivery_tag, requeue=requeue)

    @property
    def _is_lost(self) -> bool:
        return self.closed or self.connection is None


class OutlivedTransport(Transport):
    Channel = OutlivedChannel


class PromptConnection(Connection):
    """A worker's connection, tried again every second at the latest when Redis has gone.

    The library's own pauses start at 2 s and grow to 30 s, and no setting changes them; a page that steps
    would wait as long after Redis has come back.
    """

    def ensure_connection(self, *arguments: Any, **options: Any) -> Connection:
        pauses = {"interval_start": 0.1, "interval_step": 0.1, "interval_max": 1.0}
        return super().ensure_connection(*arguments, **{**pauses, **options})

    def get_transport_cls(self) -> type[Transport]:
        found: type[Transport] = super().get_transport_cls()
        return OutlivedTransport if found is Transport else found


class PromptAMQP(AMQP):
    Connection = PromptConnection


app = Celery("eosviz", amqp=PromptAMQP, fixups=KEPT)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
