"""Prevents an upload from being on disk twice.

Django writes a large body to a file before it parses the form, and its handlers write each large file of the
form to another file. So the disk space of the body is freed while it is parsed, and a file that Django wrote
is moved and not copied.
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
"""The body's space is freed in pieces of at least this many bytes."""
_KEEP_SIZE, _PUNCH_HOLE = 1, 2  # from Linux's falloc.h


class GiveBody(FileUploadHandler):
    """An upload handler that frees the space of the body's part that was read. It must come before the
    handlers that store files."""

    _given = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        body: Any = getattr(self.request, "_stream", None)
        if getattr(body, "_rolled", False):  # a small body is in memory, not in a file
            read = body.tell()
            if read - self._given >= PIECE_BYTES and give_back(body.fileno(), self._given, read):
                self._given = read
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def give_back(descriptor: int, start: int, end: int) -> bool:
    """Free the disk space of the bytes from `start` to `end` of a file. Returns False if the system cannot do
    that; the space is then freed with the file."""
    if sys.platform != "linux":
        return False
    offsets = (ctypes.c_int64(start), ctypes.c_int64(end - start))
    refused: int = ctypes.CDLL(None).fallocate(descriptor, _PUNCH_HOLE | _KEEP_SIZE, *offsets)
    return not refused


def move(file: UploadedFile[bytes], target: Path) -> None:
    """Move an uploaded file to `target`, if Django has written it to disk. If it is in memory, write it
    there."""
    if isinstance(file, TemporaryUploadedFile):
        file.flush()
        shutil.move(file.temporary_file_path(), target)
        file.close()  # Closing does not fail although the file was moved.
        return
    with target.open("wb") as written:
        shutil.copyfileobj(file, written)
