"""A stamp is a hash of what something was made from, kept inside the thing made.

As long as the sources hash to it, the thing is not made again; when the thing is deleted, so is its stamp.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

STAMP_NAME = ".made-from"


def digest_of(sources: Iterable[Path], *words: str) -> str:
    """The hash of the files' names and contents and of further words, such as a version."""
    digest = hashlib.sha256()
    for word in words:
        digest.update(b"%d:%s" % (len(word.encode()), word.encode()))
    for source in sorted(sources):
        content = source.read_bytes()
        digest.update(b"%d:%s%d:" % (len(str(source)), str(source).encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()


def is_fresh(made: Path, digest: str) -> bool:
    stamp = made / STAMP_NAME
    return stamp.is_file() and stamp.read_text() == digest


def stamp(made: Path, digest: str) -> None:
    (made / STAMP_NAME).write_text(digest)


def unstamp(made: Path) -> None:
    """Called before making starts, so that a making cut off half-way is begun again."""
    (made / STAMP_NAME).unlink(missing_ok=True)
