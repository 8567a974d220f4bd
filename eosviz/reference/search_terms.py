"""Finds the terms of a search text: its words, each with its synonyms from the catalogue's table
(`asked.toml`)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from engine.errors import Error
from engine.explain.exceptions import EARLIER, exception_name
from engine.scenario.shelf import library
from eosviz.catalogue import interface_words

ROW = "asked."
EMPTY = "asked.empty"
"""The key of the row with words that mean nothing for a search."""
BETWEEN = "asked.between"
"""The key of the row with words that may be left out inside a Chinese text: 事务一直没有结束 asks for 事务没有结束."""
SUBJECT = "asked.subject"
"""The key of the row with words that say what a question is about, not what went wrong. Their weight is
PLAIN."""
OUTSIDE = "asked.outside"
"""The key of the row with parts of Kafka about which lessons say little. No lesson fits a question with such
a word, unless one of its terms leads to a lesson."""
_BETWEEN = r"[\s\-_.,，、]{0,3}"
"""Matches what may be between the parts of one term: *exactly-once* is the same as *exactly once*, and
*transactional.id* the same as *TransactionalID*."""
_ENDINGS = ("ing", "ed", "es", "s")
"""Endings that different forms of an English word may have, the longest first."""
_STEM_MIN = 4
_CAPITAL_INSIDE = re.compile("(?<=[a-z])(?=[A-Z][A-Za-z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})")
"""Matches the positions at which a new part of a name begins: *initTransactions* is also *init_transactions*
and *init transactions*, and *KafkaJSError* has the words of *KafkaJS error*. *EoS* and *APIs* are one word
each."""
_JOINED = re.compile(r"\b(re|un|non|pre|de)-(?=[a-z])")
"""Matches a prefix that may be written with a hyphen: *re-read* is the word *reread*, not the word *read*."""
_EACH = re.compile(r"\bfor (?:each|every)\b")
_SCENARIO = re.compile(r"sc-\d+")
_LEAD = re.compile(rf"{_SCENARIO.pattern}|[a-z]+:[a-z_]+")
"""Matches the name of a scenario or page to which a row leads: `SC-101`, `replays:open_log`."""
_CLASS_NAME = "(?:exception|error)?"
"""Matches the ending of an error's class name: *InvalidProducerEpochException* is INVALID_PRODUCER_EPOCH."""
_TAGS = re.compile(r"^(?:\s*\[[^\]]*\]\s*:?|\s*(?:feat|fix|bug|docs|chore|test)(?:\([^)]*\))?:)+")
"""Matches tags at the beginning of a title of an issue or commit that was pasted as a question: *[Bug]:*,
*[FLINK-39218]*, *feat(kafka):*."""
_NUMBERED = re.compile(r"(?:kafka|kip)[\s\-]?\d+")
PLAIN, APART, KNOWN, EXACT = 0.6, 0.8, 1.0, 1.6
"""Weights of terms (`Wish.telling`). PLAIN: a word of everyday language. APART: a text of the table whose
words are in the question, but not together. KNOWN: a text of the table that is in the question as a whole.
EXACT: the text or name of an error, a name with `_`, or the number of an issue or KIP, which are not typed by
chance."""
EXACT_WORDS = 4
"""A text of the table with at least this many words counts as the text of an error."""
_TELLS_ENOUGH = 7.2
"""A text of the table whose words are not together in the question counts only if the sum of their weights
(`_texts`) is at least this, so that rare words are among them."""
_ROOT = 7
"""Two English words count as forms of one word if the first this many letters of their stems are the same."""
_TYPO_MIN = 5
"""Only a word with at least this many letters may have a typing error. If shorter words differ in one letter,
they are different words."""
_CHINESE = "\u3400-\u9fff"
CHINESE = re.compile(f"[{_CHINESE}]+")
_LATIN_WORD = re.compile("[a-z][a-z0-9]+|[0-9]{2,}")
"""Matches a word, or a number of at least two digits. A single letter or digit says nothing."""
_SEPARATORS = re.compile(r"[\s\-_.]+")
BEGINNING = 3
"""The table's words are looked up in a question by this many first letters, before the whole words are
compared."""
PATTERNS_KEPT = 1000
"""At most this many compiled patterns are kept. Compiling one takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of which any may be in a text. Their pattern is compiled when it is first needed."""

    texts: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        return _any_of(self.texts).search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return _any_of(self.texts).finditer(text)


@dataclass(frozen=True, slots=True)
class Wish:
    """One term of a search. ``typed``: the term as it was written. ``same``: its synonyms; None if the table
    does not have it. ``leads``: the normalised ids of scenarios and pages that answer it. ``parts``: the
    words of a Chinese term, for texts that have other words between them."""

    text: str
    typed: Words
    same: Words | None
    leads: tuple[str, ...]
    parts: tuple[Wish, ...] = ()
    telling: float = KNOWN
    is_extra: bool = False
    """Whether the term is a text of the table whose words are not together in the question. An entry need not
    contain it."""
    as_words: str = ""
    """If the term is a name in a program, the name as words: *rd kafka commit transaction* for
    *rd_kafka_commit_transaction*. Otherwise empty."""

    def in_text(self, text: str) -> re.Match[str] | None:
        return self.typed.search(text) or (self.same.search(text) if self.same else None)


Sought = tuple[int, str, tuple[tuple[str, ...], ...], tuple[str, ...]]
"""A word of the table: (its position in `_known`, the word, its rows, the parts that a text must contain to
have the word)."""


def plain(text: str) -> str:
    """The text in the form in which texts are compared: full-width letters become narrow, and capitals become
    small."""
    return unicodedata.normalize("NFKC", text).casefold()


def scenario_of(question: str) -> str | None:
    """The scenario's id if the whole question is one, such as `SC-44`, `sc44` or `SC 044`; else None."""
    typed = re.fullmatch(r"sc[\s\-_.]*0*(\d+)", plain(question).strip())
    return None if typed is None else _by_number().get(typed[1])


@cache
def _by_number() -> dict[str, str]:
    return {one.id.removeprefix("SC-").lstrip("0"): one.id for one in library()}


def understand(question: str) -> list[Wish]:
    """The terms of a search text. Words that mean nothing are terms only if there are no others. Empty if the
    text has no words."""
    question = _TAGS.sub("", question) or question
    wishes, rest = _take(_EACH.sub("per", plain(question)), lambda word: len(parts_of(word)) > 1)
    pieces_of_all = [part for piece in _pieces(plain(question)) for part in parts_of(piece)]
    pieces = _pieces(rest)
    # Words that mean nothing (EMPTY) are left out here: a row has *lingering transaction*, a question
    # *lingering Kafka transactions*.
    more, rest = _take(" ".join(_not_empty(pieces)), lambda word: _between().search(word) is not None)
    others, rest = _take(_between().sub("", rest), lambda word: True)
    wishes += more + others
    names = _names(question)
    left = _not_empty(_pieces(rest)) or ([] if wishes else pieces)
    words = [part for piece in left for part in _names_of(piece, names)]
    single = {_stem(piece): piece for piece in reversed(words)}
    wishes += [
        replace(_wish(piece, ()), as_words=names.get(piece, ""), telling=_telling_of(piece, PLAIN))
        for piece in reversed(single.values())
    ]
    return wishes + _apart(pieces_of_all, {wish.text for wish in wishes})


def _apart(pieces: list[str], taken: Collection[str]) -> list[Wish]:
    """As terms, those texts of the table of which all words are in the question, in any order."""
    asked = {_root(piece) for piece in pieces}
    there = [(word, rows, roots) for word, rows, roots in _texts() if roots <= asked]
    longest = [roots for _, _, roots in there] + [_roots(word) for word in taken]
    return [
        replace(_wish(word, rows), telling=APART, is_extra=True)
        for word, rows, roots in there
        if word not in taken
        and not any(roots < other for other in longest)
        and roots not in map(_roots, taken)
    ]


@cache
def _texts() -> tuple[tuple[str, tuple[tuple[str, ...], ...], frozenset[str]], ...]:
    """The texts of the table that `_apart` looks for: (text, its rows, the roots of its words)."""
    every = [(word, rows, _roots(word)) for word, rows in _known() if not CHINESE.search(word)]
    texts = [text for text in every if len(text[2]) > 1]
    having = Counter(root for _, _, roots in texts for root in roots)
    return tuple(
        text
        for text in texts
        if sum(math.log(len(texts) / having[root]) for root in text[2]) >= _TELLS_ENOUGH
    )


@cache
def _roots(text: str) -> frozenset[str]:
    return frozenset(_root(part) for part in _not_empty(parts_of(text)))


def roots_of(text: str) -> list[str]:
    """The roots of those words of a text that mean something, in the order of the text; and after them all
    pairs of neighbouring letters of its Chinese."""
    small = _JOINED.sub(r"\1", plain(_CAPITAL_INSIDE.sub(" ", text)))
    roots = [_root(word) for word in _not_empty(_LATIN_WORD.findall(small))]
    return roots + [run[at : at + 2] for run in CHINESE.findall(small) for at in range(len(run) - 1)]


def is_outside(wishes: Collection[Wish]) -> bool:
    """Whether a term is in the row OUTSIDE while no term leads to a scenario."""
    return any(wish.text in _row(OUTSIDE) for wish in wishes) and not any(wish.leads for wish in wishes)


def asked_for() -> dict[str, list[str]]:
    """Dict of normalised id of a scenario → the words of the table that lead to it."""
    found: dict[str, list[str]] = {}
    for word, rows in _known():
        for name in dict.fromkeys(name for row in rows for name in row if _SCENARIO.fullmatch(name)):
            found.setdefault(name, []).append(word)
    return found


def _root(word: str) -> str:
    """The beginning that different forms of an English word have in common, for example of *idempotence* and
    *idempotent*."""
    return _stem(word)[:_ROOT]


def _telling_of(text: str, otherwise: float) -> float:
    if text in _row(SUBJECT):
        return PLAIN
    is_name = "_" in text or text in error_names() or _NUMBERED.fullmatch(text)
    return EXACT if is_name or len(parts_of(text)) >= EXACT_WORDS else otherwise


def _not_empty(pieces: list[str]) -> list[str]:
    return [piece for piece in pieces if piece not in _empty() and not re.fullmatch(r"[a-z0-9]|\W+", piece)]


def _names(question: str) -> dict[str, str]:
    """Dict of compound name in the text (`initTransactions`, `producer_id`), normalised → the name as
    words."""
    found = {}
    for name in re.findall(r"\w+", question):
        words = _CAPITAL_INSIDE.sub(" ", name).replace("_", " ").strip()
        if " " in words:
            found[plain(name)] = words
    return found


def _names_of(piece: str, names: Collection[str]) -> list[str]:
    """The compound names in a call or a class with its package (*KafkaTemplate.executeInTransaction*). If
    there is none, the piece itself."""
    return [part for part in piece.split(".") if part in names] or [piece]


def _take(rest: str, is_sought: Callable[[str], bool]) -> tuple[list[Wish], str]:
    """Takes out of a text the words of the table that `is_sought` accepts. Returns a wish for each, and the text
    without them. Long ones are taken first: *hanging transaction* leaves no *transaction*."""
    wishes = []
    for _, word, rows, letters in _possible(rest):
        is_possible = all(part in rest for part in letters) and is_sought(word)
        places = _whole(word).finditer(rest) if is_possible else ()
        found = next((place for place in places if not _within_a_name(rest, place)), None)
        if found is None:
            continue
        rest = f"{rest[: found.start()]} {rest[found.end() :]}"
        wishes.append(replace(_wish(word, rows), telling=_telling_of(word, KNOWN)))
    return wishes, rest


def _within_a_name(text: str, found: re.Match[str]) -> bool:
    """Whether the word is only a part of a longer name, as `producer_id` is in
    INVALID_PRODUCER_ID_MAPPING."""
    before, after = text[: found.start()], text[found.end() :]
    return before.endswith("_") or after.startswith("_")


def _pieces(rest: str) -> list[str]:
    """The pieces of a text: single words, and sequences of Chinese letters."""
    pieces: list[str] = []
    for word in re.split(r"[\s,，、。？?！!（）()“”\"'`「」【】\[\]:：;；]+", rest):
        runs = re.findall(f"[{_CHINESE}]+|[^{_CHINESE}]+", word)
        pieces += [run.strip(".-/") for run in runs]
    return [piece for piece in pieces if piece and not piece.isspace()]


def _wish(text: str, rows: tuple[tuple[str, ...], ...]) -> Wish:
    others = dict.fromkeys(word for row in rows for word in row if word != text and not _LEAD.fullmatch(word))
    leads = dict.fromkeys(word for row in rows for word in row if _LEAD.fullmatch(word))
    # The word as it was typed comes before its stem, because matching the whole word counts more.
    typed = Words(tuple(dict.fromkeys((text, _stem(text)))))
    return Wish(text, typed, Words(tuple(others)) if others else None, tuple(leads))


@lru_cache(PATTERNS_KEPT)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    chinese = [_written(word) for word in words if CHINESE.match(word)]
    spaced = [_written(word) for word in words if not CHINESE.match(word)]
    return re.compile("|".join([*chinese, *([rf"(?<![a-z0-9])(?:{'|'.join(spaced)})"] if spaced else [])]))


def _begins(word: str) -> str:
    """A pattern that finds ``word`` at the beginning of a word of a text. Chinese has no gaps between words,
    so it is found anywhere."""
    return ("" if CHINESE.match(word) else "(?<![a-z0-9])") + _written(word)


def _written(word: str) -> str:
    """A pattern that finds the parts of a word with separators between them."""
    return _BETWEEN.join(map(re.escape, parts_of(word)))


def parts_of(word: str) -> list[str]:
    """The parts of a word between its separators."""
    return [part for part in _SEPARATORS.split(word) if part]


def _stem(word: str) -> str:
    """An English word without its ending, so that *upgrading* finds *upgraded*. Other words, and words
    without such an ending, stay unchanged."""
    if not re.fullmatch("[a-z]+", word):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            stem = word.removesuffix(ending)
            doubled = len(stem) > _STEM_MIN and stem[-1] == stem[-2] and ending in ("ing", "ed")
            return stem[:-1] if doubled else stem
    return word


def corrected(wish: Wish, words: Collection[str]) -> str | None:
    """The stem of the word in `words` from which the term differs by one typing error after its first letter.
    None if there is no such word or several with different stems, and if the term is short or known."""
    text = wish.text
    if wish.same is not None or not re.fullmatch(f"[a-z]{{{_TYPO_MIN},}}", text):
        return None
    near = {_stem(word) for word in words if word[0] == text[0] and _is_one_error(text, word)}
    return near.pop() if len(near) == 1 else None


def _is_one_error(typed: str, meant: str) -> bool:
    if abs(len(typed) - len(meant)) > 1 or typed == meant:
        return False
    start = next((at for at, pair in enumerate(zip(typed, meant, strict=False)) if pair[0] != pair[1]), -1)
    if start < 0:
        return True
    rest, other = typed[start:], meant[start:]
    swapped = other[1:2] + other[:1] + other[2:]
    return rest == swapped or rest[1:] == other or rest == other[1:] or rest[1:] == other[1:]


def in_parts(wish: Wish, is_there: Callable[[str], bool]) -> list[Wish]:
    """The terms by which a term is searched: the term itself or, if it is in no entry, its parts."""
    if wish.as_words and not is_there(wish.text):
        return understand(wish.as_words)
    is_known = wish.same is not None or wish.leads
    if is_known or not CHINESE.fullmatch(wish.text):
        return [wish]
    if is_there(wish.text):
        return [replace(wish, parts=_in_words(wish.text))]
    parts, rest = [], wish.text
    while rest:
        length = 1
        while length < len(rest) and is_there(rest[: length + 1]):
            length += 1
        if length > 1 and rest[:length] not in _empty():
            parts.append(_wish(rest[:length], ()))
        rest = rest[length:]
    return parts or [wish]


def _in_words(run: str) -> tuple[Wish, ...]:
    """A sequence of Chinese letters as words of two letters each. Empty if it has fewer than four letters or
    an odd number of them."""
    if len(run) < 4 or len(run) % 2:
        return ()
    return tuple(_wish(run[at : at + 2], ()) for at in range(0, len(run), 2))


@cache
def _whole(word: str) -> re.Pattern[str]:
    if CHINESE.search(word[-1]):
        return re.compile(_begins(word))
    if word in error_names():
        return re.compile(f"{_begins(word)}{_CLASS_NAME}(?![a-z0-9])")
    base = _without_e(word)
    if base is None:
        return re.compile(f"{_begins(word)}(?![a-z0-9])")
    endings = "|s|es|ed|ing" if base == word else "e|es|ed|ing"
    return re.compile(f"{_begins(base)}(?:{endings})(?![a-z0-9])")


def _without_e(word: str) -> str | None:
    """The part of a word that stays the same when its ending changes; None if its ending cannot change."""
    last = parts_of(word)[-1]
    may_end = re.fullmatch("[a-z]+", last) and len(last) >= _STEM_MIN
    return word.removesuffix("e") if may_end else None


@cache
def _by_beginning() -> dict[str, tuple[Sought, ...]]:
    """Dict of first letters → the words of the table that begin with them."""
    found: dict[str, list[Sought]] = {}
    for order, (word, rows) in enumerate(_known()):
        letters = tuple(parts_of(_without_e(word) or word))
        found.setdefault(letters[0][:BEGINNING], []).append((order, word, rows, letters))
    return {beginning: tuple(words) for beginning, words in found.items()}


def _possible(text: str) -> list[Sought]:
    """The words of the table whose first letters are in a text. Long words come first."""
    sizes = range(1, BEGINNING + 1)
    there = {text[at : at + size] for size in sizes for at in range(len(text) - size + 1)}
    known = _by_beginning()
    return sorted(word for beginning in there & known.keys() for word in known[beginning])


@cache
def _known() -> tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]:
    """The words of the table, each with the rows that contain it. Long words come first: *producer epoch*
    before *producer*."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for key in interface_words():
        if not key.startswith(ROW) or key in (EMPTY, BETWEEN, SUBJECT):
            continue
        row = _row(key)
        for word in row:
            if not _LEAD.fullmatch(word):
                found.setdefault(word, []).append(row)
    longest_first = sorted(found, key=lambda word: (-len(word), word))
    return tuple((word, tuple(found[word])) for word in longest_first)


@cache
def _row(key: str) -> tuple[str, ...]:
    """The words of a row in all languages, and the other names of the errors among them."""
    row = interface_words()[key]
    texts = _CAPITAL_INSIDE.sub(" ", f"{row.en},{row.zh}")
    words = [word.strip() for word in plain(texts).split(",") if word.strip()]
    return tuple(dict.fromkeys([*words, *(name for word in words for name in error_names().get(word, ()))]))


@cache
def error_names() -> dict[str, tuple[str, ...]]:
    """Dict of normalised name of an error → its other names: that of its exception, with and without the
    ending, and those of earlier versions of Kafka."""
    others = {error: [exception_name(error)] for error in Error}
    for name, error in EARLIER.items():
        others[error].append(name)
    return {
        plain(error.name): tuple(plain(one) for name in names for one in (name, *_without_ending(name)))
        for error, names in others.items()
    }


@cache
def error_letters() -> dict[str, frozenset[str]]:
    """Dict of normalised name of an error → all its names, as letters and digits only."""
    return {error: frozenset(map(letters_of, (error, *others))) for error, others in error_names().items()}


def letters_of(name: str) -> str:
    """The letters and digits of a name. So *producer fenced* and `PRODUCER_FENCED` are equal, once
    normalised."""
    return re.sub(r"[\W_]", "", name)


def _without_ending(exception: str) -> list[str]:
    """The name of an exception without *Exception*, as *InvalidPidMapping*, in a list. Empty if only one word
    is left, such as *Timeout*."""
    name = exception.removesuffix("Exception")
    return [name] if name != exception and _CAPITAL_INSIDE.search(name) else []


@cache
def _between() -> re.Pattern[str]:
    words = (word for word in _row(BETWEEN) if CHINESE.fullmatch(word))
    return re.compile("|".join(sorted(words, key=len, reverse=True)))


@cache
def _empty() -> frozenset[str]:
    return frozenset(_row(EMPTY))
