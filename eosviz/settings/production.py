"""The settings of a public server behind TLS. SECRET_KEY and EOSVIZ_ALLOWED_HOSTS must be set;
docs/operating.md describes them."""

from django.core.exceptions import ImproperlyConfigured

from eosviz.settings.base import *  # noqa: F403
from eosviz.settings.base import env

for _name, _example in (
    ("SECRET_KEY", "64 random characters"),
    ("EOSVIZ_ALLOWED_HOSTS", "eosviz.example.org"),
):
    if not env.str(_name, ""):
        raise ImproperlyConfigured(f"set {_name} (for example: {_example}); production has no default for it")

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|livez|metrics)$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
# Only the operator knows whether all subdomains use TLS, so Django's checks of these two settings are
# silenced.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("EOSVIZ_HSTS_SUBDOMAINS", False)
SECURE_HSTS_PRELOAD = env.bool("EOSVIZ_HSTS_PRELOAD", False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # The name of a static file contains a digest of its content, so a cache may keep it for ever.
    "staticfiles": {"BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"},
}
