"""`{% say "library.title" count=3 %}`: a sentence of the catalogue in the language of the page."""

from typing import Any

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.catalogue import say as sentence

register = template.Library()


@register.simple_tag
def say(key: str, params: dict[str, Any] | None = None, /, **named: Any) -> SafeString:
    """Parameters by name, or a whole dict of them. The result is escaped: a parameter may hold anybody's
    text.
    """
    return conditional_escape(sentence(key, language_of(get_language()), {**(params or {}), **named}))


@register.filter
def in_language(words: dict[str, str] | None) -> str:
    """The text of a bilingual value (`{"en": …, "zh-Hans": …}`) in the language of the page."""
    return (words or {}).get(language_of(get_language()), "")
