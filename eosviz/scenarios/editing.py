"""Edits the TOML text of a document. Everything that is not edited stays as written, with comments, order and
spacing. There are two exceptions: an inline table in which a key is set or removed gets the usual spacing,
and the comments that follow a removed or replaced table are removed with it. At the end the meaning of the
new text is compared with what the edits should give. If they differ, nothing is changed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomlkit
from msgspec import Struct
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, InlineTable

from engine.scenario.bounds import TEXT_BYTES_MAX, check_text
from engine.scenario.document import BadScenario, parse
from eosviz.bounded.refusing import Refused

EDITS_MAX = 50
_LISTS_OF_TABLES = (
    "topics", "producers", "consumers", "applications", "loops", "faults", "overrides", "checkpoints", "beats",
    "variants", "axes",
)  # fmt: skip


class Edit(Struct, forbid_unknown_fields=True, frozen=True):
    """One edit. `path`: keys and numbers of rows, from the root of the document. `do`: `set` and `remove` a
    value, `add` the value as a new row at the end of a list, or `move` a row, which swaps it with the row
    `by` places after it."""

    do: Literal["set", "remove", "add", "move"]
    path: list[str | int]
    value: Any = None
    by: int = 0


class CannotEdit(Exception):
    """A text cannot be edited in this way and stays unchanged, or a document cannot be written as text."""


def edited(text: str, edits: list[Edit]) -> str:
    """The text after the first EDITS_MAX edits; the others are ignored. Raises CannotEdit, or BadScenario if
    `parse` refuses the text."""
    meaning = parse(text)
    try:
        document = tomlkit.parse(text)
        for edit in edits[:EDITS_MAX]:
            _EDITS[edit.do](document, edit, True)
            _EDITS[edit.do](meaning, edit, False)
        changed = tomlkit.dumps(document)
        if parse(changed) != meaning:
            raise CannotEdit("the text would mean something else")
    except (
        BadScenario,
        TOMLKitError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ) as wrong:
        raise CannotEdit(f"{type(wrong).__name__}: {wrong}") from wrong
    if len(changed.encode()) > TEXT_BYTES_MAX:
        raise CannotEdit(f"longer than {TEXT_BYTES_MAX} bytes")
    return changed


def all_edited(text: str, edits: list[Edit]) -> str:
    """The text after all edits. Raises CannotEdit or BadScenario, like `edited`."""
    for first in range(0, len(edits), EDITS_MAX):
        text = edited(text, edits[first : first + EDITS_MAX])
    return text


def written(document: dict[str, Any]) -> str:
    """A document as a new TOML text. Raises CannotEdit."""
    made = tomlkit.document()
    try:
        for key, value in document.items():
            _put(made, key, value, [key], True)
        text = tomlkit.dumps(made)
        if parse(text) != document:
            raise CannotEdit("the text would mean something else")
    except (BadScenario, TOMLKitError, TypeError, ValueError, RecursionError) as wrong:
        raise CannotEdit(f"{type(wrong).__name__}: {wrong}") from wrong
    return text


# -- in a process of its own (`rewriting.py`) ----------------------------------------------------------------


class Asked(Struct, forbid_unknown_fields=True):
    """The question of the bounded process: a text with edits, or a document to be written."""

    text: str = ""
    edits: list[Edit] = []
    document: dict[str, Any] | None = None


def answer(question: bytes, folder: Path) -> bytes:
    """The function of the bounded process. `question`: an `Asked` as JSON. Returns the text. Raises
    Refused."""
    asked = msgspec.json.decode(question, type=Asked)
    try:
        text = all_edited(asked.text, asked.edits) if asked.document is None else written(asked.document)
    except (CannotEdit, BadScenario) as wrong:
        raise Refused("workshop.refused.cannot_edit", {"why": str(wrong)[:500]}) from None
    return text.encode()


# -- one edit ------------------------------------------------------------------------------------------------


def _set(document: Any, edit: Edit, is_text: bool) -> None:
    node = _reach(document, edit.path[:-1], is_text)
    if is_text and isinstance(node, InlineTable):
        _respace(document, edit, {**node.unwrap(), str(edit.path[-1]): edit.value})
        return
    _put(node, edit.path[-1], edit.value, edit.path, is_text)


def _respace(document: Any, edit: Edit, row: dict[str, Any]) -> None:
    """Write the inline table that contains the edit's key again, with the usual spacing. Inline tables have
    no comments."""
    _reach(document, edit.path[:-2], True)[edit.path[-2]] = _inline(row)


def _remove(document: Any, edit: Edit, is_text: bool) -> None:
    node = document
    for key in edit.path[:-1]:
        node = node[key]
    if is_text and isinstance(node, InlineTable):
        rest = node.unwrap()
        del rest[str(edit.path[-1])]
        _respace(document, edit, rest)
        return
    del node[edit.path[-1]]
    # TOML has no notation for an empty list of tables, so the list itself is removed.
    if isinstance(node, AoT | list) and not isinstance(node, Array) and not node and len(edit.path) == 2:
        del document[edit.path[0]]


def _add(document: Any, edit: Edit, is_text: bool) -> None:
    *way, last = edit.path
    node = _reach(document, way, is_text)
    if last not in node:
        _put(node, last, [], edit.path, is_text)
    rows = node[last]
    if not is_text:
        rows.append(copy.deepcopy(edit.value))
    elif isinstance(rows, AoT):
        rows.append(_headed(edit.value))
    else:
        _append(rows, edit.value)


def _append(rows: Array, value: Any) -> None:
    """Append a value to an array. It gets a line of its own if the array's rows have lines of their own, or
    if it is a table and the first row."""
    is_table = isinstance(value, dict)
    if not len(rows) and is_table:
        rows.multiline(True)
    rows.append(_inline(value) if is_table else value)


def _move(document: Any, edit: Edit, is_text: bool) -> None:
    node = document
    for key in edit.path[:-1]:
        node = node[key]
    number = edit.path[-1]
    other = int(number) + edit.by
    if not (type(number) is int and 0 <= other < len(node)):
        raise ValueError(f"no row {other}")
    if isinstance(node, AoT):
        body = list(node)
        body[number], body[other] = body[other], body[number]
        while len(node):
            del node[0]
        for table in body:
            node.append(table)
    else:
        one, another = copy.deepcopy(node[number]), copy.deepcopy(node[other])
        node[number], node[other] = another, one


_EDITS = {"set": _set, "remove": _remove, "add": _add, "move": _move}


def _reach(document: Any, way: list[str | int], is_text: bool) -> Any:
    """The node at a path. Tables that are missing on the way are created."""
    node = document
    for place, key in enumerate(way):
        if isinstance(key, str) and key not in node:
            _put(node, key, {}, way[: place + 1], is_text)
        node = node[key]
    return node


def _put(node: Any, key: str | int, value: Any, path: list[str | int], is_text: bool) -> None:
    if not is_text:
        node[key] = copy.deepcopy(value)
        return
    if isinstance(value, dict):
        own = len(path) == 1 and not isinstance(node, InlineTable)
        value = _headed(value) if own else _inline(value)
    elif isinstance(value, list):
        value = _rows(value, str(key), len(path) == 1)
    node[key] = value


def _rows(value: list[Any], key: str, is_outermost: bool) -> Any:
    if is_outermost and key in _LISTS_OF_TABLES:
        rows = tomlkit.aot()
        for row in value:
            rows.append(_headed(row))
        return rows
    made = tomlkit.array()
    for row in value:
        _append(made, row)
    return made


def _headed(value: dict[str, Any]) -> Any:
    """A table with a heading, which follows after an empty line."""
    made = _table(value)
    made.trivia.indent = "\n"
    return made


def _table(value: dict[str, Any]) -> Any:
    made = tomlkit.table()
    for key, inner in value.items():
        if isinstance(inner, dict):
            inner = _inline(inner)
        elif isinstance(inner, list):
            inner = _rows(inner, key, False)
        made.add(key, inner)
    return made


def _inline(value: dict[str, Any]) -> Any:
    text = f"x = {_in_one_line(value)}"
    check_text(text)
    return tomlkit.parse(text)["x"]


def _in_one_line(value: Any) -> str:
    """The value on one line, with a space inside braces, as in the library's documents."""
    if isinstance(value, dict):
        pairs = [f"{tomlkit.key(key).as_string()} = {_in_one_line(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_in_one_line(one) for one in value)}]"
    written: str = tomlkit.item(value).as_string()
    return written
