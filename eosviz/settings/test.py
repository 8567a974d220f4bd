"""What the tests run under. A test that needs real processes starts them under `development` instead."""

import tempfile

from eosviz.settings.base import *  # noqa: F403

SECRET_KEY = "only for tests"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
    }
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_ROOT = tempfile.gettempdir()
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = True

# A task runs where it is called, and its error is the caller's: a test needs no worker and hides nothing.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
