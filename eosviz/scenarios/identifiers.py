"""A scenario's identifier in an address: the route converter `<scenario:…>`, which `apps.py` registers."""

from __future__ import annotations

from django.urls.converters import StringConverter


class ScenarioIdentifier(StringConverter):
    """Accepts the library's identifiers and those of published scenarios."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
