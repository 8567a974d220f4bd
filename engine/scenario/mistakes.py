"""Finds all mistakes of a document, for its author.

The loader stops at the first mistake. This module removes the wrong value or entry and loads again, as long as the
next mistake cannot be a consequence of the removal. The loader checks names last.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from engine.scenario.bad_scenario import BadScenario
from engine.scenario.document import line_of, load

MISTAKES_MAX = 30
_MEANINGLESS_WITHOUT = ("faults", "checkpoints", "beats", "expect")
"""Sections whose wrong entries can be removed as a whole, because no other entry names them."""


def mistakes(document: dict[str, Any], variant: str | None = None, *, text: str = "") -> list[BadScenario]:
    """The mistakes of a document in the order in which the loader finds them, at most MISTAKES_MAX; empty if
    it loads. If it loads and no ``variant`` is chosen: the first mistake of each variant, with the place
    ``variants.NAME.set``. ``text`` is the document's own text, for line numbers."""
    left = copy.deepcopy(document)
    found: dict[str, BadScenario] = {}
    while len(found) < MISTAKES_MAX:
        try:
            load(left, variant)
        except BadScenario as bad:
            known = bad.place in found
            found.setdefault(bad.place, bad)
            if not (_leave_out_row(left, bad.place) if known else _leave_out(left, bad)):
                break
        else:
            break
    if not found and variant is None:
        found = {bad.place: bad for bad in _of_variants(document)}
    for mistake in found.values():
        mistake.line = line_of(text, mistake.place) if text else None
    return list(found.values())


def _of_variants(document: dict[str, Any]) -> Iterator[BadScenario]:
    for variant in document.get("variants", ())[:MISTAKES_MAX]:
        try:
            load(document, variant["name"])
        except BadScenario as bad:
            bad.place = f"variants.{variant['name']}.set.{bad.place}"
            yield bad


def _leave_out(document: dict[str, Any], bad: BadScenario) -> bool:
    """Remove the wrong value, or its whole entry in a section of ``_MEANINGLESS_WITHOUT``. Returns False if that is
    impossible, or if the removal could cause a further mistake."""
    words = bad.place.split(".")
    if bad.is_missing or words[0] in _MEANINGLESS_WITHOUT:
        return _leave_out_row(document, bad.place)
    if words[-1] in ("name", "partitions", "participants"):
        return False
    return _remove(document, words)


def _leave_out_row(document: dict[str, Any], place: str) -> bool:
    words = place.split(".")
    if words[0] == "expect" and len(words) > 1:
        return _remove(document, words[:2])
    if words[0] == "beats":
        return _remove(document, words[:1])
    if words[0] in ("faults", "checkpoints") and len(words) > 1:
        return _remove(document, words[:2])
    if words[0] == "applications" and len(words) > 3 and words[2] == "calls":
        return _remove(document, words[:4])
    return False


def _remove(document: dict[str, Any], words: list[str]) -> bool:
    """Remove the key at a place. An item of a list is replaced by a harmless one, so that later items keep their
    places. Returns False if this is not possible."""
    node: Any = document
    for word in words[:-1]:
        node = _below(node, word)
        if node is None:
            return False
    last = words[-1]
    if isinstance(node, dict) and last in node:
        del node[last]
        return True
    if isinstance(node, list) and words[0] in _HARMLESS and last.isdecimal() and int(last) < len(node):
        node[int(last)] = dict(_HARMLESS[words[0]])
        return True
    return False


_HARMLESS: dict[str, dict[str, Any]] = {
    "faults": {"action": "advance_clock", "at": 0},
    "checkpoints": {"ask": "append"},
    "applications": {"do": "flush", "at": 0},
}
"""Dict of section → an entry that is valid in every document and replaces a wrong one."""


def _below(node: Any, word: str) -> Any:
    if isinstance(node, dict):
        return node.get(word)
    if isinstance(node, list):
        for item in node:
            if isinstance(item, dict) and item.get("name") == word:
                return item
        if word.isdecimal() and int(word) < len(node):
            return node[int(word)]
    return None
