"""The settings that every installation has, on one machine or on many. docs/operating.md describes each
environment variable."""

import os
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError, TimeoutError

from eosviz.launch.embedded import embedded_redis_url, embedded_secret_key, kombu_url
from eosviz.launch.private import make_private_folder, umask_asked
from eosviz.launch.problem import Problem
from eosviz.settings.accounts import *  # noqa: F403
from eosviz.settings.accounts import SOCIAL_APPS
from eosviz.settings.operating import *  # noqa: F403
from eosviz.settings.quotas import *  # noqa: F403
from eosviz.settings.rates import *  # noqa: F403

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = Path(env.str("EOSVIZ_DATA", str(BASE_DIR / "var"))).resolve()
try:
    UMASK = umask_asked(os.environ)
    os.umask(UMASK)
    make_private_folder(DATA_DIR, UMASK)
except Problem as _problem:
    raise ImproperlyConfigured(str(_problem)) from None
FILE_UPLOAD_PERMISSIONS = 0o666 & ~UMASK

DEBUG = False
SECRET_KEY = env.str("SECRET_KEY", "") or embedded_secret_key(DATA_DIR)
HOST = env.str("EOSVIZ_HOST", "127.0.0.1")
ALLOWED_HOSTS = env.list("EOSVIZ_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", HOST])
CSRF_TRUSTED_ORIGINS = env.list("EOSVIZ_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth",  # for its texts in other languages than English
    "allauth.account",
    *SOCIAL_APPS,
    "ninja",  # installed as an app, so that this site serves the scripts of the API's page, and no other site
    "eosviz.accounts",
    "eosviz.walkthroughs",
    "eosviz.scenarios",
    "eosviz.front",
    "eosviz.replays",
    "eosviz.pipeline",
    "eosviz.reference",
    "eosviz.tracks",
    "eosviz.classroom",
    "eosviz.audience",
    "eosviz.workshop",
    "eosviz.analytics",
    "eosviz.operating",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "eosviz.operating.metrics.MeasuredRequests",
    "eosviz.security.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "eosviz.language.LanguageInAddress",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "eosviz.time_zone.ReaderTimeZone",
    "eosviz.rates.RatedAddresses",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "eosviz.accounts.known_browsers.KnownBrowsers",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "eosviz.operating.unavailable_pages.RedisAway",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "eosviz.replays.too_large.TooLargeBodies",
]

ROOT_URLCONF = "eosviz.urls"
ASGI_APPLICATION = "eosviz.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# The database

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'eosviz.sqlite3'}")}
# A web request may end in any thread, so its connection is closed or returned to the pool. A worker's threads
# live long and keep their connections.
DATABASES["default"]["CONN_MAX_AGE"] = 0
KEPT_CONNECTION_SECONDS = env.int("EOSVIZ_CONNECTION_SECONDS", 600)
"""For how many seconds a process keeps a database connection that is in no pool."""
WORKER_CONNECTION_SECONDS = KEPT_CONNECTION_SECONDS
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "eosviz.sqlite3"
    DATABASES["default"]["OPTIONS"] = {
        # In SQLite's default mode, a transaction that reads first and writes later fails at once if another
        # one wrote in between. With IMMEDIATE a transaction takes the write lock when it begins, and waits
        # for it at most `timeout` seconds.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # With WAL, pages can read while a worker writes. With NORMAL, no commit is lost when a process dies.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
else:
    # The database server may have been restarted since the last task, so a kept connection is tested before
    # it is used, and replaced if necessary.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

# The size of a process's pool of connections to PostgreSQL, which its requests and threads share. 0: there is
# no pool.
DATABASE_POOL = env.int("EOSVIZ_DATABASE_POOL", 0)
if DATABASE_POOL and DATABASES["default"]["ENGINE"].endswith("postgresql"):
    WORKER_CONNECTION_SECONDS = 0
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": DATABASE_POOL,
        "timeout": 10,
    }

# Redis: the channel layer and Celery's broker

REDIS_URL = env.str("REDIS_URL", "") or embedded_redis_url(DATA_DIR)
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "eosviz.channel_layer.OutlivingChannelLayer",
        "CONFIG": {
            "hosts": [
                {
                    "address": REDIS_URL,
                    # Otherwise redis-py 8 would close a subscription that receives nothing for five seconds.
                    "socket_timeout": None,
                    # redis-py's limit of a hundred connections is too low when many sockets close at the same
                    # time.
                    "max_connections": 10_000,
                    "retry": Retry(ExponentialBackoff(cap=1, base=0.05), 6),
                    "retry_on_error": [ConnectionError, TimeoutError],
                }
            ]
        },
    }
}

# The counts of rate limits (eosviz/buckets.py) are stored in this Redis, which all web processes share.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "eosviz",
    }
}

CELERY_BROKER_URL = kombu_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# If Redis answers but refuses writes because its disk or memory is full, a worker tries again, as it does
# when Redis is down. Otherwise the worker would end.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BEAT_SCHEDULER = "eosviz.celery:OutlivingScheduler"
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # If the worker of a task with acks_late=True is killed, the task is delivered again after this many
    # seconds. A task that takes longer must have acks_late=False; otherwise it would be delivered a second
    # time while it is running.
    "visibility_timeout": env.int("EOSVIZ_TASK_RETURN_SECONDS", 10),
    # If a worker is killed while it looks for such tasks, other workers can look for them after this many
    # seconds.
    "unacked_mutex_expire": 5,
    "socket_connect_timeout": 2,
    "health_check_interval": 10,
    # No task has a priority. With kombu's default of four priorities, a worker would wait for four keys for
    # each of its queues.
    "priority_steps": [0],
}
# If Redis is being restarted when a task is sent, sending it is tried again for about two seconds in all.
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 8,
    "interval_start": 0.05,
    "interval_step": 0.1,
    "interval_max": 0.4,
}
CELERY_TASK_ROUTES = ("eosviz.step_queues.route",)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
# A task that is running when Redis is lost is not cancelled: its step is committed, and when the task is
# delivered again, it finds that step.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

# Spark: sweeps, shrinks and large logs

SPARK_MASTER = env.str("EOSVIZ_SPARK_MASTER", "local[*]")

# Languages

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

# Uploads: large bodies are stored in the data folder, which other users cannot read, and not in the system's
# folder for temporary files

FILE_UPLOAD_TEMP_DIR = DATA_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
FILE_UPLOAD_HANDLERS = [
    "eosviz.replays.spool.GiveBody",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_NUMBER_FILES = 2_000  # a log has limits of its own, and the size of every body is limited

# Headers for browsers

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 365 * 24 * 3600  # an anonymous visitor's sessions are found only with this cookie
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
