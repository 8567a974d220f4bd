"""Reads the stored file of an imported replay again: as it is, or one branch with its ancestors as a replay
of its own. The file was checked when it was imported, so its lines are not checked again. Here the *line* of
a branch is the branch with its ancestors."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from eosviz.replays import format, writing
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.lines import split_lines, unpacked
from eosviz.replays.models import Replay

_PIECE = 256 * 1024


class _Head(msgspec.Struct):
    """The field of a step that is decoded here."""

    number: int


class _Line(msgspec.Struct):
    type: str
    branch: str = ""
    step: msgspec.Raw = msgspec.Raw(b"")


def steps_of(replay: Replay, line: str) -> int:
    """The number of steps that an export reads. ``line``: the id of the one branch; empty for all. Raises
    KeyError if the replay has no such branch."""
    return _branches(_header(replay))[line].newest if line else replay.steps


def has_line(replay: Replay, line: str) -> bool:
    return line in _branches(_header(replay))


def file_name(replay: Replay, ending: str) -> str:
    """The name of the file for a download. It contains nothing that comes from a file or a user."""
    return f"replay-{str(replay.id)[:8]}{ending}"


def written(replay: Replay, line: str, each: Callable[[], None]) -> Iterator[bytes]:
    """The replay file in pieces. With `line`, the id of a branch, it contains only this branch with its
    ancestors, as one branch without a parent, and `each` is called after each step."""
    if line:
        header = _header(replay)
        yield from writing.write(_of_line(header, line), _line_steps(replay, header, line, each))
        return
    content = bytes(replay.file.content)
    for begin in range(0, len(content), _PIECE):
        yield content[begin : begin + _PIECE]


def _lines(replay: Replay) -> Iterator[tuple[int, bytes]]:
    return split_lines(unpacked(io.BytesIO(bytes(replay.file.content)), BOUNDS), BOUNDS)


def _header(replay: Replay) -> format.Header:
    _, first = next(_lines(replay))
    header: format.Header = format.convert(msgspec.json.decode(first), format.Header)
    return header


def _branches(header: format.Header) -> dict[str, format.Branch]:
    return {branch.id: branch for branch in header.branches}


def _ancestry(header: format.Header, line: str) -> list[tuple[format.Branch, int]]:
    """(branch, its last step that counts) for a branch and its ancestors, the oldest first. ``line``: the id
    of the branch."""
    known = _branches(header)
    branch = known[line]
    found = [(branch, branch.newest)]
    while branch.parent is not None:
        leaves_at, branch = branch.leaves_at, known[branch.parent]
        found.append((branch, leaves_at))
    return found[::-1]


def _of_line(header: format.Header, line: str) -> format.Header:
    known = _branches(header)
    made = format.made_on(known[line], known)
    alone = msgspec.structs.replace(known[line], parent=None, leaves_at=0, interventions=made)
    return msgspec.structs.replace(header, branches=[alone])


def _line_steps(
    replay: Replay, header: format.Header, line: str, each: Callable[[], None]
) -> Iterator[tuple[str, Any]]:
    last_of = {branch.id: last for branch, last in _ancestry(header, line)}
    for _, content in _lines(replay):
        read = msgspec.json.decode(content, type=_Line)
        if read.type != "step" or read.branch not in last_of:
            continue
        if msgspec.json.decode(read.step, type=_Head).number <= last_of[read.branch]:
            yield line, msgspec.Raw(read.step)
            each()
