"""Template tags and filters for the pages of sweeps."""

from pathlib import Path

from django import template
from django.conf import settings

from eosviz.launch.storage import Level, room_in

register = template.Library()


@register.simple_tag
def server_has_no_room() -> bool:
    """Whether the server cannot store anything, so that sweeps wait for space."""
    return room_in(Path(settings.DATA_DIR)).level is Level.NONE


@register.filter
def percent(share: float) -> str:
    """The share as text: 0.034 as `3.4 %`, 0.34 as `34 %`."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < value < 10 else f"{value:.0f} %"


@register.filter
def short(value: float) -> str:
    """A number as text: a whole number without decimals, any other one with three significant digits."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"


@register.filter
def at(table: dict[str, object], key: str) -> object:
    """The value of a dict under a key; None if the key is missing."""
    return table.get(key)
