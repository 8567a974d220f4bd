"""The navigation: five words, each with one or more pages. Each other page of the site belongs to one of
these pages or to none.

On a page, the word to which it belongs is marked. A word with one page is a link; a word with several pages
opens a list.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Place:
    """A page in the navigation."""

    view: str
    key: str
    """The catalogue's key of the page's name. The key `<key>.about` has a short description."""
    holds: tuple[str, ...] = ()
    """Other pages belong to this page if their address begins with one of these."""
    views: tuple[str, ...] = ()
    """Further views that belong to this page, although their addresses begin otherwise."""

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
    """A page in the navigation, as it is shown on another page or on itself."""

    key: str
    address: str
    is_this: bool
    """Whether the entry leads to the page on which it is shown."""
    is_here: bool
    """Whether the page on which it is shown is this one or belongs to it."""


@dataclass(frozen=True, slots=True)
class Group:
    """One of the five words of the navigation, with its entries, as it is shown on a page."""

    key: str
    entries: tuple[Entry, ...]

    @property
    def is_here(self) -> bool:
        return any(entry.is_here for entry in self.entries)

    @property
    def lone(self) -> Entry | None:
        """The word's only entry; None if it has several."""
        return self.entries[0] if len(self.entries) == 1 else None


def navigation(path: str, view: str) -> list[Group]:
    """The five words as they are shown on the page at ``path``, which the view named ``view`` renders."""
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
    """The page of the navigation to which a page belongs: the one that lists the view in `views`, otherwise
    the one with the longest matching beginning of the address. None if there is none."""
    places = [place for word in WORDS for place in word.places]
    claiming = (place for place in places if view in place.views)
    addressed = {
        begins: place
        for place in places
        for begins in (place.address, *place.holds)
        if path == begins or (begins != "/" and path.startswith(begins))
    }
    return next(claiming, None) or (addressed[max(addressed, key=len)] if addressed else None)
