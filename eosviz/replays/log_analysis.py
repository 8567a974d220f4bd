"""What uploaded files of a broker, or printed text, say about transactions: the summary that a log case keeps.

The analysis reads folders in place, so the files are put into folders of ours for as long as it runs. Their
names are ours except for what Kafka gives meaning to: the last folder, and the file.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from engine.codec.log_case import ToldPartition
from engine.codec.partition_folder import base_offset_of
from eosviz.pipeline.kafka_logs.bounded import BUNDLE, LANES, TooMuchError, document_of
from eosviz.pipeline.kafka_logs.bundle_reading import MAGIC
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.told_lanes import told_partitions

KEPT_MAX = {"partitions": 400, "verdicts": 500, "groups": 500, "transactions": 2000, "copies": 400,
            "log_lines": 500}  # fmt: skip
"""Rows of each list that are kept; the page tells how many there were."""
PASTED = "pasted.txt"

_READ_ENDINGS = (".index", ".txnindex", ".snapshot", "-checkpoint")
_TEXT_ENDINGS = (".txt", ".text", ".out", ".dump", ".log", "")
_NAME_CHARACTERS_MAX = 100
_FOLDER_CHARACTERS_MAX = 240
_UNNAMED = "log 1"
"""The folder of files that came without one: no partition is named so, and the player names its lane so."""

_log = logging.getLogger(__name__)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the files say."""

    document: Json | None = None
    """The document of docs/logs.md with keys and parameters for sentences and lists of bounded length, and
    `counts` of the lists; `{"too_much": true}` when that took too long or too much memory; None when the files
    hold neither a segment nor printed text nor a bundle."""
    told: tuple[ToldPartition, ...] = ()
    """Partitions of which only text or a bundle tells, batch by batch."""
    bundle: bytes | None = None
    """None when the case has too many batches for one."""


def analyse(files: Mapping[str, bytes]) -> Analysis:
    """What `files` (path to content) say. Damage is part of it."""
    with TemporaryDirectory(prefix="eosviz-log-") as place:
        paths, out = _laid_out(files, Path(place)), Path(place)
        if not paths:
            return Analysis()
        try:
            found = document_of(paths, out)
        except LogsError:
            return Analysis()
        except TooMuchError as error:
            _log.warning("a log case was too much to analyse: %s", error)
            return Analysis({"too_much": True})
        return Analysis(bounded(found), _told(out / LANES), _content(out / BUNDLE))


def _told(path: Path) -> tuple[ToldPartition, ...]:
    return tuple(told_partitions((_content(path) or b"").splitlines()))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _laid_out(files: Mapping[str, bytes], place: Path) -> list[Path]:
    """Write what is read, each folder of the upload into one of its own; what to give to the analysis."""
    numbers: dict[PurePosixPath, int] = {}
    with_segments = {PurePosixPath(path).parent for path in files if base_offset_of(path) is not None}
    paths: dict[Path, None] = {}
    for path, content in files.items():
        given = PurePosixPath(path)
        # A dump beside its segment says nothing new; a bundle beside it is another case's.
        is_text = is_bundle(path, content) or (_is_text(given, content) and given.parent not in with_segments)
        if not is_text and base_offset_of(path) is None and not given.name.endswith(_READ_ENDINGS):
            continue
        number = numbers.setdefault(given.parent, len(numbers))
        folder = place / str(number) / (given.parent.name or _UNNAMED)[:_FOLDER_CHARACTERS_MAX]
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / given.name[-_NAME_CHARACTERS_MAX:]
        target.write_bytes(content)
        if is_text:
            paths[target] = None
        elif base_offset_of(path) is not None or given.name.endswith("-checkpoint"):
            paths[folder] = None
    if not any(path.is_file() for path in paths) and not with_segments:
        return []
    return [
        path
        for path in paths
        if path.is_file() or any(path.glob("*.log")) or any(path.glob("*-offset-checkpoint"))
    ]


def is_bundle(path: str, content: bytes) -> bool:
    """Whether an uploaded file can only be a bundle."""
    return content.startswith(MAGIC) and base_offset_of(path) is None


def _is_text(path: PurePosixPath, content: bytes) -> bool:
    known = base_offset_of(path.name) is not None or path.name.endswith(_READ_ENDINGS)
    return not known and path.suffix in _TEXT_ENDINGS and b"\0" not in content[:16]


def bounded(found: Json) -> Json:
    """The document with lists of bounded length, and `counts` of them."""
    counts = {name: len(found[name]) for name in KEPT_MAX}
    open_first = sorted(found["transactions"], key=lambda one: one["result"] != "open")
    kept = {
        name: (open_first if name == "transactions" else found[name])[:most]
        for name, most in KEPT_MAX.items()
    }
    for verdict in found["verdicts"]:
        # A remedy's ranges can be as many as a log has aborted transactions; the page tells the offset alone.
        if verdict["remedy"] is not None:
            del verdict["remedy"]["visible_read_committed"]
        verdict["notes"] = verdict["notes"][:20]
    for partition in (*found["partitions"], *found["copies"]):
        del partition["path"]
    found["left_out"] = len(found["left_out"])
    left_out = ("paths", "producers", "visible_read_committed", "visible_read_uncommitted", "not_listed")
    rest = {name: value for name, value in found.items() if name not in left_out and name not in kept}
    if rest["text"] is not None:
        rest["text"]["files"] = len(rest["text"]["files"])
    return rest | kept | {"counts": counts}
