"""The language that an address names, `?lang=en` or `?lang=zh-Hans`, which is then stored in a cookie; and
the catalogue's texts in the language of the request."""

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
    """Puts the language of the address into the cookie. Runs before Django's LocaleMiddleware, which reads
    this cookie."""

    def before(self, request: HttpRequest) -> None:
        code = asked_language(request)
        if code is not None:
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = code

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        code = asked_language(request)
        # Pages that may be in a frame of another site get no cookie. They are marked with `without_cookies`.
        if code is not None and not getattr(response, "without_cookies", False):
            response.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=YEAR_SECONDS, samesite="Lax")
        return response


def asked_language(request: HttpRequest) -> str | None:
    """The language that the address names, as Django's code; None if the address names none or an unknown
    one."""
    asked = request.GET.get(PARAMETER, "").lower()
    return asked if asked in dict(settings.LANGUAGES) else None


def say_here(key: str, **params: Any) -> str:
    """The text of a key in the language that Django has activated."""
    return say(key, language_of(get_language()), params)
