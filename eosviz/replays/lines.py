"""Reads the lines of a replay file from its bytes, and checks them: their size, that they are canonical and
not deeply nested, and that integers have 64 bits.

JSON parsers treat repeated keys, huge numbers and deep nesting differently. So numbers and nesting are
checked before a line is parsed, in the line without its strings. After parsing, the line must be equal to its
own canonical encoding; a line with a repeated key is not.
"""

import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from engine.scenario.plain_texts import RESERVED
from eosviz.replays.bounds import LONG_MAX, LONG_MIN, Bounds
from eosviz.replays.refusal import ReplayRefused
from eosviz.unreadable_json import UNREADABLE

_PIECE = 64 * 1024
GZIP = 31
"""The value of zlib's parameter ``wbits`` for one gzip member."""

# The quantifiers are possessive (`*+`), and a string without an end is matched up to the end of the line.
# Otherwise a line of escaped quotes would be searched again from each quote, for hours.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?+[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_LONG_INTEGER = re.compile(rb"-?[0-9]{19,}")
_FRACTION = re.compile(rb"[0-9]\.")
_EXPONENT = re.compile(rb"[0-9.][eE]")
_NOT_A_NUMBER = re.compile(rb"NaN|Infinity")
_BROWSER_NAME = re.compile(b'"(%s)"' % "|".join(RESERVED).encode())
_EMPTY_BRACKETS = re.compile(rb"\{\}|\[\]")
_ALL_BUT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"{}[]")


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value, which has sorted keys and no spaces, in UTF-8."""
    return msgspec.json.encode(value, order="sorted")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def unpacked(file: Readable, bounds: Bounds) -> Iterator[bytes]:
    """The content of a gzip file, in pieces of at most 64 KiB. Raises ReplayRefused as soon as a limit is
    exceeded, and if the file is not exactly one gzip member."""
    unpacker = zlib.decompressobj(wbits=GZIP)
    taken = made = 0
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail
        if not packed:
            packed = file.read(_PIECE)
            taken += len(packed)
            if not packed:
                raise ReplayRefused("truncated" if taken else "empty", line=0)
            if taken > bounds.compressed_bytes:
                raise ReplayRefused("compressed_too_large", limit=bounds.compressed_bytes)
        try:
            piece = unpacker.decompress(packed, _PIECE)
        except zlib.error as error:
            raise ReplayRefused("not_gzip") from error
        made += len(piece)
        if made > bounds.content_bytes:
            raise ReplayRefused("content_too_large", limit=bounds.content_bytes)
        if piece:
            yield piece
    if unpacker.unused_data or file.read(1):
        raise ReplayRefused("bytes_after_end")


def split_lines(pieces: Iterator[bytes], bounds: Bounds) -> Iterator[tuple[int, bytes]]:
    """(number, line) of each line, from 1, without the line feed. Raises ReplayRefused if a line is too long,
    if there are too many lines, or if the last one has no line feed."""
    number = 1
    rest = bytearray()
    try:
        for piece in pieces:
            start = 0
            while (end := piece.find(b"\n", start)) >= 0:
                rest += piece[start:end]
                start = end + 1
                _check_size(len(rest), number, bounds)
                yield number, bytes(rest)
                rest.clear()
                number += 1
            rest += piece[start:]
            if rest:
                _check_size(len(rest), number, bounds)
    except ReplayRefused as refused:
        if refused.key == "replays.refused.truncated":
            refused.params["line"] = number - 1
        raise
    if rest:
        raise ReplayRefused("truncated", line=number - 1)


def _check_size(size: int, number: int, bounds: Bounds) -> None:
    if size > bounds.line_bytes:
        raise ReplayRefused("line_too_long", line=number, limit=bounds.line_bytes)
    if number > bounds.lines:
        raise ReplayRefused("too_many_lines", limit=bounds.lines)


def decode_line(line: bytes, number: int, bounds: Bounds, *, fractions: bool = False) -> Any:
    """Parses one line, and makes the checks that JSON parsers do not make. `fractions`: whether numbers with
    a fraction or an exponent are allowed. Raises ReplayRefused."""
    bare = _STRING.sub(b"", line)
    if _NOT_A_NUMBER.search(bare) or (not fractions and (_FRACTION.search(bare) or _EXPONENT.search(bare))):
        raise ReplayRefused("not_an_integer", line=number)
    for long in _LONG_INTEGER.finditer(bare):
        # A 64-bit integer has at most twenty characters. Converting a much longer number would take quadratic
        # time.
        if len(long.group()) > 20 or not LONG_MIN <= int(long.group()) <= LONG_MAX:
            raise ReplayRefused("integer_too_large", line=number)
    brackets = bare.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(bounds.depth):
        brackets = _EMPTY_BRACKETS.sub(b"", brackets)
        if not brackets:
            break
    else:
        raise ReplayRefused("too_deep", line=number, limit=bounds.depth)
    name = _BROWSER_NAME.search(line)
    if name:
        raise ReplayRefused("forbidden_name", line=number, name=name.group(1).decode())
    try:
        value = msgspec.json.decode(line)
    except UNREADABLE as error:
        raise ReplayRefused("not_json", line=number) from error
    if canonical(value) != line:
        _refuse_spelling(line, number)
    return value


def _refuse_spelling(line: bytes, number: int) -> None:
    """Raises ReplayRefused for a line that is not canonical, with the reason."""

    def refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                raise ReplayRefused("repeated_key", line=number, name=key[:80])
            seen[key] = value
        return seen

    json.loads(line, object_pairs_hook=refuse_repeated)
    raise ReplayRefused("not_canonical", line=number)
