"""Decides whether a generated folder is up to date. Its stamp, a file in the folder, has a hash of the
sources. The folder is not generated again as long as the sources have this hash. Deleting the folder deletes
its stamp, too."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

STAMP_NAME = ".made-from"


def digest_of(sources: Iterable[Path], *words: str) -> str:
    """The hash of the files' paths and contents and of further words, such as a version."""
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
    """Remove a folder's stamp before the folder is generated. If that is interrupted, the folder counts as
    out of date."""
    (made / STAMP_NAME).unlink(missing_ok=True)
