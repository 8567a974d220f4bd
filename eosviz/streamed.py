"""Long answers, sent while they are made: of each only a piece is in memory.

Django itself would gather every piece of such an answer before it sends the first one, where the server speaks ASGI and
the pieces come from an ordinary iterator.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import FileResponse, StreamingHttpResponse

PIECE_BYTES = 128 * 1024


def some(pieces: Iterator[bytes]) -> bytes:
    """The next pieces as one of at least `PIECE_BYTES`; nothing when there are none left."""
    gathered: list[bytes] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= PIECE_BYTES:
            break
    return b"".join(gathered)


class _InPieces:
    """Each piece is made in a thread when the one before it was taken."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = iter(self.streaming_content)  # type: ignore[attr-defined]
        following = sync_to_async(some)
        while piece := await following(pieces):
            yield piece


class Streamed(_InPieces, StreamingHttpResponse):
    """Of an iterator of bytes."""


class StreamedFile(_InPieces, FileResponse):
    """Of an open file, which it closes."""

    block_size = PIECE_BYTES
