"""What a person sends stands on disk once.

The server writes a request's body to a file before Django parses it, and Django's handlers write each file of a form to
one of its own. The space of the body is given back while it is parsed, and a file that Django wrote is moved.
"""

from __future__ import annotations

import ctypes
import shutil
import sys
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

PIECE_BYTES = 8 * 2**20
"""Of the body that are given back at once."""
_KEEP_SIZE, _PUNCH_HOLE = 1, 2  # from Linux's falloc.h


class GiveBody(FileUploadHandler):
    """Stands before the handlers that keep a file, and keeps nothing."""

    _given = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        body: Any = getattr(self.request, "_stream", None)
        if getattr(body, "_rolled", False):  # a body that fits into memory has no file
            read = body.tell()
            if read - self._given >= PIECE_BYTES and give_back(body.fileno(), self._given, read):
                self._given = read
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def give_back(descriptor: int, start: int, end: int) -> bool:
    """Let these bytes of a file take no space. False where the system cannot; then they stay until the file goes."""
    if sys.platform != "linux":
        return False
    offsets = (ctypes.c_int64(start), ctypes.c_int64(end - start))
    refused: int = ctypes.CDLL(None).fallocate(descriptor, _PUNCH_HOLE | _KEEP_SIZE, *offsets)
    return not refused


def move(file: UploadedFile[bytes], target: Path) -> None:
    """A file of a form that was read to its end."""
    if isinstance(file, TemporaryUploadedFile):
        file.flush()
        shutil.move(file.temporary_file_path(), target)
        file.close()  # says nothing of a file that is gone
        return
    with target.open("wb") as written:
        shutil.copyfileobj(file, written)
