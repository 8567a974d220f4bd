"""Reads a replay file, checks its form, and returns a recording that may be stored. `verification.py` checks
whether its steps are what the engine makes."""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

import msgspec

from engine.scenario.plain_texts import MARKUP
from eosviz.names import UNPRINTABLE
from eosviz.replays import folding, format, misshapen
from eosviz.replays.bounds import BOUNDS, Bounds
from eosviz.replays.lines import GZIP, canonical, decode_line, split_lines, unpacked
from eosviz.replays.refusal import ReplayRefused

_CONTROL = re.compile(f"[{UNPRINTABLE}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The content of a valid replay file."""

    header: format.Header
    steps: int
    digest: str
    """The last digest of the chain. It identifies the content."""
    packed_steps: bytes
    """A dict of branch's id → its own steps, as gzipped JSON."""
    first_broken: dict[str, dict[str, int]]
    """Dict of branch's id → (dict of guarantee → the first step that broke it, on the branch or before it
    left its parent)."""
    end: tuple[dict[str, Any], int]
    """The last view of the last branch, and the number of its last step."""


class Witness(Protocol):
    """An object that is called with each step, in canonical form, while the file is read
    (verification.py)."""

    def take(self, branch: str, number: int, step: bytes) -> None: ...


def read(
    file: BinaryIO, bounds: Bounds = BOUNDS, witness: Callable[[format.Header], Witness] | None = None
) -> Recording:
    """Read and check a replay file. Raises :class:`ReplayRefused` at the first error."""
    return read_lines(split_lines(unpacked(file, bounds), bounds), bounds, witness)


def read_lines(
    lines: Iterator[tuple[int, bytes]],
    bounds: Bounds = BOUNDS,
    witness: Callable[[format.Header], Witness] | None = None,
) -> Recording:
    """Read and check the lines of a replay that came in any form. ``lines``: (number from 1, line without its
    line feed). ``witness``: makes an object of the header, which then is called with each step after this was
    checked. Raises :class:`ReplayRefused` at the first error."""
    number, line = next(lines, (0, b""))
    if not number:
        raise ReplayRefused("empty", line=0)
    header = _read_header(decode_line(line, number, bounds, fractions=True), bounds)
    digest = format.header_digest(line)
    steps = _Steps(header, bounds)
    watching = None if witness is None else witness(header)
    for number, line in lines:
        value = decode_line(line, number, bounds)
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "step":
            taken: format.StepLine = _convert(value, format.StepLine, number)
            digest = format.next_digest(digest, taken.branch, value["step"])
            if taken.digest != digest:
                raise ReplayRefused("digest_differs", line=number)
            step = canonical(value["step"])
            steps.add(taken, step, number, len(line))
            if watching is not None:
                watching.take(taken.branch, taken.step.number, step)
        elif kind == "end":
            end: format.End = _convert(value, format.End, number)
            if end.steps != steps.count or end.digest != digest:
                raise ReplayRefused("end_differs", line=number, stated=end.steps, found=steps.count)
            packed = steps.close(number)
            for after, _ in lines:
                raise ReplayRefused("lines_after_end", line=after)
            return Recording(
                header=header,
                steps=steps.count,
                digest=digest,
                packed_steps=packed,
                first_broken=steps.first_broken,
                end=steps.end,
            )
        else:
            raise ReplayRefused("unknown_line", line=number)
    raise ReplayRefused("truncated", line=number)


def _convert(value: Any, shape: type[Any], number: int) -> Any:
    try:
        return format.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ReplayRefused("wrong_shape", line=number, detail=misshapen.sentence_of(str(error))) from error


def _read_header(value: Any, bounds: Bounds) -> format.Header:
    if not isinstance(value, dict) or value.get("type") != "header":
        raise ReplayRefused("no_header")
    if value.get("schema") != format.SCHEMA:
        raise ReplayRefused("unknown_schema", schema=str(value.get("schema"))[:40], known=format.SCHEMA)
    header: format.Header = _convert(value, format.Header, 1)
    for place, text in _titles(value, ""):
        if MARKUP.search(text):
            raise ReplayRefused("markup", place=place)
    for place, text in _names(header):
        if _CONTROL.search(text):
            raise ReplayRefused("control_character", place=place)
    _check_branches(header, bounds)
    return header


def _titles(value: Any, place: str, is_title: bool = False) -> Iterator[tuple[str, str]]:
    """(place, text) of every text whose key, or a key above it, ends with `title`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _titles(inner, f"{place}.{key}"[-100:].lstrip("."), is_title or key.endswith("title"))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _titles(inner, f"{place}[{position}]", is_title)
    elif is_title and isinstance(value, str):
        yield place, value


def _names(header: format.Header) -> Iterator[tuple[str, str]]:
    yield "title.en", header.title.en
    yield "title.zh-Hans", header.title.zh_hans
    yield "engine", header.engine
    yield "profile", header.profile
    yield "variant", header.variant or ""
    for position, branch in enumerate(header.branches):
        yield f"branches[{position}].name", branch.name
        yield f"branches[{position}].finished", branch.finished or ""


def _check_branches(header: format.Header, bounds: Bounds) -> None:
    """Raises ReplayRefused if there are too many branches, or if one of them does not fit the branches before
    it."""
    if len(header.branches) > bounds.branches:
        raise ReplayRefused("too_many_branches", limit=bounds.branches)
    known: dict[str, format.Branch] = {}
    for branch in header.branches:
        parent = known.get(branch.parent) if branch.parent is not None else None
        fits = (
            branch.id not in known
            and branch.newest >= branch.leaves_at
            and (branch.parent is None) == (not known)
            and (parent is not None or branch.leaves_at == 0)
            and (parent is None or parent.leaves_at <= branch.leaves_at <= parent.newest)
            and all(branch.leaves_at <= made.after <= branch.newest for made in branch.interventions)
        )
        if not fits:
            raise ReplayRefused("branch_does_not_fit", branch=branch.id)
        known[branch.id] = branch


class _Steps:
    """Takes in the steps of all branches, in the order of the file."""

    def __init__(self, header: format.Header, bounds: Bounds) -> None:
        self.count = 0
        self.first_broken: dict[str, dict[str, int]] = {}
        self._bounds = bounds
        self._waiting = list(reversed(header.branches))
        self._children: dict[str, list[format.Branch]] = {}
        for branch in header.branches[1:]:
            self._children.setdefault(branch.parent or "", []).append(branch)
        self._starts: dict[str, bytes] = {header.branches[0].id: canonical(header.view)}
        self._branch: format.Branch | None = None
        self._view: dict[str, Any] = {}
        self._number = 0
        self._unchecked_bytes = 0
        self._packer = zlib.compressobj(level=6, wbits=GZIP)
        self._packed = bytearray()

    def add(self, line: format.StepLine, step: bytes, number: int, size: int) -> None:
        """Take in one step. ``number`` and ``size``: the number of its line, and the line's length in bytes.
        Raises ReplayRefused if the step does not fit."""
        while self._branch is None or self._number == self._branch.newest:
            self._open_next(number)
        if line.branch != self._branch.id or line.step.number != self._number + 1:
            raise ReplayRefused(
                "step_out_of_order", line=number, branch=self._branch.id, expected=self._number + 1
            )
        self._pack(b"," if self._number > self._branch.leaves_at else b"", number)
        self._pack(step, number)
        try:
            folding.apply(self._view, line.step.changes)
        except folding.DoesNotFit as misfit:
            raise ReplayRefused("change_does_not_fit", line=number, path=misfit.path[:200]) from misfit
        self._unchecked_bytes += size
        if self._unchecked_bytes > self._bounds.view_check_bytes:
            self._encoded_view(number)
        for broken in line.step.broken:
            self.first_broken[line.branch].setdefault(broken.guarantee, line.step.number)
        self.count += 1
        self._number += 1
        self._remember_leaving(self._branch, number)

    @property
    def end(self) -> tuple[dict[str, Any], int]:
        return self._view, self._number

    def close(self, number: int) -> bytes:
        """End the reading. Returns the gzipped steps. Raises ReplayRefused if there are fewer steps than the
        header says."""
        while self._waiting and (self._branch is None or self._number == self._branch.newest):
            self._open_next(number)
        if self._branch is None or self._number != self._branch.newest:
            raise ReplayRefused("steps_missing", line=number)
        self._pack(b"]}", number)
        self._packed += self._packer.flush()
        self._pack(b"", number)
        return bytes(self._packed)

    def _open_next(self, number: int) -> None:
        if not self._waiting:
            raise ReplayRefused("more_steps_than_declared", line=number)
        self._pack(b"{" if self._branch is None else b"],", number)
        self._branch = branch = self._waiting.pop()
        self._pack(canonical(branch.id) + b":[", number)
        self._view = msgspec.json.decode(self._starts.pop(branch.id))
        self._number = branch.leaves_at
        inherited = self.first_broken.get(branch.parent or "", {})
        self.first_broken[branch.id] = {
            guarantee: step for guarantee, step in inherited.items() if step <= branch.leaves_at
        }
        self._remember_leaving(branch, number)

    def _remember_leaving(self, branch: format.Branch, number: int) -> None:
        for child in self._children.get(branch.id, ()):
            if child.leaves_at == self._number:
                self._starts[child.id] = self._encoded_view(number)

    def _encoded_view(self, number: int) -> bytes:
        view = canonical(self._view)
        if len(view) > self._bounds.view_bytes:
            raise ReplayRefused("view_too_large", line=number, limit=self._bounds.view_bytes)
        self._unchecked_bytes = 0
        return view

    def _pack(self, content: bytes, number: int) -> None:
        if content:
            self._packed += self._packer.compress(content)
        if len(self._packed) > self._bounds.stored_bytes:
            raise ReplayRefused("too_much_to_store", line=number, limit=self._bounds.stored_bytes)
