"""A scenario's name where it stands in an address: `<scenario:…>` of the routes, which `apps.py` makes known."""

from __future__ import annotations

from django.urls.converters import StringConverter


class ScenarioIdentifier(StringConverter):
    """The library's and whatever can be published."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
