"""Decides which files of the data folder a backup contains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = frozenset(
    {
        "run",  # sockets, and the state of running processes
        "redis",  # the queue of tasks; pages repeat requests that were not answered
        "log",
        "bounded",  # working files of running processes
        "mail",  # mails with links that set a password
        "static",  # made by collectstatic
        "spark",  # Spark's working files
        "gallery",
        "search",
        "secret_key",
        "pipeline.lock",
    }
)
"""The first parts of paths in the data folder. A backup leaves these files and folders out."""
DATABASE_FILE = "eosviz.sqlite3"
"""SQLite's database. The backup contains its rows, so it leaves this file out, and the files that SQLite
keeps with it."""


def files_of(folder: Path) -> Iterator[Path]:
    """The files that a backup of this data folder contains, as paths relative to the folder, sorted."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        first = inside.parts[0]
        if first in LEFT_OUT or first.startswith(DATABASE_FILE) or path.is_symlink():
            continue
        if path.is_file() and not path.name.startswith(".part-"):
            yield inside
