"""The search over scenarios, tracks, pages and the reference, in both languages. Its index is built once, in
memory. `search_terms.py` finds the terms of a question, and `search_ranks.py` ranks the scenarios for a
question of several terms."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from engine.explain.sentences import LANGUAGES
from engine.scenario.shelf import library
from engine.scenario.tracks import tracks
from eosviz.catalogue import say
from eosviz.reference import tables
from eosviz.reference.search_ranks import Threads, fused, words_of_threads
from eosviz.reference.search_shelf import LATER_LEAD, POINTS, Entry, Shelf
from eosviz.reference.search_terms import (
    CHINESE,
    EXACT,
    Wish,
    corrected,
    error_letters,
    in_parts,
    is_outside,
    letters_of,
    plain,
    understand,
)
from eosviz.reference.signatures import signatures
from eosviz.scenarios.libraries import behaviours

KINDS = (
    "track",
    "scenario",
    "session",
    "signature",
    "library",
    "term",
    "error",
    "page",
    "requirement",
    "limit",
)
LESSON = "scenario"
"""The kind of entry that answers most questions: scenarios."""
BESIDE_A_LESSON = ("page", "limit")
"""Kinds of entries whose texts contain words of most questions. `_weighed` keeps such an entry only if a term
leads to it, or if one of its terms is RARE and its score is also near (NEAR) to that of the best scenario."""
RARE = math.log(1 + 20)
"""The rarity of a term that is in one of twenty entries. A rarer term counts as rare."""
PAGES = (
    ("tracks:index", "page.tracks", "tracks.introduction"),
    ("scenarios:library", "page.library", "library.introduction"),
    ("replays:open_log", "replays.log", "replays.log.why"),
    ("walkthroughs:compare", "compare.title", "compare.introduction"),
    ("walkthroughs:generations", "generations.title", "generations.introduction"),
    ("replays:import", "replays.import", "replays.import.why"),
    ("workshop:gallery", "workshop.title", "workshop.introduction"),
    ("pipeline:index", "sweeps.title", "sweeps.why"),
    ("classroom:index", "page.classes", "classroom.why"),
    ("reference:machines", "reference.machines", "reference.machines.why"),
    ("reference:code", "reference.code", "reference.code.why"),
    ("reference:errors", "reference.errors", "reference.errors.why"),
    ("reference:signatures", "reference.signatures", "reference.signatures.why"),
    ("reference:libraries", "reference.libraries", "reference.libraries.why"),
    ("reference:versions", "reference.versions", "reference.versions.why"),
    ("reference:requirements", "reference.requirements", "reference.requirements.why"),
    ("reference:contradictions", "reference.contradictions", "reference.contradictions.why"),
    ("reference:middleware", "reference.middleware", "reference.middleware.why"),
    ("reference:terms", "reference.terms", "reference.terms.why"),
    ("reference:limits", "reference.limits", "reference.limits.why"),
    ("reference:player", "reference.player", "reference.player.why"),
)
"""The pages that the search finds, as (route name, key of the title, key of the description)."""
EXCERPT = {"en": 150, "zh-Hans": 75}
"""Dict of language → the length of the part of an entry's text that is shown around a match, in letters. It
fills two lines."""
SENTENCE_ENDS = re.compile(r"[.!?] |[。！？]")
WORD_END = re.compile("[a-z]*")
LATIN_LETTERS = re.compile("[A-Za-z0-9_.]+")
CUT = 16
"""An excerpt is cut at a space, if there is one within this many letters."""
LED = POINTS["lead"] - LATER_LEAD
"""The score of a term's second lead. `_weighed` keeps an entry with at least this score for one term, even if
the entry lacks the other terms."""
EXACT_LEADS = 2
"""`_weighed` keeps this many leads of each exact term (EXACT) of a question, even if the other terms lead to
entries with much higher scores."""
MANY_TERMS = 3
NEAR = 0.5
"""`_weighed` keeps an entry only if its score is at least this share of the best score of its kind. Leads of
an exact term (EXACT_LEADS) and pages to which a term leads are always kept."""
LEAST, FAR = 8, 0.2
"""`_ranked` keeps the first LEAST scenarios, and further ones that have at least the share FAR of the best
one's points."""
SECOND = 0.99
"""If a question has two terms, a scenario with only one of them gets at most this share of the lowest score
of the scenarios with both."""
LIKELY, UNLIKELY = 0.8, 1.8
"""Probably no scenario answers a question if the fit that `Threads.by_words` returns is below LIKELY or, if
no term leads to a scenario, below UNLIKELY."""
CHINESE_FITS = 0.5
"""For a question with Chinese, LIKELY and UNLIKELY are multiplied by this. Its words are all pairs of
neighbouring letters, and the known threads are in English, so fits are lower."""
MOST_TERMS = 0.6
"""`_weighed` keeps an entry that is no scenario only if it has at least this share of the terms. Some words,
such as *transaction* and *commit*, are in most entries of the reference."""
OTHER_FIELD = 0.4
"""`_weighed` multiplies the score of a scenario about middleware by this, unless a term leads to such a
scenario. Words like *local* or *fails* are also in questions about Kafka."""


Pieces = list[tuple[str, bool]]
"""A text in pieces, each with True if a term of the search matches the piece."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that matches, in one language. `wishes`: the terms of the search."""

    kind: str
    identifier: str
    title: str
    text: str
    wishes: tuple[Wish, ...]
    excerpt_most: int

    @property
    def excerpt(self) -> str:
        return excerpt(self.text, self.wishes, self.excerpt_most)

    @property
    def title_pieces(self) -> Pieces:
        return in_pieces(self.title, self.wishes)

    @property
    def identifier_pieces(self) -> Pieces:
        return in_pieces(self.identifier, self.wishes)

    @property
    def excerpt_pieces(self) -> Pieces:
        return in_pieces(self.excerpt, self.wishes)

    @property
    def is_led(self) -> bool:
        """Whether a term of the search leads to the entry."""
        return any(plain(self.identifier) in wish.leads for wish in self.wishes)

    def asks_for(self, names: Iterable[str]) -> list[str]:
        """Those of the `names` that the reader searched for: a term of the search is the whole name."""
        asked = {wish.text for wish in self.wishes}
        return [name for name in names if plain(name) in asked]


def is_marked(*texts: Pieces) -> bool:
    return any(matched for pieces in texts for _, matched in pieces)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a search. ``found``: kind → its matches, the best one first. ``is_partial``: whether no
    entry contains all terms. ``is_far``: whether probably no scenario answers the question."""

    found: dict[str, list[Found]]
    is_partial: bool
    is_far: bool


def answer(question: str, language: str, own: Sequence[Entry] = (), known: Threads | None = None) -> Answer:
    """Search all entries and ``own``, the entries of the reader's own sessions. ``known``: the threads whose
    answers the search knows; None: all threads."""
    answered = _answer(question, language, own, known)
    errors = answered.found.get("error")
    called = None if errors is None else _error_called(question)
    if called is None or errors is None:
        return answered
    others = {kind: matches for kind, matches in answered.found.items() if kind != "error"}
    first = sorted(errors, key=lambda match: plain(match.identifier) != called)
    return replace(answered, found={"error": first, **others})


@cache
def prepare() -> None:
    """Build what every search needs. It takes seconds, which the first question then need not wait."""
    _answer("stuck transaction", LANGUAGES[0], (), None)


def _error_called(question: str) -> str | None:
    """The normalised name of the error that the question asks for; None if it asks for none. The error's
    name, or that of its Java exception, must be the whole question or its only term, as in *what does …
    mean*."""
    asked = [wish.text for wish in understand(question) if not wish.is_extra]
    texts = (plain(question.strip().rpartition(".")[2]), *(asked if len(asked) == 1 else ()))
    called = {letters_of(text) for text in texts}
    return next((error for error, names in error_letters().items() if called & names), None)


def _answer(question: str, language: str, own: Sequence[Entry], known: Threads | None) -> Answer:
    shelves = (known_entries(), Shelf(own))
    every = (*entries(), *own)
    question, wishes = _understood(question, shelves)
    scores = [[points for shelf in shelves for points in shelf.points(wish)] for wish in wishes]
    asked = [row for row, wish in zip(scores, wishes, strict=True) if not wish.is_extra]
    worths = [sum(column) if all(column) else 0.0 for column in zip(*asked, strict=True)]
    is_partial = not any(worths)
    if len(asked) < 2 and not (is_partial and len(wishes) > 1):
        return Answer(_by_kind(worths, scores, every, wishes, language), is_partial, False)
    weighed = _weighed(every, wishes, scores)
    ranked, fit = _ranked(question, every, weighed, known)
    complete = [worth for worth, entry in zip(worths, every, strict=False) if worth and entry.kind == LESSON]
    is_whole = len(asked) >= MANY_TERMS or not complete
    if is_whole:
        worths = weighed
        best = max(worth for worth, entry in zip(worths, every, strict=True) if entry.kind == LESSON)
    else:
        best = min(complete) * SECOND
    shares = [(best or 1.0) * ranked.get(entry.identifier, 0.0) for entry in every]
    worths = [
        share if entry.kind == LESSON and (is_whole or not worth) else worth
        for entry, worth, share in zip(every, worths, shares, strict=True)
    ]
    least = LIKELY if any(wish.leads for wish in wishes) else UNLIKELY
    is_far = fit < least * (CHINESE_FITS if CHINESE.search(question) else 1.0) or is_outside(wishes)
    found = _by_kind(worths, scores, every, wishes, language)
    return Answer(found, is_partial, is_far and (is_partial or len(asked) >= MANY_TERMS))


def _ranked(
    question: str, every: Sequence[Entry], weighed: list[float], known: Threads | None
) -> tuple[dict[str, float], float]:
    """Dict of scenario → its share of the best one's points (`fused`), the best first; and the fit that
    `Threads.by_words` returns. `weighed`: the score of each entry of `every`."""
    found = sorted(
        (-worth, order)
        for order, (worth, entry) in enumerate(zip(weighed, every, strict=True))
        if worth and entry.kind == LESSON
    )
    points, fit = fused([every[order].identifier for _, order in found], question, known)
    most = max(points.values(), default=1.0)
    shares = {name: point / most for name, point in points.items()}
    return {
        name: share for place, (name, share) in enumerate(shares.items()) if place < LEAST or share >= FAR
    }, fit


def _weighed(every: Sequence[Entry], wishes: list[Wish], scores: list[list[float]]) -> list[float]:
    """The score of each entry: the points of its terms, weighted by their rarity and by `Wish.telling`. 0 for
    an entry that is left out. `scores`: for each term, the points of each entry."""
    rarities = [math.log(1 + len(every) / max(1, sum(map(bool, row)))) for row in scores]
    weights = [wish.telling * rarity for wish, rarity in zip(wishes, rarities, strict=True)]
    known = sum(any(row) for row, wish in zip(scores, wishes, strict=True) if not wish.is_extra)
    terms = min(2, sum(any(row) for row in scores))
    worths: list[float] = []
    best: dict[str, float] = {}
    led = {lead for wish in wishes for lead in wish.leads}
    is_about_middleware = any(not entry.is_kafka and entry.name in led for entry in every)
    for entry, own in zip(every, zip(*scores, strict=True), strict=True):
        if not any(own):
            worths.append(0.0)
            continue
        worth = sum(weight * points for weight, points in zip(weights, own, strict=True))
        worth *= 1.0 if entry.is_kafka or is_about_middleware else OTHER_FIELD
        least = terms if entry.kind == LESSON else max(terms, math.ceil(MOST_TERMS * known))
        is_met = sum(map(bool, own)) >= least or max(own) >= LED
        if entry.kind in BESIDE_A_LESSON and entry.name not in led:
            is_met &= any(points and rarity >= RARE for points, rarity in zip(own, rarities, strict=True))
        worths.append(worth if is_met else 0.0)
        best[entry.kind] = max(best.get(entry.kind, 0.0), worths[-1])
    for kind in BESIDE_A_LESSON:
        best[kind] = max(best.get(kind, 0.0), best.get(LESSON, 0.0))
    kept = {lead for wish in wishes if wish.telling >= EXACT for lead in wish.leads[:EXACT_LEADS]}
    kept |= {entry.name for entry in every if entry.kind in BESIDE_A_LESSON and entry.name in led}
    return [
        worth if worth >= NEAR * best.get(entry.kind, 0.0) or entry.name in kept else 0.0
        for entry, worth in zip(every, worths, strict=True)
    ]


def _understood(question: str, shelves: Sequence[Shelf]) -> tuple[str, list[Wish]]:
    """The question with its typing errors corrected, and its terms."""

    def is_there(text: str) -> bool:
        return any(text in shelf.joined for shelf in shelves)

    wishes = understand(question)
    meant = {
        wish.text: word
        for wish in wishes
        if not is_there(wish.text)
        and wish.text not in words_of_threads()
        and (word := corrected(wish, _vocabulary())) is not None
    }
    if meant:
        question = re.sub(r"\w+", lambda word: meant.get(plain(word[0]), word[0]), question)
        wishes = understand(question)
    return question, [part for wish in wishes for part in in_parts(wish, is_there)]


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(
        word for entry in entries() for word in re.findall(r"(?<![\w.])[a-z]+(?![\w.])", entry.whole)
    )


def _by_kind(
    worths: Sequence[float],
    scores: Sequence[Sequence[float]],
    every: Sequence[Entry],
    wishes: list[Wish],
    language: str,
) -> dict[str, list[Found]]:
    ranked = [
        (-worth, KINDS.index(entry.kind), order, entry)
        for order, (worth, entry) in enumerate(zip(worths, every, strict=False))
        if worth > 0
    ]
    found: dict[str, list[Found]] = {}
    is_named: dict[str, bool] = {}
    for _, _, order, entry in sorted(ranked, key=lambda row: row[:3]):
        shown = Found(
            entry.kind,
            entry.identifier,
            entry.title[language],
            entry.text[language],
            tuple(wishes),
            EXCERPT[language],
        )
        is_named.setdefault(entry.kind, _is_named([row[order] for row in scores], wishes))
        found.setdefault(entry.kind, []).append(shown)
    best = next((kind for kind in found if kind == LESSON or (is_named[kind] and kind != "limit")), LESSON)
    return {kind: found[kind] for kind in dict.fromkeys((best, LESSON, *found)) if kind in found}


def _is_named(points: Sequence[float], wishes: list[Wish]) -> bool:
    """Whether the name, title or keywords of an entry match an exact term of the question, or terms that have
    together at least half of the weight of all terms. ``points``: the entry's points for each term."""
    asked = [wish for wish in wishes if not wish.is_extra]
    named = [
        wish
        for wish, point in zip(wishes, points, strict=True)
        if point >= POINTS["title, same"] and not wish.is_extra
    ]
    weight = sum(wish.telling for wish in named)
    return weight >= sum(wish.telling for wish in asked) / 2 or any(wish.telling >= EXACT for wish in named)


def session_entry(identifier: str, scenario: str, title: dict[str, str], text: dict[str, str]) -> Entry:
    """The entry of a session. It is found by its title, its text and the id of its scenario."""
    made = _entry("session", identifier, title, text, scenario, (scenario,))
    return replace(made, name=plain(scenario))


def in_pieces(text: str, wishes: Iterable[Wish]) -> Pieces:
    """The text, divided into pieces that match a term and pieces that do not. A match is extended to the end
    of its word. A single Chinese character is no match, because it may be a part of any word, unless it is all that
    the search contains."""
    small, wishes = text.casefold(), list(wishes)
    if len(small) != len(text):
        return [(text, False)]
    least = min(2, max((len(wish.text) for wish in wishes), default=0))
    is_matched = [False] * len(text)
    for start, end in _places(small, wishes):
        is_matched[start:end] = [True] * (end - start)
    found = groupby(zip(text, is_matched, strict=True), key=lambda letter: letter[1])
    runs = [("".join(letter for letter, _ in letters), matched) for matched, letters in found]
    shown = [(run, matched and (len(run) >= least or not CHINESE.match(run))) for run, matched in runs]
    return [
        ("".join(run for run, _ in some), matched) for matched, some in groupby(shown, key=lambda one: one[1])
    ]


def _places(small: str, wishes: Iterable[Wish]) -> Iterator[tuple[int, int]]:
    """(start, end) of each match of a term or synonym in a text in lower case."""
    for wish in wishes:
        for pattern in filter(None, (wish.typed, wish.same)):
            for place in pattern.finditer(small):
                ending = WORD_END.match(small, place.end()) if place[0][-1:].isascii() else None
                yield place.start(), ending.end() if ending else place.end()
        yield from _places(small, wish.parts)


def excerpt(text: str, wishes: Sequence[Wish], most: int = EXCERPT["en"]) -> str:
    """The part of a text, about ``most`` letters long, whose matches have together the highest weight. If
    nothing matches, the beginning of the text."""
    if len(text) <= most:
        return text
    small = text.casefold()
    written = [replace(wish, same=None) for wish in wishes]
    matches = [(wish, place) for wish in (*wishes, *written) for place, _ in _places(small, (wish,))]

    def worth(start: int) -> float:
        shown = range(start, start + most - CUT)
        there = {(wish.text, wish.same is None): wish.telling for wish, place in matches if place in shown}
        return sum(there.values())

    starts = sorted({_start_of(text, place, most) for _, place in matches})
    start = max(starts, key=worth, default=0)
    cut = _cut(text, start, start + most)
    return cut if start == 0 else f"… {cut}"


def _start_of(text: str, place: int, most: int) -> int:
    """The position in `text` at which an excerpt begins that contains the match at `place`: the beginning of
    a sentence or of a word."""
    begun = max((end.end() for end in SENTENCE_ENDS.finditer(text, 0, place)), default=0)
    if place - begun < most * 2 // 3:
        return begun
    start = max(0, place - most // 3)
    space = text.find(" ", start, start + CUT) if start else -1
    if space >= 0:
        return space + 1
    words = LATIN_LETTERS.finditer(text, max(0, place - most * 2 // 3), place)
    return next((word.start() for word in words if word.start() < start < word.end()), start)


def _cut(text: str, start: int, end: int) -> str:
    """The text from `start` to `end`, shortened to whole words, with `…` if it does not reach the end of the
    text."""
    if end < len(text) and (space := text.rfind(" ", end - CUT, end)) >= 0:
        end = space
    elif end < len(text):
        words = LATIN_LETTERS.finditer(text, max(start + 1, end - 2 * CUT))
        end = next((word.start() for word in words if word.start() < end < word.end()), end)
    return f"{text[start:end]}{' …' if end < len(text) else ''}"


@cache
def known_entries() -> Shelf:
    """All entries except sessions, in a form in which terms can be looked up."""
    return Shelf(entries())


@cache
def entries() -> tuple[Entry, ...]:
    """All entries except sessions, by kind, in the order of `KINDS`."""
    made = (_tracks, _scenarios, _signatures, _libraries, _terms, _errors, _pages, _requirements, _limits)
    return tuple(entry for one in made for entry in one())


def _entry(
    kind: str,
    identifier: str,
    title: dict[str, str],
    text: dict[str, str],
    more: str = "",
    keywords: Iterable[str] = (),
) -> Entry:
    titles, known = " ".join(title.values()), frozenset(map(plain, keywords))
    whole = plain(" ".join([identifier, titles, *text.values(), more, *known]))
    return Entry(kind, identifier, title, text, plain(identifier), plain(titles), known, whole)


def _worded(*keys: str) -> dict[str, str]:
    return {language: _joined(language, (say(key, language) for key in keys)) for language in LANGUAGES}


def _joined(language: str, sentences: Iterable[str]) -> str:
    joined = " ".join(sentence for sentence in sentences if sentence)
    return re.sub("(?<=[。！？]) ", "", joined) if language == "zh-Hans" else joined


def _scenarios() -> list[Entry]:
    found = []
    for scenario in library():
        document = scenario.document
        parts = [
            words
            for name in ("summary", "watch_for", "lesson")
            if isinstance(words := document.get(name), dict)
        ]
        parts += [words for sign in document.get("signs", ()) for words in (sign["see"], sign["means"])]
        text = {
            language: _joined(language, (part.get(language, "") for part in parts)) for language in LANGUAGES
        }
        variants = (text for variant in document.get("variants", ()) for text in variant["title"].values())
        covers = document.get("covers", ())
        made = _entry("scenario", scenario.id, document["title"], text, " ".join(variants), covers)
        found.append(replace(made, is_kafka="middleware" not in document))
    return found


def _tracks() -> list[Entry]:
    return [
        _entry("track", track.name, track.title, track.about, " ".join(item.scenario for item in track.items))
        for track in tracks()
    ]


def _pages() -> list[Entry]:
    holds = {"reference:player": tables.player_words()}
    return [
        _entry("page", route, _worded(title), _worded(text, *holds.get(route, ())))
        for route, title, text in PAGES
    ]


def _limits() -> list[Entry]:
    """One entry for each text that says what the engine does not model. The title is the text's first
    sentence."""
    found = []
    for key in tables.limits():
        parted = {language: _begun(say(key, language)) for language in LANGUAGES}
        title = {language: first for language, (first, _) in parted.items()}
        found.append(_entry("limit", key, title, {language: rest for language, (_, rest) in parted.items()}))
    return found


def _begun(text: str) -> tuple[str, str]:
    """(first sentence without its full stop, the rest of the text)."""
    first = SENTENCE_ENDS.split(text, 1)[0].rstrip(".。")
    return first, text[len(first) + 1 :].strip()


def _errors() -> list[Entry]:
    return [
        _entry(
            "error",
            error.name,
            dict.fromkeys(LANGUAGES, error.name),
            _worded(*(key for _, key in error.keys), error.outcome_key),
            str(error.code),
        )
        for error in tables.errors()
    ]


def _signatures() -> list[Entry]:
    found = []
    for one in signatures():
        text = {
            language: _joined(language, (part[language] for _, part in one.parts)) for language in LANGUAGES
        }
        names = (*one.issues, *one.errors)
        found.append(_entry("signature", one.name, one.title, text, " ".join(one.signs), names))
    return found


def _libraries() -> list[Entry]:
    found = []
    for one in behaviours():
        text = {
            language: _joined(language, (one.has[language], one.lacks[language])) for language in LANGUAGES
        }
        names = (one.source, one.request, *(cell.library for cell in one.cells))
        found.append(_entry("library", one.name, one.title, text, "", names))
    return found


def _terms() -> list[Entry]:
    return [
        _entry("term", term.name, _worded(term.key), _worded(term.what))
        for term in tables.terms(tables.TERM, tables.HOUSE)
    ]


def _requirements() -> list[Entry]:
    return [
        _entry("requirement", name, dict.fromkeys(LANGUAGES, name), _worded(tables.REQUIREMENT + name))
        for name in tables.requirements()
    ]
