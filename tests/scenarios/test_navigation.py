"""The five entries of the navigation: the pages that each leads to, and the entry that a page belongs to."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from eosviz.catalogue import interface_words
from eosviz.navigation import WORDS, navigation

ONCE_IN_THE_MENU = (
    "scenarios:library",
    "tracks:index",
    "classroom:index",
    "workshop:gallery",
    "walkthroughs:compare",
    "replays:import",
    "replays:open_log",
    "pipeline:index",
    "reference:index",
    "api:openapi-view",
)
"""The ten entries of the menu before there were five."""


def here(path: str, view: str = "") -> list[tuple[str, str]]:
    return [
        (group.key, entry.key) for group in navigation(path, view) for entry in group.entries if entry.is_here
    ]


def test_five_words_lead_to_all_that_was_in_the_menu() -> None:
    assert len(WORDS) == 5
    assert {place.view for word in WORDS for place in word.places} >= set(ONCE_IN_THE_MENU)


def test_every_word_and_place_says_what_it_is() -> None:
    known = interface_words()
    wanted = {word.key for word in WORDS}
    wanted |= {key for word in WORDS for place in word.places for key in (place.key, f"{place.key}.about")}
    assert wanted - known.keys() == set()


@pytest.mark.parametrize(
    ("path", "view", "found"),
    [
        ("/", "", []),
        ("/library/", "", [("page.library", "page.library")]),
        ("/sessions/new", "", [("page.library", "page.library")]),
        ("/reference/requirements/SEQ-11", "", [("page.reference", "page.rules")]),
        ("/reference/versions/", "", [("page.reference", "page.reference.all")]),
        ("/replays/log", "", [("page.read_log", "page.open_log")]),
        ("/replays/5b0e/case", "replays:log_case", [("page.read_log", "page.open_log")]),
        ("/replays/uploads/5b0e/", "replays:open_log", [("page.read_log", "page.open_log")]),
        ("/replays/5b0e/", "replays:play", [("page.build", "page.import")]),
        ("/assignments/5b0e/", "", [("page.learn", "page.classes")]),
        ("/nowhere", "", []),
    ],
)
def test_every_page_has_its_place(path: str, view: str, found: list[tuple[str, str]]) -> None:
    assert here(path, view) == found


@pytest.mark.django_db
def test_a_page_marks_its_place(client: Client) -> None:
    page = client.get(reverse("reference:machines")).content.decode()
    assert page.count('aria-current="page"') == 2  # in the line, and in the menu of a narrow page
    assert f'href="{reverse("reference:machines")}" aria-current="page"' in page
