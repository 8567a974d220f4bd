"""Keeps an upload on disk only once.

Django writes a large body to a file before it parses the form, and its handlers write each large file of the form to
another file. So the space of the body is freed while it is parsed, and a file that Django wrote is moved instead of
copied.
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
"""At least this much of the body is freed at once."""
_KEEP_SIZE, _PUNCH_HOLE = 1, 2  # from Linux's falloc.h


class GiveBody(FileUploadHandler):
    """An upload handler that frees the body's space. It comes before the handlers that keep a file."""

    _given = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        body: Any = getattr(self.request, "_stream", None)
        if getattr(body, "_rolled", False):  # a body in memory has no file
            read = body.tell()
            if read - self._given >= PIECE_BYTES and give_back(body.fileno(), self._given, read):
                self._given = read
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def give_back(descriptor: int, start: int, end: int) -> bool:
    """Free the disk space of these bytes of a file. False if the system cannot do that; then the space is
    freed when the file is deleted."""
    if sys.platform != "linux":
        return False
    offsets = (ctypes.c_int64(start), ctypes.c_int64(end - start))
    refused: int = ctypes.CDLL(None).fallocate(descriptor, _PUNCH_HOLE | _KEEP_SIZE, *offsets)
    return not refused


def move(file: UploadedFile[bytes], target: Path) -> None:
    """Move an uploaded file that Django has written to disk; copy one that is in memory."""
    if isinstance(file, TemporaryUploadedFile):
        file.flush()
        shutil.move(file.temporary_file_path(), target)
        file.close()  # does not fail for a file that was moved
        return
    with target.open("wb") as written:
        shutil.copyfileobj(file, written)
