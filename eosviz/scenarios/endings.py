"""Finds how the scenarios of the library end. The endings are read from `.endings`, or computed if the file is
missing or was made by another engine.

`python -m eosviz.scenarios.endings` writes the file; `make setup` calls it. Does not import Django.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import msgspec

from engine.ending import ending_of
from engine.scenario.shelf import LibraryEntry, library
from eosviz.launch.endings import engine_digest
from eosviz.launch.places import ENDINGS
from eosviz.launch.stamps import is_fresh

FILE = ENDINGS / "endings.json"

Endings = dict[str, Any]
"""Variant → ending (`engine.ending.ending_of`). The document itself has an empty name."""


def endings_of(found: LibraryEntry) -> Endings:
    """The endings of the scenario without a variant and in each variant. They are computed at most once in a
    process."""
    text = _digest(found)
    if text not in _computed:
        _computed[text] = _prepared().get(text) or _compute(found)
    return _computed[text]


_computed: dict[str, Endings] = {}
"""The endings by the digest of the document's text. With them, a database that is filled again in the same
process needs no second run."""


def _compute(found: LibraryEntry) -> Endings:
    return {name or "": ending_of(found.scenario(name)) for name in (None, *found.variants)}


@cache
def _prepared() -> dict[str, Endings]:
    """The endings of the file, by the digest of the document's text. Empty if none were prepared for this engine."""
    if not is_fresh(ENDINGS, engine_digest()):
        return {}
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Endings])


def _digest(found: LibraryEntry) -> str:
    return hashlib.sha256(found.text.encode()).hexdigest()


if __name__ == "__main__":
    FILE.write_bytes(msgspec.json.encode({_digest(found): _compute(found) for found in library()}))
