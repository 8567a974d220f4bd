"""The page *Your usage*: how much of each quota a person has used, and how often a person may do each limited
thing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from eosviz import quotas
from eosviz.browser import browser_of

NEARLY_FULL = 0.9
"""From this used share of a quota on, its bar has another colour."""
WHOM = ("person", "address")
LEFT_OUT = ("wrong_password",)
"""The first words of the names of rates that the page does not show: those rates limit guesses at a password.
A refused guess states its rate."""


@never_cache
@require_safe
def used(request: HttpRequest) -> HttpResponse:
    owner = browser_of(request.session)
    context = {
        "quotas": [_row(quota, quota.used(owner)) for quota in quotas.TABLE],
        "rates": [_rate(what) for what in _shown_rates()],
    }
    return render(request, "accounts/used.html", context)


def _shown_rates() -> list[str]:
    """The names of the rates that count by person or address, without LEFT_OUT."""
    counted = [name.partition(".") for name in settings.RATES]
    return list(dict.fromkeys(what for what, _, whom in counted if whom in WHOM and what not in LEFT_OUT))


def _rate(what: str) -> dict[str, Any]:
    """A row of the table of rates, with the limit for `everyone`, or with the limits for a `person` and for a
    network `address`."""
    person, address = (_numbers(f"{what}.{whom}") for whom in WHOM)
    if person is None:
        return {"key": f"rates.{what}", "everyone": address}
    return {"key": f"rates.{what}", "person": person, "address": address}


def _numbers(name: str) -> dict[str, Any] | None:
    if name not in settings.RATES:
        return None
    most, seconds = settings.RATES[name]
    if seconds % 60:
        return {"key": "quotas.rates.soon", "params": {"most": most, "seconds": seconds}}
    return {"key": "quotas.rates.in", "params": {"most": most, "minutes": seconds // 60}}


def _row(quota: quotas.Quota, count: int) -> dict[str, Any]:
    """A row of the table of quotas. Bytes are shown in MiB, rounded up."""
    unit = quotas.MEBIBYTE if quota.in_bytes else 1
    most = quota.most // unit
    return {
        "key": quota.key,
        "address": reverse(quota.page),
        "used": -(-count // unit),
        "most": most,
        "high": int(most * NEARLY_FULL),
        "in_bytes": quota.in_bytes,
    }
