"""Settings of the tests. A test that needs real processes starts them under `development` instead."""

import atexit
import os
import shutil
import tempfile

# Each test process has its own data folder and uses no service of the machine.
_data_folder = tempfile.mkdtemp(prefix="eosviz-test-")
atexit.register(shutil.rmtree, _data_folder, ignore_errors=True)
os.environ["EOSVIZ_DATA"] = _data_folder
for _name in ("REDIS_URL", "DATABASE_URL"):
    os.environ.pop(_name, None)

from eosviz.settings.base import *  # noqa: E402, F403

SECRET_KEY = "only for tests"
DATABASES = {
    "default": {
        "ENGINE": "eosviz.sqlite3",
        "NAME": ":memory:",
        # Sockets and tasks run in several threads. With SQLite in shared memory they would fail instead of
        # waiting for each other.
        "TEST": {"NAME": f"{_data_folder}/test.sqlite3"},
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;",
        },
    }
}
if os.environ.get("EOSVIZ_TEST_DATABASE") == "postgresql":
    # tests/conftest.py starts the server in this folder before the first test needs it. It is a folder of its own
    # because another user than root runs the server.
    POSTGRESQL_FOLDER = tempfile.mkdtemp(prefix="eosviz-pg-")
    atexit.register(shutil.rmtree, POSTGRESQL_FOLDER, ignore_errors=True)
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": POSTGRESQL_FOLDER,
            "USER": "postgres",
            "NAME": "eosviz",
        }
    }
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# No test needs a static file, and each new test client would look for all of them again.
SERVESTATIC_USE_FINDERS = False
SERVESTATIC_USE_STATIC_ROOT = False

# A task runs where it is called and raises there: a test needs no worker and hides no error.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
