"""Limits how often a person or a network address may do something. `RATED` says which request counts against
which rate of `settings.RATES`, and which form its refusal has.

`eosviz/buckets.py` does the counting. The code behind pages, JSON and sockets raises the same `TooOften`,
which says what was done too often, for whom this is counted, and when to try again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from eosviz.buckets import Rate, buckets
from eosviz.callers import address_of, caller_of
from eosviz.middleware import Middleware
from eosviz.refusal_pages import refusal_json, refusal_page, with_wait
from eosviz.refusals import Problem

LEASES = {"messages.person": 30, "messages.page": 30, "calls.person": 30}
"""For the most frequent rates: dict of name of a rate → how many tokens a process takes from Redis at
once."""
STRICT = "wrong_password."
"""The beginning of the names of the rates for wrong passwords. They are strict: while Redis is down nothing
is granted, because processes that count separately would permit more guesses."""
MINUTES_FROM_SECONDS = 120
"""A wait of at least this many seconds is stated in minutes."""


def rate_of(name: str) -> Rate:
    """The rate with this name, which has the form `what.whom` and is in `settings.RATES`."""
    most, seconds = settings.RATES[name]
    return Rate(name, most, seconds, LEASES.get(name, 0), name.startswith(STRICT))


class TooOften(Problem):
    """Something was done too often. `params`: `most`, how often it may be done at once; `seconds`, the time
    after which it may be done so often again; `per_second`; `wait`, the seconds until the next try, at least
    1; `minutes` and `wait_minutes`, the same times in minutes, rounded up."""

    def __init__(self, rate: Rate, wait: float) -> None:
        self.wait_seconds: int = max(math.ceil(wait), 1)
        super().__init__(
            "too_frequent",
            f"too_often.{rate.name}",
            most=rate.most,
            seconds=int(rate.seconds),
            minutes=math.ceil(rate.seconds / 60),
            per_second=math.floor(rate.most / rate.seconds),
            wait=self.wait_seconds,
            wait_minutes=math.ceil(self.wait_seconds / 60),
        )

    @property
    def remedy_key(self) -> str:
        unit = "minutes" if self.wait_seconds >= MINUTES_FROM_SECONDS else "seconds"
        return f"problem.too_often.wait_{unit}"


def take(name: str, caller: str, cost: int = 1) -> None:
    """Take `cost` tokens of the rate. Raises TooOften if there are not so many and, for a strict rate while
    Redis is down, RedisError."""
    rate = rate_of(name)
    _granted(rate, buckets.take(rate, caller, cost))


def check(name: str, caller: str, cost: int = 1) -> None:
    """Raises what `take` would raise, and takes no tokens."""
    rate = rate_of(name)
    _granted(rate, buckets.wait(rate, caller, cost))


async def take_soon(name: str, caller: str, cost: int = 1) -> None:
    """Like `take`, for code on an event loop."""
    rate = rate_of(name)
    _granted(rate, await buckets.take_soon(rate, caller, cost))


def _granted(rate: Rate, wait: float) -> None:
    if wait:
        raise TooOften(rate, wait)


def take_for(what: str, request: HttpRequest) -> None:
    """Take a token of the person or, if the person has no key, of the network address. Raises TooOften."""
    whom, caller = caller_of(request)
    take(f"{what}.{whom}", caller)


Says = Literal["page", "json", "message"]


@dataclass(frozen=True, slots=True)
class Rated:
    """How requests to a route are counted. `what`: the first part of the rate's name. `says`: the form of a
    refusal. `reads`: whether GET requests count, too. `whom`: `address` to count for the network address;
    empty to count for the person or, without a key, for the network address."""

    what: str
    says: Says = "page"
    reads: bool = False
    whom: Literal["", "address"] = ""


RATED: dict[str, Rated] = {
    "walkthroughs:new": Rated("create"),
    "walkthroughs:compare_new": Rated("create"),
    "walkthroughs:open": Rated("create"),
    "tracks:begin": Rated("create"),
    "tracks:finish": Rated("create"),
    "classroom:make": Rated("create"),
    "classroom:begin": Rated("create"),
    "workshop:make": Rated("create"),
    "workshop:fork": Rated("create"),
    "workshop:from_branch": Rated("create"),
    "workshop:from_case": Rated("create"),
    "workshop:from_shrink": Rated("create"),
    "workshop:start": Rated("create"),
    "workshop:try_out": Rated("create"),
    "pipeline:build": Rated("create"),
    "pipeline:open": Rated("create"),
    "pipeline:shrink_new": Rated("create"),
    "pipeline:shrink_open": Rated("create"),
    # the API's name for this route, whatever the method
    "api:list_sessions": Rated("create", says="message"),
    "replays:import": Rated("import"),
    "replays:open_log": Rated("import"),
    "workshop:import": Rated("import"),
    "replays:export": Rated("export", reads=True),
    "replays:export_begin": Rated("export", says="json"),
    "replays:replay_export": Rated("export", says="json"),
    "replays:log_bundle": Rated("export", reads=True),
    "workshop:export": Rated("export", reads=True),
    "workshop:export_draft": Rated("export", reads=True),
    "classroom:results_csv": Rated("export", reads=True),
    "pipeline:csv": Rated("export", reads=True),
    "pipeline:png": Rated("export", reads=True),
    "pipeline:shrink_toml": Rated("export", reads=True),
    "accounts:download": Rated("download_everything"),
    "accounts:delete": Rated("confirm"),
    "classroom:join": Rated("join_class"),
    "account_signup": Rated("sign_up", whom="address"),
    "account_login": Rated("sign_in", whom="address"),
    "account_reset_password": Rated("mail", whom="address"),
    "account_email": Rated("mail", whom="address"),
    "account_reset_password_from_key": Rated("sign_in", whom="address"),
    "account_change_password": Rated("confirm"),
    "account_reauthenticate": Rated("confirm"),
}
"""Dict of name of a route → how its requests are counted."""


class RatedAddresses(Middleware):
    """Answers 429 with Retry-After if a request exceeds a rate; the view is not called."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        rated = RATED.get(match.view_name) if match is not None else None
        is_api = request.path.startswith("/api/")
        try:
            if is_api:
                take_for("calls", request)
            elif request.method == "POST":
                take_for("forms", request)
            if rated is None or (request.method in ("GET", "HEAD", "OPTIONS") and not rated.reads):
                return None
            if rated.whom:
                take(f"{rated.what}.{rated.whom}", address_of(request))
            else:
                take_for(rated.what, request)
        except TooOften as refused:
            return too_often(
                request, refused, "message" if is_api else rated.says if rated is not None else "page"
            )
        return None


def too_often(request: HttpRequest, refused: TooOften, says: Says = "page", **shown: Any) -> HttpResponse:
    """The refusal as a response. `shown`: more context for its page."""
    if says == "page":
        return refusal_page(request, "429.html", refused, shown)
    if says == "json":
        return refusal_json(refused)
    message = msgspec.json.encode(refused.message(None))
    response = HttpResponse(message, content_type="application/json", status=refused.status)
    return with_wait(response, refused)
