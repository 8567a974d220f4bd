"""Ranks the scenarios for a whole question in three ways, and joins the three rankings.

The rankings (`SHARES`) are: ``terms``, by the terms of the question that a scenario contains
(`search_index.py`); ``words``, by the rare words that the question shares with the texts of a scenario and
with the questions from public threads (``threads.toml``) that the scenario answers; and ``threads``, by the
answers to the threads that share most rare words with the question. The last two use scores of Okapi BM25
(Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009, section 3). The scores of the three
cannot be compared, so the rankings are joined by places alone (reciprocal rank fusion; Cormack, Clarke and
Buettcher, SIGIR 2009).

The numbers were chosen on the threads with ``apart = true``. For this, each of them was asked as if the
search did not know it.
"""

from __future__ import annotations

import copy
import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

import msgspec

from engine.scenario.shelf import library
from eosviz.reference.search_terms import CHINESE, asked_for, plain, roots_of

SHARES = {"terms": 0.7, "words": 1.0, "threads": 0.5}
"""The weight of each ranking."""
CHINESE_SHARES = {"terms": 0.7, "words": 0.7, "threads": 0.7}
"""The weight of each ranking for a question with Chinese. The words of the question weigh less than in
SHARES, because the known threads are in English. Its terms are translated by the catalogue's table."""
FUSED = 3
"""The constant of reciprocal rank fusion. With a larger one, the first places count less."""
PLACES = 30
"""Each ranking gives points to its best PLACES scenarios."""
THREAD_SHAPE = (1.2, 0.75)
"""BM25's k1 and b for threads. Threads are short, so a second occurrence of a word counts hardly more."""
LESSON_SHAPE = (10.0, 0.5)
"""BM25's k1 and b for scenarios. Their texts are long, so a word that occurs often counts more."""
TITLE_COUNTS, ASKED_COUNTS = 3, 2
"""In a scenario's bag of words, its title is contained TITLE_COUNTS times, and the words of the catalogue's
table that lead to it ASKED_COUNTS times."""
NEAREST = 40
"""The lessons of the threads with the highest scores get points. This is the number of those threads. The
points are the square of a thread's score."""
ANSWERS, LATER = 3, 0.15
"""Only the first ANSWERS lessons of a thread count: the first one 1, each further one LATER less."""
MIDDLEWARE = 0.5
"""`Threads.by_words` multiplies the score of a scenario about middleware by this, because its everyday words
are also in questions about Kafka."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A question from a public thread. ``of``: its repository and number. ``lessons``: the scenarios that
    answer it, the best first. ``apart``: whether it was not used for tuning the catalogue's table of words.
    ``draw``: the number of the collection in which it was found; 0 for the first ones."""

    of: str
    title: str = ""
    symptom: str = ""
    lessons: tuple[str, ...]
    apart: bool = False
    draw: int = 0

    @property
    def words(self) -> Counter[str]:
        return Counter(roots_of(f"{self.title} {self.symptom}"))

    @property
    def worths(self) -> dict[str, float]:
        """Dict of lesson → how much it counts."""
        return {lesson: 1 - LATER * place for place, lesson in enumerate(self.lessons[:ANSWERS])}


def rarity_of(having: int, size: int) -> float:
    """The rarity of a word that is in `having` of `size` texts."""
    return math.log(1 + (size - having + 0.5) / (having + 0.5))


class Bags:
    """Texts as bags of words, which BM25 ranks."""

    def __init__(self, texts: Sequence[Mapping[str, float]], shape: tuple[float, float]) -> None:
        self.size, self.shape = len(texts), shape
        self.lengths = [float(sum(text.values())) for text in texts]
        self.counts: dict[str, dict[int, float]] = defaultdict(dict)
        for at, text in enumerate(texts):
            for word, count in text.items():
                self.counts[word][at] = count

    def rarity(self, word: str) -> float:
        return rarity_of(len(self.counts.get(word, ())), self.size)

    def scores(
        self, rarities: Mapping[str, float], less: Sequence[tuple[int, float, Mapping[str, float]]] = ()
    ) -> list[float]:
        """The score of each text for words with these rarities. ``less``: bags of words to be subtracted from
        texts, as (position of the text, weight, bag)."""
        lengths = list(self.lengths)
        for at, weight, bag in less:
            lengths[at] -= weight * sum(bag.values())
        mean = sum(lengths) / max(1, len(lengths))
        saturation, length = self.shape
        slack = [saturation * (1 - length + length * one / mean) if mean else saturation for one in lengths]
        scores = [0.0] * self.size
        for word, rarity in rarities.items():
            counts = self.counts.get(word, {})
            lacks: dict[int, float] = defaultdict(float)
            for at, weight, bag in less:
                lacks[at] += weight * bag.get(word, 0)
            for at, count in counts.items():
                left = count - lacks[at]
                scores[at] += rarity * left * (saturation + 1) / (left + slack[at])
        return scores


class Threads:
    """Threads whose answers are known."""

    def __init__(self, threads: Sequence[Thread]) -> None:
        self.threads = threads
        self.bags = Bags([one.words for one in threads], THREAD_SHAPE)
        self.left_out: tuple[int, ...] = ()

    def without(self, thread: Thread) -> Threads:
        """The same threads, for asking the question of `thread` as if nothing were known about it."""
        others = copy.copy(self)
        others.left_out = tuple(at for at, one in enumerate(self.threads) if one.of == thread.of)
        return others

    @cached_property
    def lessons(self) -> Bags:
        """The scenarios of the library, each as a bag of its own words and those of the threads that it
        answers."""
        bags: list[dict[str, float]] = [dict(bag) for bag in lessons().bags]
        place = {name: at for at, name in enumerate(lessons().names)}
        for thread in self.threads:
            words = thread.words
            for lesson, worth in thread.worths.items():
                bag = bags[place[lesson]]
                for word, count in words.items():
                    bag[word] = bag.get(word, 0) + worth * count
        return Bags(bags, LESSON_SHAPE)

    @cached_property
    def having(self) -> Counter[str]:
        """Dict of word → the number of scenarios and threads that contain it."""
        return Counter(word for bag in lessons().bags for word in bag) + Counter(
            {word: len(held) for word, held in self.bags.counts.items()}
        )

    def rarity(self, word: str) -> float:
        """The rarity of a word among scenarios and threads together."""
        return rarity_of(self.having[word], len(lessons().names) + self.bags.size)

    def by_words(self, question: str) -> tuple[list[str], float]:
        """The ids of the scenarios that share rare words with the question, the best first; and how well the
        best one fits."""
        rarities = {word: self.rarity(word) for word in set(roots_of(question))}
        place = {name: at for at, name in enumerate(lessons().names)}
        less = [
            (place[lesson], worth, one.words)
            for one in (self.threads[at] for at in self.left_out)
            for lesson, worth in one.worths.items()
        ]
        scores = self.lessons.scores(rarities, less)
        found = sorted(
            (
                (-score * factor, at)
                for at, (score, factor) in enumerate(zip(scores, lessons().factors, strict=True))
            ),
        )
        most = sum(rarities.values())
        fit = -found[0][0] / most if most else 0.0
        return [lessons().names[at] for score, at in found if score < 0], fit

    def by_threads(self, question: str) -> list[str]:
        """The ids of the scenarios that answer the threads most similar to the question, the best first."""
        scores = self.bags.scores({word: self.bags.rarity(word) for word in set(roots_of(question))})
        for at in self.left_out:
            scores[at] = 0.0
        nearest = sorted(range(len(scores)), key=lambda at: -scores[at])[:NEAREST]
        points: dict[str, float] = defaultdict(float)
        for at in nearest:
            for lesson, worth in self.threads[at].worths.items():
                points[lesson] += scores[at] ** 2 * worth
        return [lesson for lesson in sorted(points, key=lambda lesson: -points[lesson]) if points[lesson] > 0]


@dataclass(frozen=True)
class Lessons:
    """The scenarios of the library as bags of words. ``factors``: the numbers by which their scores are
    multiplied."""

    names: tuple[str, ...]
    bags: tuple[Counter[str], ...]
    factors: tuple[float, ...]


def fused(
    terms: Sequence[str], question: str, threads: Threads | None = None
) -> tuple[dict[str, float], float]:
    """Joins the rankings. Returns a dict of scenario's id → points, the best first, and the fit that
    `Threads.by_words` returns. ``terms``: the ids in the order of the ranking by terms."""
    known = threads or known_threads()
    words, fit = known.by_words(question)
    rankings = {"terms": terms, "words": words, "threads": known.by_threads(question)}
    shares = CHINESE_SHARES if CHINESE.search(question) else SHARES
    points: dict[str, float] = defaultdict(float)
    for name, ranking in rankings.items():
        for place, scenario in enumerate(ranking[:PLACES]):
            points[scenario] += shares[name] / (FUSED + place)
    return dict(sorted(points.items(), key=lambda pair: -pair[1])), fit


@cache
def lessons() -> Lessons:
    """All scenarios of the library."""
    asked = asked_for()
    bags = []
    for one in library():
        bag: Counter[str] = Counter()
        for text in one.document["title"].values():
            bag.update(roots_of(text) * TITLE_COUNTS)
        for text in texts_of(one.document):
            bag.update(roots_of(text))
        for text in asked.get(plain(one.id), ()):
            bag.update(roots_of(text) * ASKED_COUNTS)
        bags.append(bag)
    names = tuple(one.id for one in library())
    factors = tuple(MIDDLEWARE if "middleware" in one.document else 1.0 for one in library())
    return Lessons(names, tuple(bags), factors)


def texts_of(document: Mapping[str, Any]) -> list[str]:
    """The texts that explain a scenario and its variants, without the scenario's title."""
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


@cache
def words_of_threads() -> frozenset[str]:
    """The words that are in at least two threads, or in the names of their repositories. They count as
    correctly typed."""
    having = Counter(
        word
        for one in threads()
        for word in set(re.findall(r"\w+", plain(f"{one.of} {one.title} {one.symptom}")))
    )
    return frozenset(word for word, count in having.items() if count > 1)
