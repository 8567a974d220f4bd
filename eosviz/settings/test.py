"""The settings of the tests. Tests that need real processes start these with the settings `development`."""

import atexit
import os
import shutil
import tempfile

# Each process of the tests has its own data folder, and uses no service of the machine.
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
        # Sockets and tasks run in several threads. With SQLite in shared memory they would fail where they
        # now wait for each other.
        "TEST": {"NAME": f"{_data_folder}/test.sqlite3"},
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;",
        },
    }
}
if os.environ.get("EOSVIZ_TEST_DATABASE") == "postgresql":
    # tests/conftest.py starts the server in this folder before the first test that needs it. The folder is
    # separate from the data folder, because the server cannot be run by root.
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
# No test needs static files, and every new test client would search for all of them.
SERVESTATIC_USE_FINDERS = False
SERVESTATIC_USE_STATIC_ROOT = False

# A task runs where it is sent and raises its exceptions there. So tests need no worker and see all errors.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
