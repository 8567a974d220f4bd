"""Limits how often a person or an address may do something: which request counts against which rate of
`settings.RATES`, and how it is refused.

`eosviz/buckets.py` counts. The code behind pages, JSON and sockets raises the same `TooOften`, which says what was
done too often, for whom this is counted, and when to try again.
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
"""Name of a rate → how many tokens a process takes from Redis at once, for the most frequent rates."""
STRICT = "wrong_password."
"""The prefix of the rates for wrong passwords. While Redis is down they grant nothing, because processes that
count separately would together allow more guesses."""
MINUTES_FROM_SECONDS = 120
"""Waits of this length and longer are stated in minutes."""


def rate_of(name: str) -> Rate:
    """The rate with the name `what.whom`, one of `settings.RATES`."""
    most, seconds = settings.RATES[name]
    return Rate(name, most, seconds, LEASES.get(name, 0), name.startswith(STRICT))


class TooOften(Problem):
    """Something was done too often. `params`: `most` at once, which refill within `seconds`; `per_second`;
    `wait`, the seconds until the next try, at least 1."""

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
    """Take `cost` tokens. Raises TooOften, and for a strict rate RedisError while Redis is down."""
    rate = rate_of(name)
    _granted(rate, buckets.take(rate, caller, cost))


def check(name: str, caller: str, cost: int = 1) -> None:
    """Raises what `take` would raise, and takes nothing."""
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
    """Take a token for the person, or for the address if they have no key. Raises TooOften."""
    whom, caller = caller_of(request)
    take(f"{what}.{whom}", caller)


Says = Literal["page", "json", "message"]


@dataclass(frozen=True, slots=True)
class Rated:
    """How requests to a route are counted. `says`: the form of a refusal. `reads`: whether a GET counts too.
    `whom`: `address` counts for the network address; empty for the person."""

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
    # the API's route name for this address, whatever the method
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
"""Name of a route → how its requests are counted."""


class RatedAddresses(Middleware):
    """Answers a request beyond one of its rates with 429 and Retry-After. Then no view is called."""

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
    """The refusal as a response. `shown`: further context of its page."""
    if says == "page":
        return refusal_page(request, "429.html", refused, shown)
    if says == "json":
        return refusal_json(refused)
    message = msgspec.json.encode(refused.message(None))
    response = HttpResponse(message, content_type="application/json", status=refused.status)
    return with_wait(response, refused)
