"""Changes bytes, text, TOML and JSON values at random, in ways that keep part of their form."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from random import Random
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

MOST_AT_ONCE = 3
ODD_VALUES: Sequence[Any] = (
    None, True, False, -1, 0, 1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, "", " ", "\0", "a\0b",
    "x" * 5000, "\u202e", "\ud7ff", "\U0010ffff", "é\u0301", "\ufeff", "<script>", "__proto__", "constructor", "t-0",
    "SC-01", "=1+1", "../../etc/passwd", "%00", "{name}", "{0}", "٣", "1e5", "NaN", [], {}, [[]], [None] * 50,
    {"__proto__": 1}, {"": ""}, {"a.b": {"c.d": 1}}, ["x"] * 300,
)  # fmt: skip
"""Values that a careless program does not expect."""
ODD_KEYS = (
    "",
    " ",
    "__proto__",
    "__class__.__init__",
    "a.b",
    "name",
    "id",
    "x" * 300,
    "\0",
    "é",
    "0",
    "-1",
    "ｉｄ",
)
SPLICES = (
    b"", b"\n", b"\x00", b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b"=", b".", b",", b"#", b"NaN", b"1e999", b"<",
    b"\xff", b"\xed\xa0\x80", b"\xf0\x9f\xbf\xbf", b"\x1f\x8b", b"9" * 400, b"\\u0000", b"\\ud800", b"\r", b"\t",
    b'"""', b"'''", b"[[", b"]]",
)  # fmt: skip
REPEATS = (2, 3, 20, 300, 5000)
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)


def bytes_changed(content: bytes, chance: Random) -> bytes:
    """Return the bytes with a few of them flipped, removed, inserted or repeated."""
    made = bytearray(content)
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(6):
            case 0 if at < len(made):
                made[at] ^= 1 << chance.randrange(8)
            case 1:
                del made[at : at + chance.choice((1, 2, 10, 1000))]
            case 2:
                made[at:at] = chance.choice(SPLICES)
            case 3:
                made[at:at] = chance.choice(SPLICES) * chance.choice(REPEATS)
            case 4:
                del made[at:]
            case _:
                made[at:at] = made[at : at + chance.choice((4, 40, 400))]
    return bytes(made)


def text_changed(text: str, chance: Random, pieces: Sequence[str]) -> str:
    """Return the text with some of its words removed, exchanged or repeated many times, or with words from ``pieces``
    inserted.
    """
    words = _WORDS.findall(text)
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        at = chance.randrange(len(words) + 1)
        match chance.randrange(6):
            case 0:
                del words[at : at + chance.choice((1, 2, 10))]
            case 1 if at < len(words):
                words[at] = chance.choice(pieces)
            case 2:
                words.insert(at, chance.choice(pieces))
            case 3:
                words[at:at] = [chance.choice(pieces)] * chance.choice(REPEATS)
            case 4 if at < len(words):
                words[at] = words[chance.randrange(len(words))]
            case _:
                few = words[at : at + chance.choice((1, 3, 12))]
                words[at:at] = few * chance.choice(REPEATS[:3])
    return "".join(words)


def lines_changed(text: str, chance: Random, pieces: Sequence[str]) -> str:
    """Return the text with whole lines removed, doubled, exchanged or changed inside."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        at = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0 if len(lines) > 1:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(lines))
            case 2:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                lines[at] = text_changed(lines[at], chance, pieces)
    return "\n".join(lines)


def value_changed(value: Any, chance: Random) -> Any:
    """Return a copy of the value in which one element is replaced, added or removed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(sorted(value))
        made = dict(value)
        match chance.randrange(8):
            case 0:
                del made[name]
            case 1:
                made[chance.choice(ODD_KEYS)] = chance.choice(ODD_VALUES)
            case _:
                made[name] = value_changed(value[name], chance)
        return made
    if isinstance(value, list) and value and chance.random() < 0.9:
        rows = list(value)
        at = chance.randrange(len(rows))
        match chance.randrange(6):
            case 0:
                del rows[at]
            case 1:
                rows[at:at] = [rows[at]] * chance.choice(REPEATS[:3])
            case _:
                rows[at] = value_changed(rows[at], chance)
        return rows
    return chance.choice(ODD_VALUES)


def storable(value: Any) -> Any:
    """Return the value without None, for which TOML has no text."""
    if isinstance(value, dict):
        return {name: storable(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [storable(one) for one in value if one is not None]
    return value


# -- TOML ----------------------------------------------------------------------------------------------------

_KEYS = (
    "id",
    "title",
    "seed",
    "a",
    "b-c",
    '"q.r"',
    "'s'",
    '""',
    "faults",
    "variants",
    "set",
    "0",
    "producers",
    "__proto__",
)
_ATOMS = (
    "1", "-0", "+1_000", "0x7f", "0o17", "0b1", "1e5", "1e999", "-inf", "nan", "true", "2020-01-01", "01:02:03",
    "1979-05-27T07:32:00Z", "9999-12-31T23:59:59.999999-23:59", '""', '"x"', "''", '"""\n"""', "'''''''", '"\\u0000"',
    '"\\ud800"', '"é"', "0x1_0000_0000_0000_0000", "9" * 80, "9" * 5000, '"t-0"', '"SC-02"', '"\\u202e"',
)  # fmt: skip


def toml_value(chance: Random, depth: int = 0) -> str:
    """Return a TOML value that is correct or nearly so."""
    if depth < 5 and chance.random() < 0.35:
        inside = [toml_value(chance, depth + 1) for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            return f"[{', '.join(inside)}]" if chance.random() < 0.95 else f"[{','.join(inside)}"
        return "{ " + ", ".join(f"{toml_key(chance)} = {value}" for value in inside) + " }"
    return chance.choice(_ATOMS)


def toml_key(chance: Random) -> str:
    parts = chance.choice((1, 1, 1, 2, 3, 9, 40))
    return ".".join(chance.choice(_KEYS) for _ in range(parts))


def toml_line(chance: Random) -> str:
    match chance.randrange(8):
        case 0:
            return f"[{toml_key(chance)}]"
        case 1:
            return f"[[{toml_key(chance)}]]"
        case 2:
            return chance.choice(
                ("", "#", "# [a", "=", "[", "]]", '"""', "'''", "a", "a = ", "\\", "\t", "\r", "\x00")
            )
        case 3:
            return chance.choice(
                ("a.", "[", "{a=", "[[", '"a".', "{", "]", '""', "'", "\\", " ", "1")
            ) * chance.choice(REPEATS)
        case _:
            return f"{toml_key(chance)} = {toml_value(chance)}"


def toml_changed(text: str, chance: Random) -> str:
    """Return a document with other values, with random lines of TOML in it, or with some of its own lines changed."""
    if chance.random() < 0.5:
        document = storable(value_changed(tomllib.loads(text), chance))
        try:
            return tomlkit.dumps(document) if isinstance(document, dict) else ""
        except (TOMLKitError, TypeError, ValueError):
            pass  # no text has such a key or value, so the text itself is changed below
    if chance.random() < 0.15:
        return "\n".join(toml_line(chance) for _ in range(chance.randrange(1, 12)))
    lines = text.split("\n")
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        at = chance.randrange(len(lines))
        key, equals, _ = lines[at].partition(" = ")
        match chance.randrange(6):
            case 0 | 1 if equals:
                lines[at] = f"{key} = {toml_value(chance)}"
            case 2 if equals:
                lines[at] = f"{toml_key(chance)} = {lines[at].partition(' = ')[2]}"
            case 3:
                lines.insert(at, toml_line(chance))
            case 4:
                lines = lines_changed("\n".join(lines), chance, _ATOMS).split("\n")
            case _:
                lines[at] = text_changed(lines[at], chance, (*_ATOMS, *_KEYS))
    return "\n".join(lines)
