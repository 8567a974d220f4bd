"""Reads the pseudocode documents, and checks them when they are loaded.

A document is a text file in ``documents/``. The lines above ``---`` describe it: ``kafka`` names the classes
of Kafka that it explains, ``machines`` the state machines whose rows it carries out, and ``decides`` the
tables of tests that it carries out. The code is below ``---``, with two spaces for each level. In a line,
``@`` begins a *tie*, which connects the line with the rest of the engine:

- ``broker.appended``: a key of the catalogue. A step that says this sentence was at this line. A row of a
  state machine is tied by its ``why``.
- ``producer_append?decision.epoch``: a test of a table of tests.
- ``SEQ-12``: a requirement that the line carries out.
- ``only_if:verifies_partitions``, ``unless:…``: a field of the profile. A version without it (with it) has
  neither the line nor the lines that are indented under it. Above ``---`` the tie holds for the whole
  document.

A line that begins with ``~ `` is the line above it in Chinese: only words of the language are translated,
keywords and Kafka's names stay. A line of names and signs alone needs no translation. A line in which words
follow each other must have one.

``# code.<component>.<word>`` is a comment. Its text is in the catalogue, in both languages, like the
component's title (``code.<component>``) and description (``code.<component>.about``). This module knows no
protocol: it reads and checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from typing import Any
from unicodedata import east_asian_width

from engine.broker import append_rules
from engine.client.produce_reactions import DECISIONS
from engine.errors import EngineError
from engine.explain.in_force import needs
from engine.explain.machines import machines
from engine.explain.requirements import text_key
from engine.explain.sentences import catalogue
from engine.machine import Row
from engine.profile import Profile, holds
from engine.profiles import PROFILES
from engine.telling.batches import question_key
from engine.telling.rows import row_key

INDENT = 2
TIE = re.compile(r"\s+@ ")
RULE = re.compile(r"[A-Z]+-\d+\Z")
IN_CHINESE = "~ "
CONDITIONS = ("only_if", "unless")
KEYWORDS = frozenset(
    ("await", "else", "for", "if", "in", "is", "loop", "not", "and", "on", "or", "raise", "return", "while")
)
WORD = re.compile(r"\(?([a-z][a-z'-]*)[,:;.)]*\Z")
WIDTH_MAX = 60
"""A line of code has at most this many columns; a longer one would not fit beside the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: code (``text``) or a comment (``comment``, a key of the catalogue). ``depth``: its level.
    ``chinese``: the code in Chinese, if that differs. ``says`` and ``decides``: the sentences and tests that
    are tied to it. ``rules``: the requirements that it carries out. ``kafka``: class and method of a tied
    sentence or test, or None. ``only_if`` and ``unless``: fields of the profile."""

    depth: int
    text: str
    chinese: str | None
    comment: str | None
    says: tuple[str, ...]
    decides: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]
    only_if: tuple[str, ...]
    unless: tuple[str, ...]

    def exists_in(self, profile: Profile) -> bool:
        """Whether a version has this line."""
        return all(holds(profile, field, None) for field in self.only_if) and all(
            holds(profile, None, field) for field in self.unless
        )

    def code(self, language: str) -> str:
        return self.chinese if self.chinese and language == "zh-Hans" else self.text

    @property
    def kafka(self) -> str | None:
        for key in (*self.says, *(key for _, key in self.decides)):
            known = catalogue().get(key)
            if known is not None and known.source:
                return known.source
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One document. ``kafka``: the classes of Kafka that it explains; empty for a component that Kafka does
    not have."""

    name: str
    kafka: str
    machines: tuple[str, ...]
    decides: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        return f"code.{self.name}"

    @property
    def about(self) -> str:
        return f"code.{self.name}.about"


def read_component(name: str, text: str) -> Component:
    """Read the text of a document. Raises EngineError that names the first wrong line."""
    head, found, body = text.partition("\n---\n")
    if not found:
        raise EngineError(f"{name}: no line '---' between the words and the code")
    words = {line.split(" ", 1)[0]: line.partition(" ")[2] for line in head.splitlines() if line.strip()}
    above = head.count("\n") + 3
    lines: list[Line] = []
    of_all = tuple(tuple(words.get(word, "").split()) for word in CONDITIONS)
    for number, line in enumerate(body.splitlines(), above):
        place = f"{name}:{number}"
        if line.lstrip().startswith(IN_CHINESE):
            lines.append(_in_chinese(place, line, lines.pop() if lines else None))
        else:
            read = _line(place, line)
            over = next((one for one in reversed(lines) if one.text and one.depth < read.depth), None)
            only_if, unless = of_all if over is None else (over.only_if, over.unless)
            lines.append(replace(read, only_if=(*only_if, *read.only_if), unless=(*unless, *read.unless)))
    return Component(
        name=name,
        kafka=words.get("kafka", ""),
        machines=tuple(words.get("machines", "").split()),
        decides=tuple(words.get("decides", "").split()),
        lines=tuple(lines),
    )


def _in_chinese(place: str, line: str, above: Line | None) -> Line:
    text = line.strip().removeprefix(IN_CHINESE)
    if above is None or not above.text or above.chinese:
        raise EngineError(f"{place}: no line of code above that has no Chinese yet")
    _spaces(place, line, above.depth)
    _fits(place, INDENT * above.depth + columns(text))
    return replace(above, chinese=text)


def _line(place: str, line: str) -> Line:
    code, *ties = TIE.split(line.rstrip(), maxsplit=1)
    text = code.strip()
    depth = _spaces(place, code)
    _fits(place, columns(code))
    words = ties[0].split() if ties else []
    comment = text.removeprefix("# ") if text.startswith("# ") else None
    return Line(
        depth=depth,
        text="" if comment else text,
        chinese=None,
        comment=comment,
        says=tuple(word for word in words if not re.search("[?:]", word) and not RULE.match(word)),
        decides=tuple((table, key) for table, asks, key in (word.partition("?") for word in words) if asks),
        rules=tuple(word for word in words if RULE.match(word)),
        only_if=_fields(words, "only_if"),
        unless=_fields(words, "unless"),
    )


def _fields(words: list[str], condition: str) -> tuple[str, ...]:
    return tuple(word.partition(":")[2] for word in words if word.startswith(f"{condition}:"))


def _spaces(place: str, line: str, wanted: int | None = None) -> int:
    """The level of a line. ``wanted``: the level that it must have. Raises EngineError for another
    indentation."""
    spaces = len(line) - len(line.lstrip())
    if spaces % INDENT:
        raise EngineError(f"{place}: indented by {spaces}; a level is {INDENT} spaces")
    if wanted not in (None, spaces // INDENT):
        raise EngineError(f"{place}: indented by {spaces}, the line above by {wanted * INDENT}")
    return spaces // INDENT


def columns(text: str) -> int:
    """The width of a text in columns. A Chinese character takes two."""
    return sum(2 if east_asian_width(sign) in "FW" else 1 for sign in text)


def _fits(place: str, width: int) -> None:
    if width > WIDTH_MAX:
        raise EngineError(f"{place}: {width} columns; at most {WIDTH_MAX} stand beside the picture")


def is_prose(text: str) -> bool:
    """Whether two words of a language follow each other in the text. Keywords, names and signs are no such words."""
    behind_a_word = False
    for part in text.split():
        found = WORD.match(part)
        is_word = found is not None and found[1] not in KEYWORDS
        if is_word and behind_a_word:
            return True
        behind_a_word = is_word and part[-1] not in ",:;.)"
    return False


@cache
def components() -> dict[str, Component]:
    """Dict of name → component, for all documents. Raises EngineError unless they agree with the catalogue, the
    tables and each other."""
    folder = resources.files("engine.pseudocode").joinpath("documents")
    files = sorted(
        (item for item in folder.iterdir() if item.name.endswith(".txt")), key=lambda item: item.name
    )
    found = {}
    for item in files:
        name = item.name.removesuffix(".txt")
        found[name] = read_component(name, item.read_text(encoding="utf-8"))
    problems = check(found)
    if problems:
        raise EngineError("; ".join(problems))
    return found


def recorded_tests() -> dict[str, frozenset[str]]:
    """Dict of table → all tests that the engine can record in a decision."""
    tests = {name: frozenset(question_key(row) for row in rows) for name, rows in DECISIONS.items()}
    rules = (*append_rules.DATA_RULES, *append_rules.MARKER_RULES)
    accepted = (append_rules.ACCEPTED, append_rules.ACCEPTED_UNNUMBERED, append_rules.MARKER_ACCEPTED)
    tests[append_rules.MACHINE] = frozenset(
        f"decision.{word}" for word in (*(rule.asks for rule in rules), *accepted)
    )
    return tests


def check(found: dict[str, Component]) -> list[str]:
    """The mistakes in the documents, one sentence for each."""
    return [
        *(_unknown(found) or _of_other_versions(found)),
        *_twice(found),
        *_missing(found),
        *_english_alone(found),
    ]


def _unknown(found: dict[str, Component]) -> list[str]:
    known, tests = catalogue(), recorded_tests()
    problems = []
    for component in found.values():
        wanted = [component.title, component.about]
        for line in component.lines:
            wanted += [*line.says, *(text_key(rule) for rule in line.rules)]
            wanted += [line.comment] if line.comment else []
            problems += [
                f"{component.name}: no version has a field {field}"
                for field in (*line.only_if, *line.unless)
                if not hasattr(Profile, field)
            ]
            for table, key in line.decides:
                if key not in tests.get(table, ()):
                    problems.append(f"{component.name}: {table} has no test {key}")
        problems += [f"{component.name}: the catalogue has no {key}" for key in wanted if key not in known]
        problems += [
            f"{component.name}: no machine {name}" for name in component.machines if name not in machines()
        ]
        problems += [f"{component.name}: no table {name}" for name in component.decides if name not in tests]
    return problems


def _twice(found: dict[str, Component]) -> list[str]:
    """The problems with sentences, tests and machines that have more than one place in the pseudocode."""
    places: dict[object, str] = {}
    problems = []
    for component in found.values():
        ties: list[object] = [("machine", name) for name in component.machines]
        ties += [("table", name) for name in component.decides]
        for line in component.lines:
            ties += [*line.says, *line.decides]
        for tie in ties:
            if tie in places:
                problems.append(f"{component.name}: {tie} has its place in {places[tie]} already")
            places[tie] = component.name
    return problems


def _missing(found: dict[str, Component]) -> list[str]:
    """The problems with machines and tests of tables that no document mentions."""
    homes = {name for component in found.values() for name in component.machines}
    problems = [f"no component carries out the machine {name}" for name in machines() if name not in homes]
    bound = {tie for component in found.values() for line in component.lines for tie in line.decides}
    for table, keys in recorded_tests().items():
        problems += [f"no line is tied to {table}?{key}" for key in sorted(keys) if (table, key) not in bound]
    return problems


Exists = Callable[[Profile], bool]


def _of_other_versions(found: dict[str, Component]) -> Iterator[str]:
    """The problems with lines whose versions do not fit those of the rows and tests that are tied to them."""
    tied = _tied()
    for component in found.values():
        for line in component.lines:
            keys = (*line.says, *line.decides)
            having = [exists for key in keys for exists in tied.get(key, ())]
            alone = bool(keys) and all(key in tied for key in keys)
            for profile in _generations():
                needed = any(exists(profile) for exists in having)
                if needed and not line.exists_in(profile):
                    yield f"{component.name}: {profile.version} lacks {line.text!r}, and has what is tied to it"
                if alone and not needed and line.exists_in(profile):
                    yield f"{component.name}: {profile.version} has {line.text!r}, and nothing that is tied to it"


def _generations() -> Iterator[Profile]:
    """Every version with idempotent producers, at every level of ``transaction.version`` that it supports."""
    for profile in PROFILES.values():
        if profile.idempotence:
            yield from (profile.at_level(level) for level in range(profile.transaction_version + 1))


def _tied() -> dict[object, list[Exists]]:
    """Dict of the key of a row's sentence, or of the (table, test) of an append's rule → functions that return
    whether a version has the row or rule."""
    tied: dict[object, list[Exists]] = {}
    for machine in machines().values():
        for row in machine.rows:
            tied.setdefault(row_key(row), []).append(row.exists_in)
    for rule in (*append_rules.DATA_RULES, *append_rules.MARKER_RULES):
        key = (append_rules.MACHINE, f"decision.{rule.asks}")
        tied.setdefault(key, []).append(partial(_has_rule, rule))
    return tied


def _has_rule(rule: append_rules.AppendRule, profile: Profile) -> bool:
    return holds(profile, rule.only_if, rule.unless)


def _english_alone(found: dict[str, Component]) -> Iterator[str]:
    for component in found.values():
        for line in component.lines:
            if line.chinese is None and is_prose(line.text):
                yield f"{component.name}: no Chinese for {line.text!r}"


def _places(found: dict[str, Component]) -> dict[str, tuple[str, int]]:
    return {
        key: (component.name, number)
        for component in found.values()
        for number, line in enumerate(component.lines)
        for key in line.says
    }


@cache
def places() -> dict[str, tuple[str, int]]:
    """Dict of key of a sentence → (name of the document with this sentence, number of the line there, from 0)."""
    return _places(components())


def place_of_sentence(key: str) -> tuple[str, int] | None:
    """The component and the number of the line that says this sentence. None: no line of a component says it."""
    return places().get(key)


def to_json() -> dict[str, Any]:
    """All documents for the page: the lines with their ties, and for each row of a machine its place.

    ``{"components": {name: {"kafka", "machines", "lines": [{"depth", "text" | "comment", "chinese", "says",
    "decides", "rules", "kafka", "versions", "level"}]}}, "rows": {machine: [[component, line], …]}, "tables":
    {machine: [[source, on, when, {"versions", "level"}], …]}}``

    In ``rows``, the place of a row is null if no line has its sentence. In ``tables``, ``when`` is empty if the row
    needs no guard, and the last item is absent if every version has the row (``explain.in_force``).
    """
    return {
        "components": {
            component.name: {
                "kafka": component.kafka,
                "machines": list(component.machines),
                "lines": [_line_json(line) for line in component.lines],
            }
            for component in components().values()
        },
        "rows": {
            name: [places().get(row_key(row)) for row in machine.rows] for name, machine in machines().items()
        },
        "tables": {
            name: [[row.source, row.on, row.when, *_needed(row)] for row in machine.rows]
            for name, machine in machines().items()
        },
    }


def _needed(row: Row) -> list[dict[str, Any]]:
    needed = needs(row.exists_in)
    return [needed] if needed else []


def _line_json(line: Line) -> dict[str, Any]:
    shown: dict[str, Any] = {"depth": line.depth}
    if line.comment:
        return shown | {"comment": line.comment} | needs(line.exists_in)
    shown["text"] = line.text
    if line.chinese:
        shown["chinese"] = line.chinese
    if line.says:
        shown["says"] = list(line.says)
    if line.decides:
        shown["decides"] = [f"{table}?{key}" for table, key in line.decides]
    if line.rules:
        shown["rules"] = list(line.rules)
    if line.kafka:
        shown["kafka"] = line.kafka
    return shown | needs(line.exists_in)
