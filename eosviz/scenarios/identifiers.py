"""What a scenario is called where it stands in an address: `<scenario:…>` of the routes."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter


class ScenarioIdentifier(StringConverter):
    """The library's and whatever can be published."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]{0,39}"


register_converter(ScenarioIdentifier, "scenario")
