"""What the player takes to play without a server (docs/player.md), packed once and served as it is."""

import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from eosviz.replays.lines import GZIP, canonical

_PIECE = 1024 * 1024


def pack(fields: dict[str, Any], packed_steps: bytes) -> bytes:
    """The gzipped player file: ``fields`` and, as ``steps``, what ``packed_steps`` (gzipped JSON) holds. The
    steps may be hundreds of times larger than they are packed; they are never unpacked as a whole."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    made = [packer.compress(piece) for piece in _pieces(fields, packed_steps)]
    return b"".join((*made, packer.flush()))


def pack_steps(steps: Any) -> bytes:
    """Branch id to steps, as ``pack`` takes them."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    return packer.compress(canonical(steps)) + packer.flush()


def unpack(packed: bytes | BinaryIO) -> Iterator[bytes]:
    """The content of a gzipped file in pieces, for a browser that takes nothing packed. A file that is given open is
    closed at the end."""
    unpacker = zlib.decompressobj(wbits=GZIP)
    with io.BytesIO(packed) if isinstance(packed, bytes) else packed as file:
        rest = file.read(_PIECE)
        while rest and not unpacker.eof:
            yield unpacker.decompress(rest, _PIECE)
            rest = unpacker.unconsumed_tail or file.read(_PIECE)


def read(packed: bytes) -> Any:
    """The whole content: of cases, whose steps are bounded."""
    return msgspec.json.decode(b"".join(unpack(packed)))


def _pieces(fields: dict[str, Any], packed_steps: bytes) -> Iterator[bytes]:
    yield canonical(fields).removesuffix(b"}") + b',"steps":'
    yield from unpack(packed_steps)
    yield b"}"
