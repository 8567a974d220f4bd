"""The language in the address, `?lang=en` or `?lang=zh-Hans`, which a cookie remembers; and the catalogue's
sentences in the language of the request."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from eosviz.catalogue import language_of, say
from eosviz.middleware import Middleware

PARAMETER = "lang"
YEAR_SECONDS = 365 * 24 * 3600


class LanguageInAddress(Middleware):
    """Runs before Django's LocaleMiddleware, which reads the cookie that is set here."""

    def before(self, request: HttpRequest) -> None:
        code = asked_language(request)
        if code is not None:
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = code

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        code = asked_language(request)
        # Pages that may be in a frame on another site get no cookie; the mark `without_cookies` says so.
        if code is not None and not getattr(response, "without_cookies", False):
            response.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=YEAR_SECONDS, samesite="Lax")
        return response


def asked_language(request: HttpRequest) -> str | None:
    """Django's code of the language that the address names; None if it names none or an unknown one."""
    asked = request.GET.get(PARAMETER, "").lower()
    return asked if asked in dict(settings.LANGUAGES) else None


def say_here(key: str, **params: Any) -> str:
    """The catalogue's sentence in the language that is active now."""
    return say(key, language_of(get_language()), params)
