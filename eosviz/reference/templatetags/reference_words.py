"""Template tags and filters of the reference pages."""

from collections.abc import Iterable

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from engine.explain.sentences import fill
from engine.pseudocode.documents import Line
from engine.scenario.document import title_of_variant
from engine.scenario.shelf import entry
from engine.scenario.tracks import Track
from eosviz.catalogue import language_of, words
from eosviz.reference.signatures import Signature

register = template.Library()


@register.simple_tag
def bare(key: str) -> SafeString:
    """`{% bare "broker.duplicate_found" %}`: the sentence of a key, with the names of its parameters in place
    of values. A missing key is shown in brackets."""
    known = words().get(key)
    if known is None:
        return conditional_escape(f"[{key}]")
    language = language_of(get_language())
    names = {name: f"‹{name}›" for name in known.slots(language)}
    return conditional_escape(fill(known.text(language), names))


@register.filter
def spoken(line: Line) -> str:
    """`{{ line|spoken }}`: a line of pseudocode in the language of the page."""
    return line.code(language_of(get_language()))


@register.filter
def of(table: dict[str, object], name: str) -> object:
    """`{{ homes|of:machine.name }}`: the value of a dict for a key; None if the key is missing."""
    return table.get(name)


@register.filter
def titles_of(name: str) -> list[dict[str, str]]:
    """`{{ "SC-58/elected-again"|titles_of }}`: the title of a run's scenario and, if the run is of a variant,
    the variant's title."""
    identifier, _, variant = name.partition("/")
    document = entry(identifier).document
    title = title_of_variant(document, variant)
    return [document["title"]] if title is None else [document["title"], title]


@register.filter
def tracks_of(signatures: Iterable[Signature]) -> list[Track]:
    """`{{ error.signatures|tracks_of }}`: the tracks that contain a run of any of the signatures, each
    once."""
    return list({track.name: track for one in signatures for track in one.tracks}.values())
