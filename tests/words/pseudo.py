"""An invented language: every text of the catalogues with each letter replaced by one that English has not.

What is still in plain letters on a page that speaks it came from no catalogue. That is right for data (identifiers,
numbers, the names that Kafka gives to things) and wrong for everything else: it would stay English in Chinese.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable
from typing import Any

_PLAIN = string.ascii_letters
_MARKED = "àƀćďēƒğħīĵķĺḿńőƥɋŕśŧūṽŵẋŷžÀƁĆĎĒƑĞĦĪĴĶĹḾŃŐƤɊŔŚŦŪṼŴẊŶŽ"
_SPEAK = str.maketrans(_PLAIN, _MARKED)
_SLOT = re.compile(r"(\{[a-z_0-9]+(?:@[a-z_.]+|:)?)|\}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[.·-][A-Za-z0-9_]+)*(?![A-Za-z0-9_…-])")
_GIVEN = re.compile(r"‹[^›]*›")
"""A parameter's name, where a sentence is shown without a step."""
_NAME = re.compile(r".*(?:[0-9]|[a-z][A-Z]|[A-Z][A-Z])")
"""With a digit (`p1`, `SC-03`), in camel case (`EndTxn`), in capitals (`FENCED`): never a word of English."""


def pseudo(text: str) -> str:
    """The text with its slots as they were; the words of `{count:one|many}` are words, too."""
    spoken, at = [], 0
    for slot in _SLOT.finditer(text):
        spoken += [text[at : slot.start()].translate(_SPEAK), slot.group()]
        at = slot.end()
    return "".join([*spoken, text[at:].translate(_SPEAK)])


def pseudo_catalogue(file: bytes) -> bytes:
    """The file that the player reads (docs/player.md)."""
    content: dict[str, Any] = json.loads(file)
    content["texts"] = {key: pseudo(text) for key, text in content["texts"].items()}
    return json.dumps(content).encode()


def untranslated(texts: Iterable[str], names: frozenset[str]) -> list[str]:
    """The words in plain letters that are no names, each with the text it stands in."""
    found: dict[str, str] = {}
    for text in texts:
        for word in _WORD.findall(_GIVEN.sub("", text)):
            if word not in names and not _NAME.match(word):
                found.setdefault(word, " ".join(text.split())[:100])
    return [f"{word}: {text!r}" for word, text in sorted(found.items())]
