"""Finds for a term of the glossary the scenario in which it can be seen."""

from __future__ import annotations

from functools import cache

from engine.scenario.shelf import LibraryEntry, library
from eosviz.catalogue import say
from eosviz.reference.search_ranks import texts_of
from eosviz.reference.search_terms import KNOWN, plain, roots_of, understand


@cache
def lesson_of(key: str) -> LibraryEntry | None:
    """The first scenario to which the search leads from the name of a term (``key``: its key in the catalogue),
    if the scenario's own texts contain the words of this name. None if there is no such scenario."""
    by_name = {plain(one.id): one for one in library()}
    name = say(key, "en").partition(" (")[0]
    leads = (lead for wish in understand(name) if wish.telling >= KNOWN for lead in wish.leads)
    found = next((by_name[lead] for lead in leads if lead in by_name), None)
    if found is None:
        return None
    texts = [*found.document["title"].values(), *texts_of(found.document)]
    has = {word for text in texts for word in roots_of(text)}
    return found if has.issuperset(roots_of(name)) else None
