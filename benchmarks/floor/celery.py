import os
from typing import Any

from celery import Celery
from celery.signals import worker_ready

from eosviz.interpreter import prepare_to_serve
from eosviz.kept_connections import KEPT

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.floor.settings")

app = Celery("floor", fixups=KEPT)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["benchmarks.floor"])


@worker_ready.connect
def begin_to_serve(**kwargs: Any) -> None:
    prepare_to_serve()
