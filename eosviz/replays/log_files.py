"""Arranges the stored files of a log upload in folders, in the way in which the analysis reads them. Does not
import Django.

For each folder with files that the analysis reads, a folder with links to these files is made. The path of a
link is generated, except for two parts that Kafka gives a meaning: the names of the folder and of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from engine.codec.partition_folder import base_offset_of
from eosviz.pipeline.kafka_logs.directories import CLEANER_CHECKPOINT
from eosviz.pipeline.kafka_logs.origins import META_PROPERTIES, PARTITION_METADATA
from eosviz.pipeline.kafka_logs.text_files import MAGIC

MANIFEST = "manifest"
"""The file in an upload's folder that lists the other files."""
PASTED = "pasted.txt"
_READ_ENDINGS = (".index", ".txnindex", ".snapshot", "-checkpoint", ".checkpoint", PARTITION_METADATA)
_OF_LOG_DIRECTORY = (META_PROPERTIES, CLEANER_CHECKPOINT)
"""Files of a log directory that say something about all of its partitions."""
NOT_READ = (".index", ".timeindex", ".deleted", ".cleaned", ".swap", ".lock")
"""The endings of files that the page does not send if they are in a folder with segments."""
_TEXT_ENDINGS = (".txt", ".text", ".out", ".dump", ".log", "")
_NAME_CHARACTERS_MAX = 100
_FOLDER_CHARACTERS_MAX = 240
_UNNAMED = "log 1"
"""The name of the folder for files that were sent without a folder. It cannot be the name of a partition. The
player shows it as the lane's name."""
_BEGIN_BYTES = 16


class GivenFile(msgspec.Struct, frozen=True):
    """A file that was sent. `path`: the path under which it was sent, with `/` between its parts. `place`:
    its name in the upload's folder."""

    path: str
    place: str


def given_files(folder: Path) -> list[GivenFile]:
    return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=list[GivenFile])


def laid_out(given: Sequence[GivenFile], folder: Path, out: Path) -> list[Path]:
    """Makes folders below `out` with links to those files in `folder` that the analysis reads. Returns the
    paths to be analysed."""
    numbers: dict[PurePosixPath, int] = {}
    with_segments = {PurePosixPath(one.path).parent for one in given if base_offset_of(one.path) is not None}
    paths: dict[Path, None] = {}
    for one in given:
        path, begin = PurePosixPath(one.path), _begin(folder / one.place)
        # A dump beside its segment says nothing new. A bundle is read in any folder.
        is_text = is_bundle(one.path, begin) or (_is_text(path, begin) and path.parent not in with_segments)
        if not is_text and base_offset_of(one.path) is None and not path.name.endswith(_READ_ENDINGS):
            continue
        number = numbers.setdefault(path.parent, len(numbers))
        place = out / str(number) / (path.parent.name or _UNNAMED)[:_FOLDER_CHARACTERS_MAX]
        place.mkdir(parents=True, exist_ok=True)
        target = place / path.name[-_NAME_CHARACTERS_MAX:]
        if target.is_symlink():  # The names differ only in the part that was cut off.
            continue
        target.symlink_to(folder / one.place)
        if is_text:
            paths[target] = None
        elif base_offset_of(one.path) is not None or path.name.endswith("-checkpoint"):
            paths[place] = None
    _link_beside(given, folder, out, numbers)
    if not any(path.is_file() for path in paths) and not with_segments:
        return []
    return [
        path
        for path in paths
        if path.is_file() or any(path.glob("*.log")) or any(path.glob("*-offset-checkpoint"))
    ]


def _link_beside(
    given: Sequence[GivenFile], folder: Path, out: Path, numbers: Mapping[PurePosixPath, int]
) -> None:
    """For each partition of a log directory, link the files of the log directory into the folder above the
    partition's."""
    for one in given:
        path = PurePosixPath(one.path)
        if path.name not in _OF_LOG_DIRECTORY:
            continue
        for partition, number in numbers.items():
            target = out / str(number) / path.name
            if partition.parent == path.parent and not target.is_symlink():
                target.symlink_to(folder / one.place)


def _begin(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_BEGIN_BYTES)


def is_bundle(path: str, begin: bytes) -> bool:
    """Whether a file with this path and beginning can only be a bundle, because it is gzipped and does not
    have the name of a segment."""
    return begin.startswith(MAGIC) and base_offset_of(path) is None


def _is_text(path: PurePosixPath, begin: bytes) -> bool:
    known = base_offset_of(path.name) is not None or path.name.endswith(_READ_ENDINGS)
    return not known and path.suffix in _TEXT_ENDINGS and b"\0" not in begin
