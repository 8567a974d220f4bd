"""*What you have used*: one's quotas with what there is of each, and how often one may ask. For everybody, with an
account or without."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from eosviz import quotas
from eosviz.rates import rates
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.limits import LIMITS

NEARLY_FULL = 0.9
"""From this share on the bar has another colour."""


@never_cache
@require_safe
def used(request: HttpRequest) -> HttpResponse:
    owner = browser_of(request.session)
    context = {
        "quotas": [_row(quota, quota.used(owner)) for quota in quotas.TABLE],
        "rates": rates(),
        "limits": LIMITS,
    }
    return render(request, "accounts/used.html", context)


def _row(quota: quotas.Quota, count: int) -> dict[str, Any]:
    """Bytes as whole MiB, rounded up: what is there is seen."""
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
