"""Writes the header and the steps of a session as a replay file. The same input always gives the same
bytes."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from eosviz.replays import format
from eosviz.replays.lines import GZIP, canonical


def write(header: format.Header, steps: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """The replay file, gzipped, in pieces. ``steps``: (branch id, step), branch after branch in the order of
    the header. A step is decoded JSON (docs/frame.md), or its canonical bytes as ``msgspec.Raw``."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    for line in content(header, steps):
        piece = packer.compress(line)
        if piece:
            yield piece
    yield packer.flush()


def content(header: format.Header, steps: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """The lines of the file, each with its line feed, before they are gzipped."""
    first = format.encode(header)
    yield first + b"\n"
    digest = format.header_digest(first)
    count = 0
    for branch, step in steps:
        digest = format.next_digest(digest, branch, step)
        yield canonical({"type": "step", "branch": branch, "step": step, "digest": digest}) + b"\n"
        count += 1
    yield format.encode(format.End(steps=count, digest=digest)) + b"\n"
