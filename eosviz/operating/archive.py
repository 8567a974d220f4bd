"""Writes and reads the file of a backup. It is a gzipped tar file that is written and read sequentially. Its
members are, in this order:

- `manifest.json`: the version of this format, the engine, the time, the migrations of the rows, and the
  columns of each table
- `rows/<app.model>/<number>.jsonl`: the rows of a table as JSON lines (`tables.py`), in pieces
- `files/<path>`: the files of the data folder
- `end.json`: how many rows and files there are, and the chain over all members before it

The chain is a hash: SHA-256 over the chain so far, a member's name and the SHA-256 of its content. A
truncated file has no `end.json`, and a damaged file has another chain. Both are detected before anything of
the file is used.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

VERSION = 1
MANIFEST, END = "manifest.json", "end.json"
ROWS, FILES = "rows/", "files/"
COMPRESSION = 3
PIECE_BYTES = 1024 * 1024
SMALL_MEMBER_BYTES_MAX = 8 * 1024 * 1024
"""The largest size of `manifest.json` and of `end.json`, in bytes."""


class Damaged(Exception):
    """The file is not a complete backup. The text says what is wrong with it."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    engine: str
    created: str
    """The time of the backup, as ISO 8601."""
    database: str
    """The kind of database: Django's `vendor`. A backup can be restored into another kind."""
    migrations: list[str]
    columns: dict[str, list[str]]


class End(msgspec.Struct, frozen=True, kw_only=True):
    chain: str
    rows: dict[str, int]
    files: int


class Chain:
    def __init__(self) -> None:
        self.hex = hashlib.sha256(b"eosviz backup").hexdigest()

    def add(self, name: str, content_hash: str) -> None:
        self.hex = hashlib.sha256(f"{self.hex} {name} {content_hash}".encode()).hexdigest()


class Writer:
    """Writes a backup as a gzipped tar file. The caller checks that `path` does not exist. Until `end` is called,
    the bytes are in a draft beside it, `<path>.part`; `end` gives the draft the name `path`, and `give_up` deletes
    it. Raises FileExistsError if there already is a draft."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = path.with_name(f"{path.name}.part")
        # Only this user can read the file, because it contains password hashes and browsers' keys.
        self._draft.touch(mode=0o600, exist_ok=False)
        self._packed = gzip.GzipFile(self._draft, "wb", COMPRESSION)
        self._tar = tarfile.TarFile(fileobj=self._packed, mode="w", format=tarfile.PAX_FORMAT)
        self._chain = Chain()

    def add_bytes(self, name: str, content: bytes) -> None:
        self._add(name, io.BytesIO(content), len(content))

    def add_file(self, name: str, file: IO[bytes], size: int) -> None:
        self._add(name, file, size)

    def _add(self, name: str, file: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size = size
        member.mode = 0o600
        read = HashedReader(file)
        self._tar.addfile(member, read)  # Raises OSError if the file has become shorter.
        _forget_members(self._tar)
        self._chain.add(name, read.hash.hexdigest())

    def end(self, rows: dict[str, int], files: int) -> None:
        last = End(chain=self._chain.hex, rows=rows, files=files)
        content = msgspec.json.encode(last)
        member = tarfile.TarInfo(END)
        member.size = len(content)
        self._tar.addfile(member, io.BytesIO(content))
        self._tar.close()
        self._packed.close()
        self._draft.rename(self._path)

    def give_up(self) -> None:
        with suppress(OSError):  # On a full disk, even closing the file fails.
            self._packed.close()
        self._draft.unlink(missing_ok=True)


class HashedReader:
    """Reads a file, and hashes the bytes that it has read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self.hash.update(piece)
        return piece


UNREADABLE = (tarfile.TarError, zlib.error, EOFError, OSError)
"""The exceptions of `tarfile`, `gzip` and `zlib` for a file that is truncated or is no backup."""


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    size: int
    file: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        try:
            return self.file.read(size)
        except UNREADABLE as error:
            raise Damaged(f"{self.name} cannot be read to its end ({error})") from error

    def whole(self) -> bytes:
        """The member's complete content. Raises Damaged if it is larger than SMALL_MEMBER_BYTES_MAX."""
        if self.size > SMALL_MEMBER_BYTES_MAX:
            raise Damaged(f"{self.name} is larger than {SMALL_MEMBER_BYTES_MAX} bytes")
        return self.read()


def _forget_members(tar: tarfile.TarFile) -> None:
    """Empty the list in which `tarfile` collects every member, so that a large backup takes little memory."""
    tar.members.clear()  # type: ignore[attr-defined]  # typeshed leaves the attribute out


def members(path: Path) -> Iterator[Member]:
    """The members of a backup, in order. Each one must be read before the next one is requested. Raises
    Damaged if the file is truncated or is no backup."""
    try:
        with gzip.GzipFile(path, "rb") as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
            while (info := tar.next()) is not None:
                _forget_members(tar)
                file = tar.extractfile(info) if info.isreg() else None
                if file is None or not _is_inside(info.name):
                    raise Damaged(f"{info.name} is no member of a backup")
                yield Member(info.name, info.size, file)
    except UNREADABLE as error:
        raise Damaged(f"it cannot be read to its end ({error})") from error


def _is_inside(name: str) -> bool:
    parts = name.split("/")
    return "\0" not in name and "\\" not in name and not {"", ".", ".."} & set(parts)


def check(path: Path) -> tuple[Manifest, End]:
    """Read the whole file, and return its manifest and its end. Raises Damaged if members are missing, added,
    altered or in another order."""
    chain = Chain()
    manifest: Manifest | None = None
    end: End | None = None
    for member in members(path):
        if end is not None:
            raise Damaged("something comes after its end")
        if member.name == END:
            end = _decoded(member.whole(), End, END)
            continue
        digest = hashlib.sha256()
        if manifest is None:
            if member.name != MANIFEST:
                raise Damaged("it does not begin with a manifest")
            content = member.whole()
            digest.update(content)
            manifest = _decoded(content, Manifest, MANIFEST)
        while piece := member.read(PIECE_BYTES):
            digest.update(piece)
        chain.add(member.name, digest.hexdigest())
    if manifest is None or end is None:
        raise Damaged("its end is missing: it was broken off")
    if end.chain != chain.hex:
        raise Damaged("it was altered: its checksum is another one")
    return manifest, end


def _decoded(content: bytes, type: Any, name: str) -> Any:
    try:
        return msgspec.json.decode(content, type=type)
    except msgspec.MsgspecError as error:
        raise Damaged(f"{name} cannot be read ({error})") from error
