"""How often one caller may ask: the same rate with a burst for a socket's messages and for the HTTP API, and a
smaller one for the forms of the pages.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja.throttling import BaseThrottle

from eosviz.middleware import Middleware
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.limits import LIMITS

CALLERS_MAX = 10_000
"""Callers remembered per process; the one that asked longest ago goes first and then has its burst again."""
FORMS_PER_SECOND = 5
FORMS_BURST = 200
RETRY_SECONDS = 1
"""After it a caller who had nothing left may ask `messages_per_second` times."""


class Bucket:
    """Counts messages against a rate with a burst."""

    def __init__(self, per_second: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_second
        self.burst = burst
        self.now = now
        self.left = burst
        self.at = now()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self.now()
        self.left = min(self.burst, self.left + (now - self.at) * self.per_second)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Buckets:
    """One bucket for each caller, by name. The callers remembered are bounded."""

    def __init__(self, rate: Callable[[], tuple[float, float]], callers_max: int = CALLERS_MAX) -> None:
        """`rate`: what a new bucket may for long and at once."""
        self._rate = rate
        self._callers_max = callers_max
        self._guard = threading.Lock()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, caller: str) -> bool:
        with self._guard:
            bucket = self._buckets.get(caller)
            if bucket is None:
                bucket = self._buckets[caller] = Bucket(*self._rate())
            self._buckets.move_to_end(caller)
            while len(self._buckets) > self._callers_max:
                self._buckets.popitem(last=False)
            return bucket.take()

    @property
    def callers(self) -> list[str]:
        """Who asked longest ago comes first."""
        return list(self._buckets)

    def forget(self) -> None:
        """Everybody has the whole burst again."""
        with self._guard:
            self._buckets.clear()


def address_of(request: HttpRequest) -> str:
    """The caller's own, where the operator says how many proxies in front add to `X-Forwarded-For`; what a
    caller wrote there themselves stands further left and is not believed.
    """
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    told = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",")]
    address = told[-proxies] if 0 < proxies <= len(told) else ""
    return f"address {address or request.META.get('REMOTE_ADDR', '')}"


class CallerThrottle(BaseThrottle):
    """The HTTP API's bucket per browser; who has made nothing yet counts by address.

    Each web process counts for itself, as it does for its sockets.
    """

    def __init__(self) -> None:
        self.buckets = Buckets(lambda: (LIMITS.messages_per_second, LIMITS.messages_burst))

    def allow_request(self, request: HttpRequest) -> bool:
        return self.buckets.take(browser_of(request.session) or address_of(request))

    def wait(self) -> float:
        return RETRY_SECONDS


class AddressThrottle:
    """For work that is done for anybody, cookie or not: counted by address."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.buckets = Buckets(lambda: (per_second, burst))

    def take(self, request: HttpRequest) -> bool:
        return self.buckets.take(address_of(request))


class FormBudget(Middleware):
    """A page's forms make sessions, replays, accounts: each browser, or each address where nothing was made
    yet, may send some of them a second, after a burst in which a class behind one address can begin.

    The API counts for itself, with answers of its own.
    """

    reads = True

    def before(self, request: HttpRequest) -> HttpResponse | None:
        if request.method != "POST" or request.path.startswith("/api/"):
            return None
        if form_buckets.take(browser_of(request.session) or address_of(request)):
            return None
        response = render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response


api_throttle = CallerThrottle()
form_buckets = Buckets(lambda: (FORMS_PER_SECOND, FORMS_BURST))
