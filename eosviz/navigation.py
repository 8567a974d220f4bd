"""The navigation: five words, the pages behind each word, and for each page of the site the word to which it
belongs.

A page belongs to at most one word, which is marked on it. A word with one page is a link; a word with several
pages opens a list.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Place:
    """A page in the navigation."""

    view: str
    key: str
    """The catalogue key of its name; `<key>.about` describes it in a few words."""
    holds: tuple[str, ...] = ()
    """The beginnings of the addresses of other pages that belong to this one."""
    views: tuple[str, ...] = ()
    """Views that belong to this page although their addresses begin otherwise."""

    @property
    def address(self) -> str:
        return reverse(self.view)


@dataclass(frozen=True, slots=True)
class Word:
    """One of the five words of the navigation, with its places."""

    key: str
    places: tuple[Place, ...]


WORDS = (
    Word(
        "page.learn",
        (
            Place("tracks:index", "page.tracks"),
            Place("classroom:index", "page.classes", ("/assignments/", "/attempts/")),
        ),
    ),
    Word("page.library", (Place("scenarios:library", "page.library", ("/sessions/", "/open/")),)),
    Word(
        "page.build",
        (
            Place("workshop:gallery", "page.workshop"),
            Place("walkthroughs:compare", "page.compare"),
            Place("walkthroughs:generations", "page.generations"),
            Place("replays:import", "page.import", ("/published/", "/replays/")),
            Place("pipeline:index", "page.sweeps"),
        ),
    ),
    Word(
        "page.read_log",
        (Place("replays:open_log", "page.open_log", views=("replays:open_log", "replays:log_case")),),
    ),
    Word(
        "page.reference",
        (
            Place("reference:index", "page.reference.all"),
            Place("reference:requirements", "page.rules"),
            Place("reference:machines", "page.machines"),
            Place("reference:errors", "page.errors"),
            Place("reference:signatures", "page.signatures"),
            Place("reference:libraries", "page.libraries"),
            Place("reference:terms", "page.terms"),
            Place("reference:player", "page.player"),
            Place("api:openapi-view", "page.api"),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation, as another page shows it."""

    key: str
    address: str
    is_this: bool
    """Whether the entry leads to the shown page."""
    is_here: bool
    """Whether the entry leads to the shown page, or to the page to which the shown one belongs."""


@dataclass(frozen=True, slots=True)
class Group:
    """One of the five words of the navigation, with its pages, as one page shows them."""

    key: str
    entries: tuple[Entry, ...]

    @property
    def is_here(self) -> bool:
        return any(entry.is_here for entry in self.entries)

    @property
    def lone(self) -> Entry | None:
        """The only page behind the word; None unless there is exactly one."""
        return self.entries[0] if len(self.entries) == 1 else None


def navigation(path: str, view: str) -> list[Group]:
    """The five words for the page at ``path``, rendered by ``view``."""
    here = _place_of(path, view)
    return [
        Group(
            word.key,
            tuple(
                Entry(place.key, place.address, place.address == path, place is here) for place in word.places
            ),
        )
        for word in WORDS
    ]


def _place_of(path: str, view: str) -> Place | None:
    """The place that names the view, or else the one with the longest prefix of the address; None if none
    matches."""
    places = [place for word in WORDS for place in word.places]
    claiming = (place for place in places if view in place.views)
    addressed = {
        begins: place
        for place in places
        for begins in (place.address, *place.holds)
        if path == begins or (begins != "/" and path.startswith(begins))
    }
    return next(claiming, None) or (addressed[max(addressed, key=len)] if addressed else None)
