"""Finds the reason why a scenario answers a question: the passage of its lesson, or the sign, that has most
of the question's words.

A lesson says the cause and the remedy, and so does the meaning of a sign. A summary only says what the runs
do, so no passage is taken from it. If a reason cites a public thread (*its issue 2539*), it also answers what
was asked in the words of that thread. The numbers were chosen on seventy threads of ``threads.toml``; for
each of them the sentences that answer it were marked.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from engine.explain.sentences import LANGUAGES
from engine.scenario.shelf import library
from eosviz.reference.search_ranks import rarity_of, threads
from eosviz.reference.search_terms import CHINESE, EXACT, Wish, plain, roots_of

ENGLISH, SIMPLIFIED = LANGUAGES
SENTENCES = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|$)\s*", re.DOTALL)
LEANING = re.compile(
    r"(?:So|This|That|These|It|They|Both|Such|Even so|Before,|Then|Instead|Otherwise|Nor|The same|Only then)\b"
)
"""Matches the beginning of a sentence that must be shown with the sentence before it."""
FIRST_COUNTS, SIGN_COUNTS = 1.5, 0.95
"""Factors for scores: of a lesson's first passage, which usually says the cause, and of a sign."""
TITLE_COUNTS = 0.25
"""The factor for the weight of a word that is also in the scenario's title, since all passages are about
it."""
SHARED_COUNTS = 0.5
"""About the factor for the weight of a word that all passages of the scenario have."""
SAME_COUNTS = 2.0
"""What a reason gets for a term that it contains (`_says`), per unit of the term's weight."""
CITED_COUNTS = 0.6
"""The factor for the weight of a word that is not in the reason, but in a public thread that it cites."""
CITING = re.compile(r"\b(?:issue|pull request)s? [^.;:]*")
"""Matches the part of a reason that cites threads: *its issues 3003 and 3221*."""
EXTRA_WEIGHT = 150.0
"""The score is divided by the square root of the weight of all the passage's words plus this number. So a
passage with many words that were not asked scores less, while a short one does not score more only because it
is short."""
CLAUSES = re.compile(r"(?:（[^（）]*）|[^；])+(?:；|$)")
"""Matches a part of a Chinese sentence that ends at a semicolon."""
STEPS = ((1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (3, 1))
"""The possible sizes of a pair in `_aligned`, as (number of English sentences, number of Chinese parts)."""
UNEVEN_COUNTS, CUT_COUNTS = 8.0, 0.3
"""Costs of a pair in `_aligned`: of a difference in length, and of dividing a Chinese sentence. A name that
only the Chinese side has costs 1, and so does joining two sentences."""
NAME = re.compile(r"[A-Za-z][\w.-]*\w|\d[\d.]*\d")


@dataclass(frozen=True, slots=True)
class Reason:
    """A passage of the lesson, or a sign. ``text``: its text in each language. ``means``: what a sign means,
    in each language; empty for a passage."""

    text: dict[str, str]
    means: dict[str, str]
    is_first: bool
    """Whether this is the first passage of the lesson."""
    words: dict[str, frozenset[str]]
    """Dict of language → the roots of all words."""
    whole: str
    """The normalised text of both languages together."""
    cited: frozenset[str]
    """The roots of words that are in the threads which the reason cites and not in the reason itself."""

    @property
    def counts(self) -> float:
        return SIGN_COUNTS if self.means else FIRST_COUNTS if self.is_first else 1.0


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons of a scenario. ``title``: the roots of the words of its title. ``having``: root → how many
    reasons have it."""

    title: frozenset[str]
    every: tuple[Reason, ...]
    having: Counter[str]

    def weight(self, word: str) -> float:
        """The weight of a word: its rarity, reduced if many reasons of this scenario have it or it is in the
        title."""
        rarity = _rarities().get(word, 0.0) * (TITLE_COUNTS if word in self.title else 1.0)
        return rarity * (1 - (1 - SHARED_COUNTS) * (self.having[word] - 1) / len(self.every))


def reason(scenario: str, question: str, wishes: Sequence[Wish]) -> Reason:
    """The scenario's reason with the highest score. If no reason has a word of the question, the first
    passage of the lesson."""
    reasons = _reasons()[scenario]
    language = SIMPLIFIED if CHINESE.search(question) else ENGLISH
    asked = set(roots_of(question))

    def worth(one: Reason) -> float:
        weights = {word: reasons.weight(word) for word in one.words[language]}
        points = sum(weight for word, weight in weights.items() if word in asked)
        points += CITED_COUNTS * sum(reasons.weight(word) for word in one.cited & asked)
        points += SAME_COUNTS * sum(wish.telling for wish in wishes if _says(one, wish))
        return points * one.counts / math.sqrt(EXTRA_WEIGHT + sum(weights.values()))

    return max(reasons.every, key=worth)


def _says(one: Reason, wish: Wish) -> bool:
    """Whether the reason contains a synonym of the term or, if it is an exact term (EXACT), the term
    itself."""
    if wish.same is not None and wish.same.search(one.whole):
        return True
    return wish.telling >= EXACT and wish.typed.search(one.whole) is not None


@cache
def _reasons() -> dict[str, Reasons]:
    """Dict of scenario → the passages of its lesson and its signs."""
    asked: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for thread in threads():
        for lesson in thread.lessons:
            asked[lesson][thread.of.split()[-1]].update(thread.words)
    found = {}
    for one in library():
        document = one.document
        passages = _passages(document["lesson"])
        known = asked[one.id]
        every = [_reason(passage, {}, known, at == 0) for at, passage in enumerate(passages)]
        every += [_reason(sign["see"], sign["means"], known) for sign in document.get("signs", ())]
        title = frozenset(root for text in document["title"].values() for root in roots_of(text))
        having = Counter(root for each in every for root in _roots(each))
        found[one.id] = Reasons(title, tuple(every), having)
    return found


@cache
def _rarities() -> dict[str, float]:
    every = [each for reasons in _reasons().values() for each in reasons.every]
    having = Counter(root for each in every for root in _roots(each))
    return {root: rarity_of(count, len(every)) for root, count in having.items()}


def _reason(
    text: dict[str, str],
    means: dict[str, str],
    known: Mapping[str, set[str]],
    is_first: bool = False,
) -> Reason:
    """Makes a reason of this text. ``known``: number of a thread that the scenario answers → the roots of the
    thread's words."""
    words = {name: frozenset(roots_of(f"{text[name]} {means.get(name, '')}")) for name in LANGUAGES}
    numbers = cited_by(f"{text[ENGLISH]} {means.get(ENGLISH, '')}")
    cited = frozenset(word for number in numbers for word in known.get(number, ()))
    whole = plain(" ".join([*text.values(), *means.values()]))
    return Reason(text, means, is_first, words, whole, cited.difference(*words.values()))


def cited_by(text: str) -> list[str]:
    """The numbers of the issues and pull requests that an English text cites."""
    return re.findall(r"\d+", " ".join(CITING.findall(text)))


def _roots(one: Reason) -> frozenset[str]:
    return frozenset().union(*one.words.values())


def _passages(part: dict[str, str]) -> list[dict[str, str]]:
    """The passages of a text in both languages, as dicts of language → text. A passage is a sentence, or two
    sentences if the second one cannot be understood without the first (LEANING)."""
    english, chinese = ([found.strip() for found in SENTENCES.findall(part[name])] for name in LANGUAGES)
    passages: list[dict[str, str]] = []
    is_joined = False
    for ours, theirs in _aligned(english, chinese):
        is_joined = bool(passages) and not is_joined and LEANING.match(ours) is not None
        if is_joined:
            before = passages.pop()
            ours, theirs = f"{before[ENGLISH]} {ours}", before[SIMPLIFIED] + theirs
        passages.append({ENGLISH: ours, SIMPLIFIED: theirs})
    return passages


def _aligned(english: list[str], chinese: list[str]) -> list[tuple[str, str]]:
    """A text in two languages, divided into pairs with the same meaning. Most pairs have one sentence of each
    language. Others have several sentences of one language, or a part of a Chinese sentence up to a
    semicolon."""
    if len(english) == len(chinese):
        return list(zip(english, chinese, strict=True))
    parts = [part for sentence in chinese for part in CLAUSES.findall(sentence)]
    sizes = sum(map(len, english)), sum(map(len, parts))
    best: dict[tuple[int, int], tuple[float, list[tuple[str, str]]]] = {(0, 0): (0.0, [])}
    for at in range(len(english) + 1):
        for there in range(len(parts) + 1):
            for ours, theirs in STEPS:
                if (before := best.get((at - ours, there - theirs))) is None:
                    continue
                pair = " ".join(english[at - ours : at]), "".join(parts[there - theirs : there])
                odd = len(set(NAME.findall(pair[1])) - set(NAME.findall(pair[0])))
                uneven = abs(len(pair[0]) / sizes[0] - len(pair[1]) / sizes[1])
                joins = ours - 1 + sum(not part.endswith("；") for part in parts[there - theirs : there - 1])
                cost = before[0] + odd + UNEVEN_COUNTS * uneven + joins + CUT_COUNTS * pair[1].endswith("；")
                if (at, there) not in best or cost < best[at, there][0]:
                    best[at, there] = cost, [*before[1], pair]
    return [(ours, re.sub("；$", "。", theirs)) for ours, theirs in best[len(english), len(parts)][1]]
