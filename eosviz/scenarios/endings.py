"""Finds how the runs of the library's scenarios end. The endings are read from `.endings`. If the file is
missing or another engine made it, they are computed.

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
"""The endings of a scenario's runs. Dict of name of a variant (empty: the document itself) → ending
(`engine.ending.ending_of`)."""


def endings_of(found: LibraryEntry) -> Endings:
    """The endings of a scenario, without a variant and with each variant. A process computes them at most
    once."""
    text = _digest(found)
    if text not in _computed:
        _computed[text] = _prepared().get(text) or _compute(found)
    return _computed[text]


_computed: dict[str, Endings] = {}
"""Dict of digest of the document's text → its endings. If a database is filled again in the same process, the
scenarios need not be run again."""


def _compute(found: LibraryEntry) -> Endings:
    return {name or "": ending_of(found.scenario(name)) for name in (None, *found.variants)}


@cache
def _prepared() -> dict[str, Endings]:
    """Dict of digest of the document's text → its endings, from the file. Empty if the file was not made for
    this engine."""
    if not is_fresh(ENDINGS, engine_digest()):
        return {}
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Endings])


def _digest(found: LibraryEntry) -> str:
    return hashlib.sha256(found.text.encode()).hexdigest()


if __name__ == "__main__":
    FILE.write_bytes(msgspec.json.encode({_digest(found): _compute(found) for found in library()}))
