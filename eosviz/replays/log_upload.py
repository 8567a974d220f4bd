"""Writes the files of a broker's log to the data folder while they arrive, and keeps the names of their
folders.

Django keeps only the last part of an uploaded file's name, but Kafka puts topic and partition into the name
of the folder. A file is stored under a number, and its path is stored as text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser

from eosviz.replays.log_files import MANIFEST, GivenFile
from eosviz.replays.refusal import ReplayRefused

FILE_BYTES_MAX = 64 * 1024 * 1024
ALL_BYTES_MAX = 128 * 1024 * 1024
FILES_MAX = 1000
FIRST_FIELD = "files"
"""The form's main field. A file of another field counts as one in a folder with the field's name."""
_PATH_CHARACTERS_MAX = 300
_ENTRY_BYTES = {".index": 8, ".timeindex": 12}
"""Dict of ending → the size of an entry in bytes. Kafka creates these files with 10 MB; the zeros after the
last entry are not stored."""
_ZEROS = bytes(64 * 1024)


class LogFiles(FileUploadHandler):
    """Writes files to the existing `folder`, and their paths to its manifest. Raises ReplayRefused if a limit
    is exceeded."""

    def __init__(self, folder: Path, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._folder = folder
        self._given: dict[str, GivenFile] = {}
        self._file: _Stored | None = None
        self.total_bytes = 0

    @property
    def is_empty(self) -> bool:
        return not self._given

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        path = self.file_name or ""
        # Two fields may have folders with the same name, because brokers use the same names. They stay
        # different folders.
        self._begin(path if self.field_name == FIRST_FIELD else f"{self.field_name}/{path}")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._take(raw_data)

    def file_complete(self, file_size: int) -> None:
        self.close()

    def add(self, path: str, content: bytes) -> None:
        """Add content that the form does not send as a file, such as pasted text, as a file."""
        self._begin(path)
        self._take(content)
        self.close()

    def finish(self) -> None:
        """Write the manifest. To be called after the last file."""
        self.close()
        (self._folder / MANIFEST).write_bytes(msgspec.json.encode(list(self._given.values())))

    def close(self) -> None:
        """Close the file that is being written, complete or not."""
        if self._file is not None:
            size = self._file.bytes
            self._file.close()
            self.total_bytes += self._file.bytes - size
            self._file = None

    def upload_interrupted(self) -> None:
        self.close()

    def _begin(self, path: str) -> None:
        if len(self._given) >= FILES_MAX:
            raise ReplayRefused("log_too_many_files", limit=FILES_MAX)
        name, copies = path, 1
        while name in self._given:
            # Two files with the same path come from different folders.
            copies += 1
            name = f"{copies}/{path}"
        place = str(len(self._given))
        self._given[name] = GivenFile(name, place)
        entry = next((size for ending, size in _ENTRY_BYTES.items() if name.endswith(ending)), 0)
        self._file = _Stored((self._folder / place).open("wb"), name, entry)

    def _take(self, piece: bytes) -> None:
        assert self._file is not None  # noqa: S101 - Django begins a file first
        size = self._file.bytes
        self._file.take(piece)
        self.total_bytes += self._file.bytes - size
        if self._file.bytes > FILE_BYTES_MAX:
            raise ReplayRefused("log_file_too_large", name=self._file.name, limit=FILE_BYTES_MAX)
        if self.total_bytes > ALL_BYTES_MAX:
            raise ReplayRefused("log_too_large", limit=ALL_BYTES_MAX)


class _Stored:
    """One file that is being written. If `entry_bytes` is above 0, the zeros after its last entry are left
    out."""

    def __init__(self, file: BinaryIO, name: str, entry_bytes: int) -> None:
        self._file = file
        self.name = name
        self._entry_bytes = entry_bytes
        self._zeros = 0
        self.bytes = 0

    def take(self, piece: bytes) -> None:
        if self._entry_bytes:
            full = piece.rstrip(b"\0")
            if full:
                self._write_zeros(self._zeros)
                self._zeros = 0
                self._write(full)
            self._zeros += len(piece) - len(full)
        else:
            self._write(piece)

    def close(self) -> None:
        if self._entry_bytes:
            # The last entry may itself end with zeros.
            self._write_zeros(min(self._zeros, -self.bytes % self._entry_bytes))
        self._file.close()

    def _write(self, piece: bytes) -> None:
        self._file.write(piece)
        self.bytes += len(piece)

    def _write_zeros(self, count: int) -> None:
        while count:
            piece = _ZEROS[:count]
            self._write(piece)
            count -= len(piece)


class KeepPaths(FileUploadHandler):
    """An upload handler that parses the form in place of Django, because this keeps the files' paths.
    `handlers`: the upload handlers for the files."""

    def __init__(self, request: HttpRequest, *handlers: FileUploadHandler) -> None:
        super().__init__(request)
        self._handlers = list(handlers)

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> tuple[Any, Any]:
        return _PathParser(META, input_data, self._handlers, encoding).parse()


class _PathParser(MultiPartParser):
    def sanitize_file_name(self, file_name: str) -> str | None:
        parts = file_name.replace("\\", "/").split("/")
        kept = [part for part in parts if part not in ("", ".", "..") and part.isprintable()]
        return "/".join(kept)[-_PATH_CHARACTERS_MAX:] or None
