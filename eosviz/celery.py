"""The Celery application. What it is set to stands in `eosviz.settings.base`, under names with `CELERY_`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")

app = Celery("eosviz")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
