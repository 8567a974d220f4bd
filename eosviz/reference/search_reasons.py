"""Why a scenario answers a question: the one of its signs or sentences that has most of the question's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.explain.sentences import LANGUAGES
from engine.scenario.shelf import library
from eosviz.reference.search_ranks import known_threads
from eosviz.reference.search_terms import Wish, plain, roots_of

SENTENCES = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|$)\s*", re.DOTALL)
SIGN_COUNTS = 1.4
"""The score of a sign is multiplied by this: it is what an engineer sees."""
SAME_COUNTS = 2.0
"""The score of a term that a text has as a synonym, for each unit of its weight."""
EXTRA_LENGTH = 100
"""A text with this many words, in both languages, gets half its score."""


@dataclass(frozen=True, slots=True)
class Reason:
    """``text`` and ``means`` are by language. ``means``: what a sign means; empty for a sentence."""

    text: dict[str, str]
    means: dict[str, str]
    words: frozenset[str]
    """The roots of all words, in both languages."""
    whole: str
    """All words, normalised."""


def reason(scenario: str, question: str, wishes: Sequence[Wish]) -> Reason:
    """The reason with the highest score; the first one if none has a word of the question."""
    asked = {word: known_threads().rarity(word) for word in set(roots_of(question))}

    def worth(one: Reason) -> float:
        points = sum(rarity for word, rarity in asked.items() if word in one.words)
        points += SAME_COUNTS * sum(
            wish.telling for wish in wishes if wish.same is not None and wish.same.search(one.whole)
        )
        return points * (SIGN_COUNTS if one.means else 1.0) / (EXTRA_LENGTH + len(one.words))

    return max(_reasons()[scenario], key=worth)


@cache
def _reasons() -> dict[str, tuple[Reason, ...]]:
    """The sentences of each scenario's summary and the first one of its lesson, and its signs."""
    found = {}
    for one in library():
        document = one.document
        sentences = _sentences(document["summary"]) + _sentences(document.get("lesson", {}))[:1]
        reasons = [_reason(sentence, {}) for sentence in sentences]
        reasons += [_reason(sign["see"], sign["means"]) for sign in document.get("signs", ())]
        found[one.id] = tuple(reasons)
    return found


def _reason(text: dict[str, str], means: dict[str, str]) -> Reason:
    whole = " ".join([*text.values(), *means.values()])
    return Reason(text, means, frozenset(roots_of(whole)), plain(whole))


def _sentences(part: dict[str, str]) -> list[dict[str, str]]:
    """The sentences of a text, in both languages; the whole text as one if the languages have different numbers of
    sentences. Empty without a text."""
    split = [[found.strip() for found in SENTENCES.findall(part.get(name, ""))] for name in LANGUAGES]
    if len({len(sentences) for sentences in split}) > 1:
        return [part]
    return [dict(zip(LANGUAGES, each, strict=True)) for each in zip(*split, strict=True)]
