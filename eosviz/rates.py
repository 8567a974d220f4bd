"""How often one person may ask for what costs much: one table of addresses, one place that counts.

The count is kept in Redis, for all web processes together, in stretches of the clock: a stretch of ten minutes begins
at :00, :10 and so on, so at its edge somebody may ask twice as often for a moment, and everybody can be told when the
next one begins. While Redis is away nobody is counted; nothing can be stepped then either.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from redis.exceptions import RedisError

from eosviz.middleware import Middleware
from eosviz.walkthroughs import messages
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.budget import address_of
from eosviz.walkthroughs.messages import Problem

logger = logging.getLogger(__name__)

now = time.time


@dataclass(frozen=True, slots=True)
class Rate:
    """`person` and `address`: how often in `seconds` one person may, and all together who come from one address and
    have nothing of their own yet."""

    name: str
    person: int
    address: int
    seconds: int

    @property
    def key(self) -> str:
        return f"rates.{self.name}"

    @property
    def minutes(self) -> int:
        return self.seconds // 60


@dataclass(frozen=True, slots=True)
class Rated:
    """An address that is counted. `says`: how its callers read a refusal. `reads`: a GET costs as much."""

    rate: str
    says: Literal["page", "told", "message"] = "page"
    reads: bool = False


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
    "api:list_sessions": Rated(
        "create", says="message"
    ),  # the API's name for this address, whatever the method
    "replays:import": Rated("import"),
    "replays:open_log": Rated("import"),
    "workshop:import": Rated("import"),
    "replays:export": Rated("export", reads=True),
    "replays:export_begin": Rated("export", says="told"),
    "replays:replay_export": Rated("export", says="told"),
    "replays:log_bundle": Rated("export", reads=True),
    "workshop:export": Rated("export", reads=True),
    "workshop:export_draft": Rated("export", reads=True),
    "classroom:results_csv": Rated("export", reads=True),
    "pipeline:csv": Rated("export", reads=True),
    "pipeline:png": Rated("export", reads=True),
    "pipeline:shrink_toml": Rated("export", reads=True),
    "accounts:download": Rated("download_everything"),
    "classroom:join": Rated("join_class"),
}
"""Name of an address to what it counts as."""


def rates() -> list[Rate]:
    """Every one, in the order of the settings."""
    return [Rate(name, *numbers) for name, numbers in settings.RATES.items()]


def rate_of(name: str) -> Rate:
    return Rate(name, *settings.RATES[name])


def take(rate: Rate, request: HttpRequest) -> int | None:
    """Count one more. None where it is allowed, else the seconds until somebody may ask again."""
    person = browser_of(request.session)
    most = rate.person if person else rate.address
    stretch, into = divmod(now(), rate.seconds)
    # A person's key opens what they have: it stands in no cache.
    caller = hashlib.sha256((person or address_of(request)).encode()).hexdigest()[:32]
    key = f"rate:{rate.name}:{int(stretch)}:{caller}"
    try:
        cache.add(key, 0, timeout=rate.seconds)
        asked = cache.incr(key)
    except RedisError as error:
        logger.warning("%s is not counted: %r", rate.name, error)
        return None
    except ValueError:  # the stretch ended between the two
        return None
    return math.ceil(rate.seconds - into) if asked > most else None


class RatedAddresses(Middleware):
    """Answers 429 where somebody asks too often, and says when to ask again. No view is asked then."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        rated = RATED.get(match.view_name) if match is not None else None
        if rated is None or (request.method in ("GET", "HEAD", "OPTIONS") and not rated.reads):
            return None
        rate = rate_of(rated.rate)
        seconds = take(rate, request)
        return None if seconds is None else _refuse(request, rated, rate, seconds)


def _refuse(request: HttpRequest, rated: Rated, rate: Rate, seconds: int) -> HttpResponse:
    params = {"minutes": rate.minutes, "wait": math.ceil(seconds / 60)}
    params["most"] = rate.person if browser_of(request.session) else rate.address
    problem = Problem("too_frequent", f"too_often_{rate.name}", **params)
    response: HttpResponse
    if rated.says == "page":
        context = {"problem": problem}
        response = render(request, "429.html", context, status=HTTPStatus.TOO_MANY_REQUESTS)
    elif rated.says == "told":
        told = {"key": problem.key, "params": problem.params}
        response = JsonResponse(told, status=HTTPStatus.TOO_MANY_REQUESTS)
    else:
        response = HttpResponse(
            messages.encode(problem.message(None)),
            content_type="application/json",
            status=HTTPStatus.TOO_MANY_REQUESTS,
        )
    response["Retry-After"] = str(seconds)
    return response
