"""Finds which of many texts contain a word. A set of texts is an integer with one bit for each text. Looking
a word up takes microseconds; searching all texts for it takes milliseconds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, count

from eosviz.reference.search_terms import CHINESE, Words, parts_of

_LETTERS = re.compile("[a-z0-9]+")
PIECE, CHINESE_PIECE = 3, 2
"""Words are looked up by pieces of this many letters."""
WORDS_KEPT = 10_000
"""At most this many results of looking up a word are kept."""


class Places:
    """Normalised texts, with indexes of their words and of pieces of their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        begun: dict[str, int] = defaultdict(int)
        self._pieces: dict[str, int] = defaultdict(int)
        for at, text in enumerate(texts):
            for word in set(_LETTERS.findall(text)):
                begun[word] |= 1 << at
            for piece in _pieces_of(text):
                self._pieces[piece] |= 1 << at
        self._words = sorted(begun)
        self._begun = [begun[word] for word in self._words]
        self._likely = lru_cache(WORDS_KEPT)(self._find_likely)

    def having(self, words: Words | None) -> int:
        """The set of texts that contain one of `words`; empty for None."""
        if words is None:
            return 0
        sure, likely = 0, 0
        for word in words.texts:
            there, is_sure = self._likely(word)
            sure, likely = (sure | there, likely) if is_sure else (sure, likely | there)
        for at in places(likely & ~sure):
            if words.search(self.texts[at]) is not None:
                sure |= 1 << at
        return sure

    def _find_likely(self, word: str) -> tuple[int, bool]:
        """The set of texts that may contain a word, and whether it is certain that all of them do."""
        parts = parts_of(word)
        pieces = [piece for part in parts for piece in _pieces_of(part)]
        there = (1 << len(self.texts)) - 1
        for piece in pieces:
            there &= self._pieces.get(piece, 0)
        first = _LETTERS.match(word)
        if first is not None:
            return there & self._beginning(first[0]), first[0] == word
        if len(parts) > 1 or not CHINESE.match(word):
            return there, False
        has = [at for at in places(there) if parts[0] in self.texts[at]]
        return sum(1 << at for at in has), True

    def _beginning(self, letters: str) -> int:
        """The set of texts with a word that begins with these letters."""
        found = 0
        for at in range(bisect_left(self._words, letters), len(self._words)):
            if not self._words[at].startswith(letters):
                break
            found |= self._begun[at]
        return found


def places(texts: int) -> Iterator[int]:
    """The positions of the texts that are in a set, in ascending order."""
    return compress(count(), map("1".__eq__, bin(texts)[:1:-1]))


def _pieces_of(text: str) -> set[str]:
    """All pieces of a text: of each sequence of Latin letters and digits, and of each sequence of Chinese
    letters."""
    runs = [(run, PIECE) for run in _LETTERS.findall(text)]
    runs += [(run, CHINESE_PIECE) for run in CHINESE.findall(text)]
    return {run[at : at + size] for run, size in runs for at in range(len(run) - size + 1)}
