"""The reader's time zone, which a cookie names and in which pages show and read times. Without the cookie it
is UTC."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils import timezone

from eosviz.middleware import Middleware

COOKIE = "time_zone"
_NAME = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


class ReaderTimeZone(Middleware):
    def before(self, request: HttpRequest) -> None:
        zone = zone_named(request.COOKIES.get(COOKIE, ""))
        if zone is None:
            timezone.deactivate()
        else:
            timezone.activate(zone)


def zone_named(name: str) -> ZoneInfo | None:
    """The zone with this IANA name; None if there is none. Names come from cookies and forms, so they may be
    anything."""
    if not _NAME.fullmatch(name) or name not in _known():
        return None
    return ZoneInfo(name)


@cache
def _known() -> frozenset[str]:
    return frozenset(available_timezones())


def difference_to_utc(at: datetime) -> str:
    """`UTC`, `UTC+8` or `UTC+5:30`: the difference between the reader's zone and UTC at this time."""
    offset = timezone.localtime(at).utcoffset()
    minutes = 0 if offset is None else round(offset.total_seconds() / 60)
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else '−'}{hours}{f':{rest:02}' if rest else ''}"
