"""Rankings of the scenarios for a whole question, and the ranking that is made of them.

A question of several words is ranked in three ways (`SHARES`). ``terms``: by the words and synonyms that its entries
contain (`search_index.py`). ``words``: by the rare words that it shares with all texts of a scenario. ``threads``: by
the rare words that it shares with questions from public threads (``threads.toml``), whose answers are known. The last
two are scores of Okapi BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009, section 3); the
three are joined by their places alone (reciprocal rank fusion; Cormack, Clarke and Buettcher, SIGIR 2009), because
their scores cannot be compared.
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from engine.scenario.shelf import library
from eosviz.reference.search_terms import asked_for, plain, roots_of

SHARES = {"terms": 1.0, "words": 0.7, "threads": 0.5}
"""The weight of each ranking. Between 0.5 and 1 the weights of the last two hardly matter."""
LIKE = 0.45
"""If the nearest thread has more likeness to a question than this, the weight of the ranking by threads rises in
proportion, so that a question that is a thread word for word gets its answers."""
FUSED = 5
"""Reciprocal rank fusion's constant: the larger, the less the first places count."""
PLACES = 30
"""A ranking gives points to this many scenarios."""
SATURATION, LENGTH = 1.2, 0.75
"""BM25's k1 and b."""
TITLE_COUNTS, ASKED_COUNTS = 3, 2
"""How often a scenario's title, and the words of the catalogue's table that lead to it, are counted."""
NEAREST = 12
"""This many threads answer a question."""
LATER = 0.15
"""A thread's second answer counts this share less than its first, and the third twice that."""
MIDDLEWARE = 0.5
"""Scores of scenarios about middleware are multiplied by this: their everyday words are words of questions about
Kafka, too."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A question from a public thread. ``of``: the repository and the number. ``lessons``: the scenarios that answer
    it, the best first. ``apart``: the catalogue's table of words was not tuned on it. ``draw``: the number of the
    collection in which it was found; 0 for the first ones."""

    of: str
    title: str = ""
    symptom: str = ""
    lessons: tuple[str, ...]
    apart: bool = False
    draw: int = 0


class Bags:
    """Texts as bags of words, to be ranked by BM25."""

    def __init__(self, texts: Sequence[Mapping[str, int]]) -> None:
        lengths = [sum(text.values()) for text in texts]
        mean = sum(lengths) / max(1, len(lengths))
        self.size = len(texts)
        self.holding: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at, (text, length) in enumerate(zip(texts, lengths, strict=True)):
            slack = SATURATION * (1 - LENGTH + LENGTH * length / mean)
            for word, count in text.items():
                self.holding[word].append((at, count * (SATURATION + 1) / (count + slack)))

    def rarity(self, word: str) -> float:
        having = len(self.holding.get(word, ()))
        return math.log(1 + (self.size - having + 0.5) / (having + 0.5))

    def scores(self, words: Iterable[str]) -> list[float]:
        """The score of each text, in their order."""
        scores = [0.0] * self.size
        for word in set(words):
            rarity = self.rarity(word)
            for at, points in self.holding.get(word, ()):
                scores[at] += rarity * points
        return scores


class Threads:
    """Threads with known answers."""

    def __init__(self, threads: Sequence[Thread]) -> None:
        self.threads = threads
        self.bags = Bags([Counter(roots_of(f"{one.title} {one.symptom}")) for one in threads])

    def likeness(self, question: str) -> float:
        """How like the question the nearest thread is: 0 if they share no word, about 1 if they share all."""
        words = set(roots_of(question))
        most = sum(map(self.bags.rarity, words))
        return max(self.bags.scores(words), default=0.0) / most if most else 0.0

    def ranked(self, question: str) -> list[str]:
        """The ids of the scenarios that answer the threads nearest to the question, best first."""
        scores = self.bags.scores(roots_of(question))
        nearest = sorted(range(len(scores)), key=lambda at: -scores[at])[:NEAREST]
        points: dict[str, float] = defaultdict(float)
        for at in nearest:
            for place, lesson in enumerate(self.threads[at].lessons[:3]):
                points[lesson] += scores[at] * (1 - LATER * place)
        return [lesson for lesson in sorted(points, key=lambda lesson: -points[lesson]) if points[lesson] > 0]


@dataclass(frozen=True)
class Lessons:
    """The scenarios of the library as bags of words."""

    names: tuple[str, ...]
    bags: Bags
    factors: tuple[float, ...]

    def ranked(self, question: str) -> list[str]:
        """The ids of the scenarios that share rare words with the question, best first."""
        scores = self.bags.scores(roots_of(question))
        found = [
            (score * factor, name)
            for score, factor, name in zip(scores, self.factors, self.names, strict=True)
        ]
        return [name for score, name in sorted(found, key=lambda pair: -pair[0]) if score > 0]


def fused(terms: Sequence[str], question: str, threads: Threads | None = None) -> dict[str, float]:
    """Scenario id → points, best first. ``terms``: the ids as ranked by terms."""
    known = threads or known_threads()
    rankings = {"terms": terms, "words": lessons().ranked(question), "threads": known.ranked(question)}
    shares = SHARES | {"threads": SHARES["threads"] * max(1.0, known.likeness(question) / LIKE)}
    points: dict[str, float] = defaultdict(float)
    for name, ranking in rankings.items():
        for place, scenario in enumerate(ranking[:PLACES]):
            points[scenario] += shares[name] / (FUSED + place)
    return dict(sorted(points.items(), key=lambda pair: -pair[1]))


@cache
def lessons() -> Lessons:
    """Every scenario of the library. Made once, in about a quarter of a second."""
    asked = asked_for()
    bags = []
    for one in library():
        bag: Counter[str] = Counter()
        for text in one.document["title"].values():
            bag.update(roots_of(text) * TITLE_COUNTS)
        for text in _texts(one.document):
            bag.update(roots_of(text))
        for text in asked.get(plain(one.id), ()):
            bag.update(roots_of(text) * ASKED_COUNTS)
        bags.append(bag)
    names = tuple(one.id for one in library())
    factors = tuple(MIDDLEWARE if "middleware" in one.document else 1.0 for one in library())
    return Lessons(names, Bags(bags), factors)


def _texts(document: Mapping[str, Any]) -> list[str]:
    """All texts for learners of a scenario and of its variants, except its title."""
    variants = document.get("variants", ())
    parts = [part.get(name) for part in (document, *variants) for name in ("summary", "watch_for", "lesson")]
    parts += [variant.get("title") for variant in variants]
    parts += [sign[name] for sign in document.get("signs", ()) for name in ("see", "means")]
    return [text for part in parts if isinstance(part, dict) for text in part.values()]


@cache
def threads() -> tuple[Thread, ...]:
    """Every thread of ``threads.toml``."""
    text = resources.files("eosviz.reference").joinpath("threads.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["threads"], tuple[Thread, ...])


@cache
def known_threads() -> Threads:
    return Threads(threads())
