"""Finds the line of a place in a TOML text, for error messages.

It reads headings and the keys that begin a line, each line once. It does not support strings over several lines;
a place that it does not find gets the line of the nearest table around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from engine.scenario.bounds import LEVELS_MAX

_KEY = re.compile(r'[A-Za-z0-9_."-]+')
TEXTS_KEPT = 4
"""The lines of at most this many texts are cached, because an author's mistakes are looked up one after another."""


def line_of(text: str, place: str) -> int | None:
    """The line of a dotted place, counted from 1, or of the nearest table around it; None when there is none."""
    lines = _lines(text)
    while place:
        if place in lines:
            return lines[place]
        place = place.rpartition(".")[0]
    return None


@dataclass(slots=True)
class _Section:
    place: str
    line: int
    is_row: bool = False
    name: str = ""
    """The name of the table, if it is an item of a list and has a name."""
    keys: list[tuple[str, int]] = field(default_factory=list)


@lru_cache(maxsize=TEXTS_KEPT)
def _lines(text: str) -> dict[str, int]:
    """Dict of place → its first line. A place names an item of a list by its name, or by its index if it has no name
    (``producers.p1``, ``faults.0``)."""
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    rows: dict[str, str] = {}
    for section in _sections(text):
        place = _within(rows, section.place)
        if section.is_row:
            number = counts[place] = counts.get(place, -1) + 1
            place = rows[section.place] = f"{place}.{section.name or number}"
        if place:
            found.setdefault(place, section.line)
        for key, line in section.keys:
            found.setdefault(f"{place}.{key}" if place else key, line)
    return found


def _within(rows: dict[str, str], heading: str) -> str:
    """The place of a heading. ``rows``: dict of heading of a list → the place of its newest item."""
    around = heading.rpartition(".")[0]
    while around:
        if around in rows:
            return rows[around] + heading[len(around) :]
        around = around.rpartition(".")[0]
    return heading


def _sections(text: str) -> list[_Section]:
    sections = [_Section("", 0)]
    is_listed = False
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if line.startswith("["):
            heading = _heading(line)
            # A line in brackets that is no heading belongs to a value that is a list, and the name of a table never
            # comes after such a value.
            is_listed = heading is None
            if heading is not None:
                sections.append(_Section(heading, number, line.startswith("[[")))
            continue
        key, equals, value = line.partition("=")
        key = key.rstrip()
        if not equals or not _KEY.fullmatch(key):
            continue
        section = sections[-1]
        section.keys.append((key.replace('"', ""), number))
        value = value.lstrip()
        if section.is_row and not section.name and key == "name" and value.startswith('"') and not is_listed:
            section.name = value[1:].partition('"')[0]
    return sections


def _heading(line: str) -> str | None:
    """The place that `[a.b]` or `[[a.b]]` names; None if the line is no heading."""
    words, closed, behind = line.lstrip("[").partition("]")
    behind = behind.removeprefix("]").lstrip()
    if not closed or (behind and not behind.startswith("#")) or not words.strip():
        return None
    if words.count(".") >= LEVELS_MAX:
        return None  # A line inside a text over several lines, because no heading of a document has so many parts.
    return ".".join(word.strip().strip('"') for word in words.split("."))
