"""What of the data folder belongs into a backup: all but what a start makes again, what others keep, and secrets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = frozenset(
    {
        "run",  # sockets, and notes of what runs
        "redis",  # the queue: a page sends again what was not answered
        "log",
        "bounded",  # what processes work on just now
        "mail",  # links that set a password
        "static",  # made by collectstatic
        "spark",  # made by Spark while it works
        "gallery",
        "search",
        "secret_key",
        "pipeline.lock",
    }
)
"""First parts of paths."""
DATABASE_FILE = "eosviz.sqlite3"
"""Its rows are in the backup; the file, with those that SQLite lays beside it, is not."""


def files_of(folder: Path) -> Iterator[Path]:
    """Paths inside the folder, in order."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        first = inside.parts[0]
        if first in LEFT_OUT or first.startswith(DATABASE_FILE) or path.is_symlink():
            continue
        if path.is_file() and not path.name.startswith(".part-"):
            yield inside
