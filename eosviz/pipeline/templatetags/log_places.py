"""Places in logs, as pages word them."""

from __future__ import annotations

from typing import Any

from django import template

from eosviz.pipeline.kafka_logs.words import place_words

register = template.Library()


@register.filter
def placed(place: str) -> dict[str, Any]:
    """The place of evidence in a log, as a parameter of `say`."""
    return place_words(place)
