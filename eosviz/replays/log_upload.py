"""Files of a broker's log, taken from a form into memory under a bound, with the folders they came from.

Django keeps of an uploaded file's name only its last part. Here the folder matters: Kafka names it after
topic and partition. Nothing is written to disk and no path is ever opened.
"""

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser

from eosviz.replays.refusal import ReplayRefused

FILE_BYTES_MAX = 64 * 1024 * 1024
ALL_BYTES_MAX = 128 * 1024 * 1024
FILES_MAX = 100
_PARTS_KEPT = 3
_PATH_CHARACTERS_MAX = 300


class LogFiles(FileUploadHandler):
    """Collects ``files``: path to content, paths with ``/``. Raises ReplayRefused when a bound is met."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.files: dict[str, bytes] = {}
        self._path = ""
        self._content = bytearray()
        self._total = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if len(self.files) >= FILES_MAX:
            raise ReplayRefused("log_too_many_files", limit=FILES_MAX)
        self._path = self.file_name or ""
        self._content = bytearray()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._content += raw_data
        self._total += len(raw_data)
        if len(self._content) > FILE_BYTES_MAX:
            raise ReplayRefused("log_file_too_large", name=self._path, limit=FILE_BYTES_MAX)
        if self._total > ALL_BYTES_MAX:
            raise ReplayRefused("log_too_large", limit=ALL_BYTES_MAX)

    def file_complete(self, file_size: int) -> None:
        path, copies = self._path, 1
        while path in self.files:
            # Two files of one name from two places are two files.
            copies += 1
            path = f"{copies}/{self._path}"
        self.files[path] = bytes(self._content)
        self._content = bytearray()


class KeepPaths(FileUploadHandler):
    """Parses the form in Django's stead, only to keep the files' paths."""

    def __init__(self, request: HttpRequest, collector: LogFiles) -> None:
        super().__init__(request)
        self._collector = collector

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,
        content_length: int,
        boundary: bytes,
        encoding: str | None = None,
    ) -> tuple[Any, Any]:
        return _PathParser(META, input_data, [self._collector], encoding).parse()


class _PathParser(MultiPartParser):
    def sanitize_file_name(self, file_name: str) -> str | None:
        parts = file_name.replace("\\", "/").split("/")
        kept = [part for part in parts if part not in ("", ".", "..") and part.isprintable()]
        return "/".join(kept[-_PARTS_KEPT:])[-_PATH_CHARACTERS_MAX:] or None
