"""Settings of accounts and of mail. docs/operating.md describes each environment variable."""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = ["eosviz.accounts.hashing.PasswordHasher"]
SESSION_ENGINE = "eosviz.accounts.sessions"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/account/"
LOGOUT_REDIRECT_URL = "/"

# Until EOSVIZ_EMAIL_URL names a mail server, mails are stored as files for the operator. They are not logged,
# because more people may read a log.

EMAIL_URL = env.str("EOSVIZ_EMAIL_URL", "")
_mail: dict[str, Any] = env.email_url_config(EMAIL_URL or "consolemail://")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"] if EMAIL_URL else "eosviz.operating.mail_files.MailFiles"
EMAIL_HOST = _mail.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = _mail.get("EMAIL_PORT") or 25
EMAIL_HOST_USER = _mail.get("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = _mail.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS = bool(_mail.get("EMAIL_USE_TLS", False))
EMAIL_USE_SSL = bool(_mail.get("EMAIL_USE_SSL", False))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("EOSVIZ_EMAIL_FROM", "eosviz@localhost")

SIGN_UP_OPEN = env.bool("EOSVIZ_SIGN_UP", True)
ACCOUNT_ADAPTER = "eosviz.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "eosviz.accounts.forms.NameAtSignUp"
# Without mail no one can prove that an address is theirs; with mail everyone must.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[eosviz] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = None  # the form asks, so that a shared computer need not remember the account
# the browser in which the password was changed stays signed in; all others are signed out
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_USER_DISPLAY = "eosviz.accounts.forms.called"
# eosviz/rates.py counts sign-ups and sign-ins, and accounts/password_limits.py counts wrong passwords.
# allauth's own counts do not cover sockets or known browsers, and one of them stores a list of all attempts.
ACCOUNT_RATE_LIMITS = False
ACCOUNT_FORMS = {
    "signup": "eosviz.accounts.sign_up.SignUp",
    "login": "eosviz.accounts.sign_up.SignIn",
    "add_email": "eosviz.accounts.sign_up.AddAddress",
}
# Behind a proxy every request comes from the proxy's address. This is the number of proxies that are trusted
# to append the caller's address to a header.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("EOSVIZ_TRUSTED_PROXIES", 0)

# Signing in with another site's account

_SITES = {
    "github": ("allauth.socialaccount.providers.github", "https://github.com"),
    "google": ("allauth.socialaccount.providers.google", "https://accounts.google.com"),
    "openid_connect": ("allauth.socialaccount.providers.openid_connect", ""),
}
SIGN_IN_WITH = env.list("EOSVIZ_SIGN_IN_WITH", default=[])
SIGN_IN_ORIGINS: list[str] = []
"""The origins of sites to which a form may redirect, for the Content-Security-Policy."""
SOCIAL_APPS: list[str] = []
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
SOCIALACCOUNT_ADAPTER = "eosviz.accounts.social.SocialAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # another site may claim any address
SOCIALACCOUNT_STORE_TOKENS = False


def _required(name: str) -> str:
    value: str = env.str(name, "")
    if not value:
        raise ImproperlyConfigured(f"set {name}: EOSVIZ_SIGN_IN_WITH asks for it (docs/operating.md)")
    return value


for _site in SIGN_IN_WITH:
    if _site not in _SITES:
        raise ImproperlyConfigured(f"EOSVIZ_SIGN_IN_WITH: {_site} is unknown; known: {', '.join(_SITES)}")
    _module, _origin = _SITES[_site]
    _upper = _site.upper()
    _app: dict[str, Any] = {
        "client_id": _required(f"EOSVIZ_{_upper}_ID"),
        "secret": _required(f"EOSVIZ_{_upper}_SECRET"),
    }
    if _site == "openid_connect":
        _origin = _required("EOSVIZ_OPENID_CONNECT_ORIGIN")
        _app |= {
            "provider_id": "school",
            "name": env.str("EOSVIZ_OPENID_CONNECT_NAME", "OpenID Connect"),
            "settings": {"server_url": _required("EOSVIZ_OPENID_CONNECT_URL")},
        }
    SOCIAL_APPS.append(_module)
    SIGN_IN_ORIGINS.append(_origin)
    SOCIALACCOUNT_PROVIDERS[_site] = {"APPS": [_app]}
if SOCIAL_APPS:
    SOCIAL_APPS.insert(0, "allauth.socialaccount")
