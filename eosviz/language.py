"""The language in the address: `?lang=en` or `?lang=zh-Hans` on any page, remembered from then on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse

PARAMETER = "lang"
YEAR_SECONDS = 365 * 24 * 3600


class LanguageInAddress:
    """Stands before Django's LocaleMiddleware, which reads the language from the cookie that is set here."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        code = asked_language(request)
        if code is not None:
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = code
        if self.is_async:
            return self._call_async(request, code)
        return _remembered(self.get_response(request), code)

    async def _call_async(self, request: HttpRequest, code: str | None) -> HttpResponse:
        return _remembered(await self.get_response(request), code)


def asked_language(request: HttpRequest) -> str | None:
    """Django's code of the language that the address names, or None."""
    asked = request.GET.get(PARAMETER, "").lower()
    return asked if asked in dict(settings.LANGUAGES) else None


def _remembered(response: HttpResponse, code: str | None) -> HttpResponse:
    # What needs no cookie gets none: pages that stand in a frame on another site say so by this mark.
    if code is not None and not getattr(response, "without_cookies", False):
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=YEAR_SECONDS, samesite="Lax")
    return response
