"""Happenings of requests that a rule refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.happenings.base import Happening, happening
from engine.happenings.codes import Next
from engine.rules import Rule


@happening
class RequestRefused(Happening):
    """A rule refused a request. ``facts``: the values that the rule shows (``Rule.says``) and compares, by
    name. ``then``: what the sender does next; None: what ``Rule.then`` says."""

    rule: Rule[Any]
    facts: Mapping[str, Any]
    then: Next | None = None
