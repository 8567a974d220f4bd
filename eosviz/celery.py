"""The Celery application. Its configuration is in the settings with the prefix `CELERY_`."""

import dbm
import logging
import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.beat import PersistentScheduler
from kombu.connection import Connection
from kombu.transport import virtual
from kombu.transport.redis import Channel, QoS, Transport
from redis.exceptions import ResponseError

from eosviz.kept_connections import KEPT
from eosviz.step_queues import TakesItsShare

logger = logging.getLogger(__name__)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")


class OutlivedQoS(QoS):
    """The worker's record of the tasks that it has taken. It keeps working if Redis answers but refuses
    writes because its disk or memory is full."""

    def append(self, message: Any, delivery_tag: str) -> None:
        try:
            super().append(message, delivery_tag)
        except ResponseError as error:
            logger.warning("a task was taken and Redis could not note it: %s", error)
            virtual.QoS.append(self, message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except ResponseError as error:
            logger.warning("a task has ended and Redis could not note it: %s", error)
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue=requeue)
        except ResponseError as error:
            logger.warning("a task was given back and Redis could not note it: %s", error)
            virtual.QoS.ack(self, delivery_tag)


class OutlivedChannel(Channel):
    """A channel that may be lost while a task runs. The task then continues. It is neither returned to the
    queue nor acknowledged, because the connection for that is lost."""

    QoS = OutlivedQoS
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
    """A worker's connection that, after Redis was lost, tries to connect at least every second. Celery's own
    pauses grow to 30 s."""

    def ensure_connection(self, *arguments: Any, **options: Any) -> Connection:
        pauses = {"interval_start": 0.1, "interval_step": 0.1, "interval_max": 1.0}
        connected: Connection = super().ensure_connection(*arguments, **{**pauses, **options})
        return connected

    def get_transport_cls(self) -> type[Transport]:
        found: type[Transport] = super().get_transport_cls()
        return OutlivedTransport if found is Transport else found


class PromptAMQP(AMQP):
    Connection = PromptConnection


class OutlivingScheduler(PersistentScheduler):
    """The scheduler of `celery beat`. It continues if it cannot write its record of sent tasks."""

    def sync(self) -> None:
        try:
            super().sync()
        except (*dbm.error, OSError) as error:
            logger.warning("the schedule could not be noted: %s", error)


app = Celery("eosviz", amqp=PromptAMQP, fixups=KEPT)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["consumer"].add(TakesItsShare)
app.autodiscover_tasks()
