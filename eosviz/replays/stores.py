"""Stores for files that are written once and then only read. Each is a folder in the data folder, which
several servers may share.

`Store.write` makes a file appear completely or not at all. A web server or cache can serve published files
directly from their folder (docs/operating.md).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from django.conf import settings


class Store:
    """A folder of files. The `names` of a method are the parts of a path in it."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def folder(self) -> Path:
        return Path(settings.DATA_DIR) / self._name

    def path(self, *names: str) -> Path:
        return self.folder.joinpath(*names)

    def write(self, pieces: Iterable[bytes], *names: str) -> int:
        """Write a file. Returns its size in bytes. An existing file is replaced in one step."""
        target = self.path(*names)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(prefix=".part-", dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for piece in pieces:
                    file.write(piece)
                size = file.tell()
            os.chmod(beside, 0o666 & ~settings.UMASK)
            os.replace(beside, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside)
            raise
        return size

    def open(self, *names: str) -> BinaryIO:
        """A file, opened for reading. Raises FileNotFoundError."""
        return self.path(*names).open("rb")

    def delete(self, *names: str) -> None:
        """Delete a file, or a folder with its contents. Does nothing if it does not exist."""
        target = self.path(*names)
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)


exports = Store("exports")
published = Store("published")
uploads = Store("uploads")
