"""An invented language: each letter of every text in the catalogues is replaced by one that English does not have.

If a page in this language still shows plain letters, they came from no catalogue. That is right for data
(identifiers, numbers, Kafka's names) and wrong for everything else, which would stay English in Chinese.
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
"""The name of a parameter in a sentence that is shown without a step."""
_NAME = re.compile(r".*(?:[0-9]|[a-z][A-Z]|[A-Z][A-Z])")
"""A word with a digit (`p1`, `SC-03`), in camel case (`EndTxn`) or in capitals (`FENCED`) is never an English word."""


def pseudo(text: str) -> str:
    """Return the text in the invented language, with its slots unchanged. The words in `{count:one|many}` are
    replaced, too.
    """
    spoken, at = [], 0
    for slot in _SLOT.finditer(text):
        spoken += [text[at : slot.start()].translate(_SPEAK), slot.group()]
        at = slot.end()
    return "".join([*spoken, text[at:].translate(_SPEAK)])


def pseudo_catalogue(file: bytes) -> bytes:
    """Return the catalogue that the player reads (docs/player.md) in the invented language."""
    content: dict[str, Any] = json.loads(file)
    content["texts"] = {key: pseudo(text) for key, text in content["texts"].items()}
    return json.dumps(content).encode()


def untranslated(texts: Iterable[str], names: frozenset[str]) -> list[str]:
    """Return the words in plain letters that are no names, each with the text that contains it."""
    found: dict[str, str] = {}
    for text in texts:
        for word in _WORD.findall(_GIVEN.sub("", text)):
            if word not in names and not _NAME.match(word):
                found.setdefault(word, " ".join(text.split())[:100])
    return [f"{word}: {text!r}" for word, text in sorted(found.items())]
