"""The entries of the search, and the points that each of them gets for a term."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from eosviz.reference.search_places import Places, places
from eosviz.reference.search_terms import Wish

POINTS = {
    "name": 10.0, "lead": 8.0, "title": 7.0, "keyword": 6.5, "title begins": 6.0, "title, same": 5.0,
    "text": 3.0, "same": 2.0,
}  # fmt: skip
"""The points of an entry for a term, by where it matches. If it matches in several places, the last one in
the order of `Shelf.points` counts. ``lead``: the catalogue's table names the entry, a scenario or a page, for
the term. Leads after the first get a little less."""
LATER_LEAD = 0.25
PARTS_SHARE = 0.75
"""If only parts of a Chinese term match, the points of the part with the fewest points are multiplied by
this."""
TITLE_TOO = 0.5
"""Added to the points of a keyword if the title contains a synonym of the term."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the search. ``title`` and ``text``: language → text."""

    kind: str
    identifier: str
    title: dict[str, str]
    text: dict[str, str]
    name: str
    """The normalised identifier; for a session, that of its scenario."""
    titles: str
    keywords: frozenset[str]
    """Other names of the entry, normalised, such as those of KIPs, requirements and errors."""
    whole: str
    """The normalised words of the whole entry."""
    is_kafka: bool = True
    """False for a scenario of two-phase commit over middleware."""


class Shelf:
    """Entries in which terms are looked up."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.joined = "\0".join(entry.whole for entry in entries)
        self._titles = Places([entry.titles for entry in entries])
        self._wholes = Places([entry.whole for entry in entries])
        self._called: dict[str, int] = defaultdict(int)
        self._named: dict[str, int] = defaultdict(int)
        for at, entry in enumerate(entries):
            self._named[entry.name] |= 1 << at
            for keyword in entry.keywords:
                self._called[keyword] |= 1 << at

    def points(self, wish: Wish) -> list[float]:
        """The points of each entry for a term. An entry that matches in several ways gets the points of the way
        that comes last in this method."""
        every = [self.points(part) for part in wish.parts]
        found = [PARTS_SHARE * min(points) for points in zip(*every, strict=True)]
        found = found or [0.0] * len(self._wholes.texts)

        def give(entries: int, points: float) -> None:
            for at in places(entries):
                found[at] = points

        same = self._titles.having(wish.same)
        called = self._called.get(wish.text, 0)
        give(self._wholes.having(wish.same), POINTS["same"])
        give(self._wholes.having(wish.typed), POINTS["text"])
        give(same, POINTS["title, same"])
        give(called, POINTS["keyword"])
        give(called & same, POINTS["keyword"] + TITLE_TOO)
        for at in places(self._titles.having(wish.typed)):
            found[at] = POINTS["title" if _ends_there(wish, self._titles.texts[at]) else "title begins"]
        for place, lead in reversed(tuple(enumerate(wish.leads))):
            give(self._named.get(lead, 0), POINTS["lead"] - LATER_LEAD * place)
        give(self._named.get(wish.text, 0), POINTS["name"])
        return found


def _ends_there(wish: Wish, titles: str) -> bool:
    """Whether the first match of the term in the titles ends where a word ends."""
    found = wish.typed.search(titles)
    return found is not None and re.match(r"[a-z0-9]", titles[found.end() :]) is None
