"""The base class of the site's middlewares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse


class Middleware:
    """A middleware with a hook before the view, a hook after it, or both. Django calls `before` and `after`
    in a thread or on the event loop, so they may not use the database or the session."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        """`get_response`: returns a response or, if it is a coroutine function, an awaitable of one."""
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def before(self, request: HttpRequest) -> HttpResponse | None:
        """Called before the view. If this returns a response, the view is not called."""
        return None

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        return response

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        if self.is_async:
            return self._call_async(request)
        response = self.before(request)
        return self.after(request, self.get_response(request) if response is None else response)

    async def _call_async(self, request: HttpRequest) -> HttpResponse:
        response = self.before(request)
        return self.after(request, await self.get_response(request) if response is None else response)
