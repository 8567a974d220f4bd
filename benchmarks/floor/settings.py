"""Settings of the floor: those of the product, without the product's applications, so that floor and product differ
only in the work that they do.
"""

from eosviz.settings.development import *  # noqa: F403
from eosviz.settings.development import DATA_DIR

INSTALLED_APPS = ["benchmarks.floor"]
MIDDLEWARE = []
ROOT_URLCONF = "benchmarks.floor.urls"
ASGI_APPLICATION = "benchmarks.floor.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PAYLOADS = DATA_DIR / "payloads.json"
"""The file with a JSON list of messages, one for each click: the messages that the product sent for its clicks."""
