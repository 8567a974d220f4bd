"""Reads replays in all forms in which they can be imported: the replay file, its lines without compression,
the HTML file that plays offline, and Parquet. `reading.py` checks the lines, whatever form they come from."""

from __future__ import annotations

import base64
import binascii
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from eosviz.replays import format, reading
from eosviz.replays.bounds import BOUNDS, Bounds
from eosviz.replays.lines import GZIP, split_lines, unpacked
from eosviz.replays.refusal import ReplayRefused

OPENING = b'<script type="application/gzip" id="replay">'
"""The text in an HTML file after which the replay begins."""
_PAGE_BYTES_MAX = 4 * 1024 * 1024
"""The replay in an HTML file must begin within about this many bytes. The player before it needs fewer."""
_PIECE = 64 * 1024
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<!doctype html", re.IGNORECASE)
_SPACES = b" \t\r\n"


def read(
    file: BinaryIO,
    bounds: Bounds = BOUNDS,
    witness: Callable[[format.Header], reading.Witness] | None = None,
) -> reading.Recording:
    """Read and check a replay in any form, which its first bytes show. Raises ReplayRefused."""
    begin = file.read(4096)
    file.seek(0)
    if begin.startswith(b"PAR1"):
        with tempfile.TemporaryFile() as replay:
            _as_replay_file(_Bounded(file, bounds), replay)
            replay.seek(0)
            return reading.read(replay, bounds, witness)
    return reading.read_lines(split_lines(_content(begin, file, bounds), bounds), bounds, witness)


def replay_file(file: BinaryIO, bounds: Bounds = BOUNDS) -> Iterator[bytes]:
    """A replay file with the lines of `file`, in pieces. To be called only if `read` has accepted `file`."""
    begin = file.read(4096)
    file.seek(0)
    if begin.startswith(b"\x1f\x8b"):
        yield from _plain(_Bounded(file, bounds))
    elif begin.startswith(b"PAR1"):
        with tempfile.TemporaryFile() as replay:
            _as_replay_file(_Bounded(file, bounds), replay)
            replay.seek(0)
            while piece := replay.read(_PIECE):
                yield piece
    else:
        packer = zlib.compressobj(level=6, wbits=GZIP)
        for piece in _content(begin, file, bounds):
            yield packer.compress(piece)
        yield packer.flush()


def _content(begin: bytes, file: BinaryIO, bounds: Bounds) -> Iterator[bytes]:
    """The bytes of the lines, in pieces, for every form except Parquet. Raises ReplayRefused if the file has
    none of these forms."""
    if begin.startswith(b"{"):
        return _plain(_Bounded(file, bounds))
    if _HTML.match(begin):
        return unpacked(_Embedded(_Bounded(file, bounds)), bounds)
    if begin and not begin.startswith(b"\x1f\x8b"):
        raise ReplayRefused("unknown_form")
    return unpacked(file, bounds)


def _as_replay_file(file: _Bounded, into: BinaryIO) -> None:
    """Write the lines of a Parquet file to `into` as a replay file, without checking them. Raises
    ReplayRefused."""
    # imported here, because only this form needs pyarrow
    from eosviz.replays.parquet_steps import write_replay

    with tempfile.NamedTemporaryFile() as given:
        for piece in _plain(file):
            given.write(piece)
        given.flush()
        write_replay(Path(given.name), into)


def _plain(file: _Bounded) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


class _Bounded:
    """A file that raises ReplayRefused when more is read than a replay may have."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        self._file = file
        self._limit = bounds.compressed_bytes
        self._taken = 0

    def read(self, size: int) -> bytes:
        piece = self._file.read(size)
        self._taken += len(piece)
        if self._taken > self._limit:
            raise ReplayRefused("compressed_too_large", limit=self._limit)
        return piece


class _Embedded:
    """The replay in an HTML file, with a method `read` like that of a file."""

    def __init__(self, page: _Bounded) -> None:
        self._page = page
        self._rest = self._found()
        self._ended = False

    def _found(self) -> bytes:
        """Read up to the beginning of the replay. Returns those of its bytes that were already read. Raises
        ReplayRefused if the page contains no replay."""
        seen = bytearray()
        while True:
            place = seen.find(OPENING)
            if place >= 0:
                return bytes(seen[place + len(OPENING) :])
            piece = self._page.read(_PIECE)
            if not piece or len(seen) > _PAGE_BYTES_MAX:
                raise ReplayRefused("no_replay_in_page")
            seen += piece

    def read(self, size: int) -> bytes:
        """The next bytes of the replay, some more or fewer than `size`; empty at its end. Raises
        ReplayRefused."""
        letters = bytearray()
        while len(letters) < max(size, 4) and not self._ended:
            piece = self._rest or self._page.read(_PIECE)
            self._rest = b""
            if not piece:
                raise ReplayRefused("no_replay_in_page")
            inside, closing, _ = piece.partition(b"<")
            self._ended = bool(closing)
            letters += inside.translate(None, _SPACES)
        whole = len(letters) if self._ended else len(letters) // 4 * 4
        self._rest = bytes(letters[whole:]) + self._rest
        try:
            return base64.b64decode(letters[:whole], validate=True)
        except binascii.Error as error:
            raise ReplayRefused("no_replay_in_page") from error
