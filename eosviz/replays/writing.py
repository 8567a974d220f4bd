"""Writes the header and the steps of a session as a replay file. Equal input gives equal bytes."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from eosviz.replays import format
from eosviz.replays.lines import GZIP, canonical


def write(header: format.Header, steps: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """The gzipped file in pieces. ``steps`` are pairs of branch id and step, branch by branch in the header's
    order; a step is decoded JSON (docs/frame.md) or its canonical bytes wrapped in ``msgspec.Raw``."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    for line in content(header, steps):
        piece = packer.compress(line)
        if piece:
            yield piece
    yield packer.flush()


def content(header: format.Header, steps: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """The file's lines before packing, each with its line feed."""
    first = format.encode(header)
    yield first + b"\n"
    digest = format.header_digest(first)
    count = 0
    for branch, step in steps:
        digest = format.next_digest(digest, branch, step)
        yield canonical({"type": "step", "branch": branch, "step": step, "digest": digest}) + b"\n"
        count += 1
    yield format.encode(format.End(steps=count, digest=digest)) + b"\n"
