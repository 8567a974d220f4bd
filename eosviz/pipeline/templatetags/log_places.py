"""Template tags and filters for sentences about logs."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.catalogue import say as sentence
from eosviz.pipeline.kafka_logs.declared import OPTIONS
from eosviz.pipeline.kafka_logs.words import place_words

register = template.Library()

_VALUES = "|".join(sorted({value for value in OPTIONS.values() if value is not None}))
_OPTION = re.compile(rf"((?:{'|'.join(OPTIONS)})(?: (?:{_VALUES})\b)?)")
"""Matches an option of `manage.py logs` that states something about the copies, with its placeholder."""


@register.filter
def placed(place: str) -> dict[str, Any]:
    """The place of evidence in a log, as a sentence that `say` accepts as a parameter."""
    return place_words(place)


@register.simple_tag
def say_log(key: str, params: dict[str, Any]) -> SafeString:
    """Like `say`, for a page: each option of `manage.py logs` in the sentence is replaced by a link to the
    field with the same meaning on the page for opening a log."""
    language = language_of(get_language())
    page = reverse("replays:open_log")

    def field(option: str) -> SafeString:
        name = option.split()[0].strip("-")
        label = sentence(f"logs.field.{name.replace('-', '_')}", language)
        return format_html('<a href="{}#{}">{}</a>', page, name, label)

    parts = _OPTION.split(sentence(key, language, params))
    return format_html_join("", "{}", ((field(part) if number % 2 else conditional_escape(part),)
                                       for number, part in enumerate(parts)))  # fmt: skip
