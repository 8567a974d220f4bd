"""Every page of the site in an invented language (`pseudo.py`) has no English word left, and in Chinese it has no
English punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.template.autoreload import reset_loaders
from django.test import Client

import eosviz.catalogue as catalogue
from engine.explain.machines import machines
from engine.explain.sentences import Sentence
from engine.pseudocode.documents import components
from eosviz.reference import search_index
from eosviz.scenarios.templatetags import words as word_tags
from tests.words.pseudo import pseudo, untranslated
from tests.words.table import HAN as CHINESE

pytestmark = pytest.mark.django_db

PAGES = [
    "/",
    "/library/",
    "/library/?breaks=hanging&topic=x1",
    "/sessions/",
    "/sessions/new?scenario=SC-58",
    "/compare/",
    "/replays/import",
    "/replays/log",
    "/pipeline/",
    "/tracks/",
    "/workshop/",
    "/tracks/exactly-once/",
    "/reference/",
    "/reference/machines/",
    "/reference/code/",
    "/reference/errors/",
    "/reference/signatures/",
    "/reference/versions/",
    "/reference/requirements/",
    "/reference/requirements/SEQ-11",
    "/reference/contradictions/",
    "/reference/middleware/",
    "/reference/terms/",
    "/reference/limits/",
    "/search/",
    "/search/?q=3141592",
    "/nowhere",
]
NAMES = frozenset({"eosviz", "Kafka"})


def names_in_tables() -> frozenset[str]:
    """Return the names that the engine's machines give states and events, and the names of Kafka's classes and
    methods.
    """
    found = set()
    for machine in machines().values():
        found |= {machine.name, *machine.states, *machine.events}
    for component in components().values():
        found |= set(re.findall(r"[\w.]+", component.kafka))
    for known in catalogue.words().values():
        found |= set(re.findall(r"[\w.]+", known.source or ""))
    return NAMES | found


_SAID = ("title", "placeholder", "aria-label", "alt", "content")


INLINE = ("a", "b", "strong", "em", "i", "small", "span", "code", "kbd", "time", "abbr", "q", "bdi")
HALF_WIDTH = re.compile(rf".{{0,30}}(?:{CHINESE}[,:;!?(]|[,:;!?)] ?{CHINESE}).{{0,30}}")
CALL = re.compile(r"[A-Za-z_.]+\([A-Za-z_, ]*\)")
"""The brackets of a call such as `close()` belong to its programming language."""


class Words(HTMLParser):
    """Collects the texts of a page and of its attributes, without code and without parts that are marked as another
    language.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.whole = [""]
        """The page's text in pieces; pieces that no block element separates form one."""
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in INLINE:
            self.whole.append("")
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.append(tag)
            return
        if tag in ("script", "style", "code", "kbd", "pre") or ("lang" in given and tag != "html"):
            self._silent.append(tag)
            return
        self.texts += [given[name] or "" for name in _SAID if name in given and tag != "meta"]

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
        # Names in code are read, too.
        if not {"script", "style"} & set(self._silent):
            self.whole[-1] += data


@pytest.fixture
def nobodys_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    text = Sentence.text
    monkeypatch.setattr(Sentence, "text", lambda sentence, language: pseudo(text(sentence, language)))
    in_language = word_tags.in_language
    monkeypatch.setitem(word_tags.register.filters, "in_language", lambda words: pseudo(in_language(words)))
    forget_what_was_said()
    yield
    forget_what_was_said()


def forget_what_was_said() -> None:
    """Clear what was kept in another language: templates with the filters that they were compiled with, and the texts
    of the search.
    """
    reset_loaders()
    search_index.entries.cache_clear()
    search_index.known_entries.cache_clear()
    catalogue.catalogue_file.cache_clear()


@pytest.mark.parametrize("address", PAGES)
def test_a_page_says_nothing_outside_the_catalogue(
    client: Client, nobodys_language: None, address: str
) -> None:
    page = Words()
    page.feed(client.get(address).content.decode())
    assert untranslated(page.texts, names_in_tables()) == []


@pytest.mark.parametrize("address", PAGES)
def test_a_page_in_chinese_joins_its_words_with_chinese_marks(client: Client, address: str) -> None:
    page = Words()
    page.feed(client.get(address, headers={"accept-language": "zh-CN"}).content.decode())
    code = {line.chinese for component in components().values() for line in component.lines}
    # A line of code has the punctuation of its language.
    shown = [text for text in (*page.whole, *page.texts) if text.strip() not in code]
    assert any(re.search(CHINESE, text) for text in shown)
    wrong = {found.group() for text in shown for found in HALF_WIDTH.finditer(CALL.sub("…", text))}
    assert sorted(wrong) == []
