"""Responses that are sent while they are produced, with one piece in memory at a time. Under ASGI, Django
itself collects all pieces of an ordinary iterator before it sends the first one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import FileResponse, StreamingHttpResponse

PIECE_BYTES = 128 * 1024


def some(pieces: Iterator[bytes]) -> bytes:
    """The next pieces, joined until they have at least `PIECE_BYTES`. The last result may be shorter; after
    the last piece it is empty."""
    gathered: list[bytes] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= PIECE_BYTES:
            break
    return b"".join(gathered)


class _InPieces:
    """Makes the iteration of a response asynchronous: each piece is produced in a thread."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # `streaming_content` is an attribute of the response class with which this class is combined.
        pieces = iter(self.streaming_content)  # type: ignore[attr-defined]
        following = sync_to_async(some)
        while piece := await following(pieces):
            yield piece


class Streamed(_InPieces, StreamingHttpResponse):
    """A response that sends an iterator of bytes."""


class StreamedFile(_InPieces, FileResponse):
    """A response that sends an open file, and closes it at the end."""

    block_size = PIECE_BYTES
