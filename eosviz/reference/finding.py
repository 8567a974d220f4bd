"""Search over scenarios, errors, terms and rules, in both languages: an index in memory, made once.

Everything there is to find comes with the program, so no database is asked and every database will do.
An entry is found when each word of the question begins a word in it, whichever language it is in: *LSO* does not find
*also*. An abbreviation that the list of terms explains finds its long form, too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from engine.explain import LANGUAGES
from engine.scenario import library
from eosviz.catalogue import say
from eosviz.reference import tables
from eosviz.reference.signatures import signatures

KINDS = ("scenario", "error", "signature", "term", "requirement")
EXCERPT = 160
"""Letters of an entry's text that are shown around what was found."""
CUT = 16
"""Letters that are left out at an end of it so that no word is cut."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be found. ``title`` and ``text``: language to words."""

    kind: str
    identifier: str
    title: dict[str, str]
    text: dict[str, str]
    heads: str
    """Identifier and titles as they are compared."""
    whole: str
    """All words as they are compared."""


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    identifier: str
    title: str
    excerpt: str


def find(question: str, language: str) -> dict[str, list[Found]]:
    """Kind to what was found, best first: the words in its name, then the words in its text."""
    wanted = [_pattern(word) for word in plain(question).split()]
    found: dict[str, list[Found]] = {kind: [] for kind in KINDS}
    if not wanted:
        return found
    ranked = [
        (sum(word.search(entry.heads) is None for word in wanted), order, entry)
        for order, entry in enumerate(entries())
        if all(word.search(entry.whole) for word in wanted)
    ]
    for _, _, entry in sorted(ranked, key=lambda row: row[:2]):
        text = entry.text[language]
        found[entry.kind].append(
            Found(entry.kind, entry.identifier, entry.title[language], excerpt(text, wanted))
        )
    return found


def plain(text: str) -> str:
    """As texts are compared: full-width letters as narrow ones, capitals as small ones."""
    return unicodedata.normalize("NFKC", text).casefold()


def _pattern(word: str) -> re.Pattern[str]:
    """Where a word of the question stands. Chinese has no gaps between words, so there it may stand anywhere."""
    forms = [word, *_long_forms().get(word, ())]
    return re.compile("|".join(rf"(?<![a-z0-9]){re.escape(one)}" for one in forms))


@cache
def _long_forms() -> dict[str, tuple[str, ...]]:
    """Abbreviation to what it stands for: a term is called *last stable offset (LSO)* in each language."""
    found: dict[str, tuple[str, ...]] = {}
    for term in tables.terms():
        for name in _said(term.key).values():
            titled = re.fullmatch(r"(.+?) ?\(([a-z]+)\)", plain(name))
            if titled is not None:
                found[titled[2]] = (*found.get(titled[2], ()), titled[1])
    return found


def excerpt(text: str, wanted: list[re.Pattern[str]]) -> str:
    """The part of a text that holds the first of the words; its beginning when none of them stands there."""
    if len(text) <= EXCERPT:
        return text
    places = [place.start() for word in wanted if (place := word.search(text.casefold())) is not None]
    start = max(0, min(places, default=0) - EXCERPT // 3)
    end = start + EXCERPT
    if start and (space := text.find(" ", start, start + CUT)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - CUT, end)) >= 0:
        end = space
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


@cache
def entries() -> tuple[Entry, ...]:
    """Everything, in the order of the pages that show it."""
    return (*_scenarios(), *_errors(), *_signatures(), *_terms(), *_requirements())


def _entry(kind: str, identifier: str, title: dict[str, str], text: dict[str, str], more: str = "") -> Entry:
    heads = plain(" ".join([identifier, *title.values()]))
    return Entry(kind, identifier, title, text, heads, plain(" ".join([heads, *text.values(), more])))


def _said(*keys: str) -> dict[str, str]:
    return {language: " ".join(say(key, language) for key in keys) for language in LANGUAGES}


def _scenarios() -> list[Entry]:
    found = []
    for scenario in library():
        document = scenario.document
        parts = [
            words
            for name in ("summary", "watch_for", "lesson")
            if isinstance(words := document.get(name), dict)
        ]
        text = {language: " ".join(part.get(language, "") for part in parts) for language in LANGUAGES}
        more = " ".join(document.get("covers", ()))
        found.append(_entry("scenario", scenario.id, document["title"], text, more))
    return found


def _errors() -> list[Entry]:
    return [
        _entry(
            "error",
            error.name,
            dict.fromkeys(LANGUAGES, error.name),
            _said(*(key for _, key in error.keys), error.outcome_key),
            str(error.code),
        )
        for error in tables.errors()
    ]


def _signatures() -> list[Entry]:
    found = []
    for one in signatures():
        text = {language: " ".join(part[language] for _, part in one.told) for language in LANGUAGES}
        more = " ".join((*one.issues, *one.errors, *one.signs))
        found.append(_entry("signature", one.name, one.title, text, more))
    return found


def _terms() -> list[Entry]:
    return [_entry("term", term.name, _said(term.key), _said(term.what)) for term in tables.terms()]


def _requirements() -> list[Entry]:
    return [
        _entry("requirement", name, dict.fromkeys(LANGUAGES, name), _said(tables.REQUIREMENT + name))
        for name in tables.requirements()
    ]
