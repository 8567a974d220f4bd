"""What happens to requests that a rule refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.happenings.base import Happening, happening
from engine.rules import Rule


@happening
class RequestRefused(Happening):
    """``facts``: what the rule names (``Rule.says``) and compares, by name."""

    rule: Rule[Any]
    facts: Mapping[str, Any]
