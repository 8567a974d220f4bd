"""The product's settings with nothing of the product in them, so that only the work differs."""

from eosviz.settings.development import *  # noqa: F403
from eosviz.settings.development import DATA_DIR

INSTALLED_APPS = ["benchmarks.floor"]
MIDDLEWARE = []
ROOT_URLCONF = "benchmarks.floor.urls"
ASGI_APPLICATION = "benchmarks.floor.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PAYLOADS = DATA_DIR / "payloads.json"
"""A list of messages, one for each click: those that the product sent for its own."""
