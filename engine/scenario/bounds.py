"""The limits of a TOML text, checked in one pass before a parser reads it.

A TOML parser needs time and memory that grow with the square of the number of parts in a dotted key. It
recurses once for each bracket, and reads numbers of any length. ``check_text`` reads each character once, and
refuses a text beyond a limit with the line and the limit. A text that is not TOML passes: the parser reports
that fault, and stops there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.scenario.bad_scenario import BadScenario
from engine.scenario.phrases import Phrase, allowed, wrong

TEXT_BYTES_MAX = 100_000
LEVELS_MAX = 16
"""A value is inside at most this many tables and lists. Each part of a heading or of a dotted key counts as one, and
so does each open bracket."""
KEY_CHARACTERS_MAX = 200
"""One part of a key has at most this many characters."""
KEY_DOTS_MAX = 1_000
"""The keys of one text have at most this many dots, headings excluded, because a parser that keeps comments compares
each dotted key with all keys that begin with the same part."""
NUMBER_CHARACTERS_MAX = 140
"""A number or a date has at most this many characters. A number of 64 bits in binary, with an underscore
between all digits, needs 129."""

_TOKEN = re.compile(
    r"""
      (?P<skipped> [ \t\r]++ | \#[^\n]*+ )
    | (?P<text>
          \"\"\" (?: [^"\\] | \\. | "(?!"") )*+ (?: "{3,5} | \\?\Z )
        | '{3}   (?: [^'] | '(?!'') )*+ (?: '{3,5} | \Z )
        | "      (?: [^"\\\n] | \\[^\n] )*+ "?
        | '      [^'\n]*+ '?
      )
    | (?P<word> [A-Za-z0-9_+:-]++ )
    | (?P<mark> [\[\]{}.=,\n] )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Finds the next token of a text. No alternative can backtrack, so each character is read once."""


def check_text(text: str, source: str = "", *, bytes_max: int = TEXT_BYTES_MAX) -> None:
    """Raises BadScenario for a text of more than ``bytes_max`` bytes of UTF-8, or with the line at which another
    limit is exceeded."""
    if len(text) > bytes_max or len(text.encode(errors="replace")) > bytes_max:
        raise BadScenario("document", wrong("too_long"), allowed("bytes", most=bytes_max), source=source)
    scan = _Scan(source)
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "mark":
            if not scan.mark(token[0]):
                return
        elif kind == "word" or kind == "text":
            scan.word(token[0], is_text=kind == "text")
        scan.line += token[0].count("\n")


@dataclass(slots=True)
class _Place:
    """The state of the scan within one table or list."""

    levels: int = 0
    """The number of tables and lists around its keys or values."""
    parts: int = 0
    """The number of parts of the dotted key that is being read, or whose value is being read."""
    in_value: bool = False
    closes: str = ""


@dataclass(slots=True)
class _Scan:
    source: str
    line: int = 1
    here: _Place = field(default_factory=_Place)
    around: list[_Place] = field(default_factory=list)
    heading: int = 0
    """While a heading is being read: the number of its brackets. Otherwise 0."""
    dots: int = 0

    def word(self, written: str, *, is_text: bool) -> None:
        here = self.here
        if here.in_value:
            if not is_text and len(written) > NUMBER_CHARACTERS_MAX:
                self._refuse(
                    wrong("number_too_long"), allowed("number_characters", most=NUMBER_CHARACTERS_MAX)
                )
            return
        if len(written) > KEY_CHARACTERS_MAX:
            self._refuse(wrong("key_too_long"), allowed("key_characters", most=KEY_CHARACTERS_MAX))
        here.parts = here.parts or 1
        self._check_levels(here.levels + here.parts)

    def mark(self, mark: str) -> bool:
        """Read one of the characters ``[]{}.=,`` or a line break. Returns False if the text is not TOML from here
        on."""
        here = self.here
        if mark == "\n":
            if not self.around:
                here.parts, here.in_value, self.heading = 0, False, 0
        elif mark == ".":
            if not here.in_value:
                self._dot()
        elif mark == "=":
            here.in_value = True
        elif mark == ",":
            here.parts, here.in_value = 0, here.closes == "]"
        elif mark == "[" and not self.around and not here.in_value and not here.parts:
            self.heading += 1
            here.levels = 0
        elif mark == "]" and self.heading:
            if not here.in_value:
                here.levels, here.parts, here.in_value = here.parts + self.heading - 1, 0, True
        elif mark in "[{":
            is_list = mark == "["
            inner = here.levels + here.parts + is_list
            self._check_levels(inner)
            self.around.append(here)
            self.here = _Place(inner, 0, is_list, "]" if is_list else "}")
        else:
            if mark != here.closes:
                return False
            self.here = self.around.pop()
        return True

    def _dot(self) -> None:
        self.here.parts += 1
        self._check_levels(self.here.levels + self.here.parts)
        self.dots += not self.heading
        if self.dots > KEY_DOTS_MAX:
            self._refuse(wrong("too_many_dots"), allowed("key_dots", most=KEY_DOTS_MAX))

    def _check_levels(self, levels: int) -> None:
        if levels > LEVELS_MAX:
            self._refuse(wrong("too_deep"), allowed("depth", most=LEVELS_MAX))

    def _refuse(self, fault: Phrase, remedy: Phrase) -> None:
        raise BadScenario("document", fault, remedy, source=self.source, line=self.line)
