"""Sorts the given paths by kind, and reads the files of printed text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eosviz.pipeline.kafka_logs.directories import is_segment
from eosviz.pipeline.kafka_logs.lone_files import belongs_beside_segments, lone_file
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.text_reader import TextReader, TextReading
from eosviz.pipeline.kafka_logs.words import Words

MAGIC = b"\x1f\x8b"
"""The first bytes of a gzipped file."""
TEXT_BYTES_MAX = 512 * 1024 * 1024
"""The largest size of all texts together, in bytes. A dump is ten times as long as the log itself, so larger
logs should be given themselves."""
LINE_CHARACTERS_MAX = 16 * 1024 * 1024
LONE_BYTES_MAX = 64 * 1024 * 1024
"""At most this many bytes are read of a file that belongs beside segments. The largest such files are
indexes, by default of 10 MiB."""
_ZERO = b"\0"
_HEAD_BYTES = 16
"""Only this many bytes are searched for a zero byte. A binary file has one near its beginning; a dump may
contain one later, in the value of a record."""


class Given(NamedTuple):
    """The given paths, by kind."""

    logs: list[Path]
    """Folders; and segments that were given themselves."""
    texts: list[Path]
    bundles: list[Path]


class LoneFileError(LogsError):
    """Files that belong beside segments were given without segments. `sentences`: describe these files."""

    def __init__(self, sentences: Sequence[Words]) -> None:
        super().__init__("; ".join(f"{one.params['file']} makes no case by itself" for one in sentences))
        self.sentences = tuple(sentences)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LONE_BYTES_MAX)


def is_bundle(path: Path) -> bool:
    """Whether the file is gzipped. Among the accepted files, only bundles are. Raises LogsError."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise LogsError(f"{path}: {error.strerror}: make it readable") from error


def by_kind(paths: Sequence[Path]) -> Given:
    """Sorts the paths by kind. Raises LogsError if a path does not exist, and LoneFileError if a file belongs
    beside segments that were not given."""
    given = Given([], [], [])
    beside: list[Path] = []
    for path in paths:
        if path.is_dir() or is_segment(path):
            given.logs.append(path)
        elif path.is_file() and belongs_beside_segments(path.name):
            beside.append(path)
        elif path.is_file():
            (given.bundles if is_bundle(path) else given.texts).append(path)
        else:
            raise LogsError(
                f"{path} does not exist: give partition folders, log directories of a broker, printed text or bundles"
            )
    # If a segment is given, the files beside it are also read.
    read = {(one if one.is_dir() else one.parent).resolve() for one in given.logs}
    sentences = [
        lone_file(path.name, _beginning(path))
        for path in beside
        if not read.intersection(path.resolve().parents)
    ]
    if sentences:
        raise LoneFileError([one for one in sentences if one is not None])
    return given


def read_texts(paths: Sequence[Path]) -> TextReading:
    """Reads all texts. Raises LogsError if they cannot be read or are too long."""
    size = sum(path.stat().st_size for path in paths)
    if size > TEXT_BYTES_MAX:
        raise LogsError(
            f"{size} bytes of text, {TEXT_BYTES_MAX} is the most: give the partition folders themselves"
        )
    reader = TextReader()
    for path in paths:
        reader.read(path, _lines(path))
    return reader.finish()


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if _ZERO in head:
            raise LogsError(f"{path} is no text: give the folder of the file")
        with path.open(encoding="utf-8", errors="replace", newline="\n") as text:
            while line := text.readline(LINE_CHARACTERS_MAX):
                yield line
    except OSError as error:
        raise LogsError(f"{path}: {error.strerror}: make it readable") from error
