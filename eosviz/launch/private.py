"""Keeps other users out of the data folder, which contains password hashes, session cookies and keys. New
files get their permissions from a umask (EOSVIZ_UMASK). At each start, existing files and folders are closed:
other users lose access to them."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from eosviz.launch.problem import Problem

VARIABLE = "EOSVIZ_UMASK"
UMASKS = {"077": "the user alone", "027": "and the group may read", "007": "and the group may write"}
"""The allowed umasks, as octal digits, with what they mean. Users outside the group never get access."""
UMASK = "077"
BUILD_UMASK = 0o022
"""The umask for the environment and the front end. They contain no data, and another user may run them (as in
a container image)."""
STAMP = ".closed"
"""The name of a file in the closed folder; its content is the umask. It is written once everything in the
folder is closed. As long as the folder itself stays closed, a start need not check the contents again."""
ENTRIES_MAX = 200_000
"""One start checks at most this many files and folders. The others are protected anyway, since other users
cannot enter the folder that contains them."""


def umask_asked(environment: Mapping[str, str]) -> int:
    """The umask that EOSVIZ_UMASK names, or the default. Raises Problem if the name is not in UMASKS."""
    asked = environment.get(VARIABLE) or UMASK
    if asked.lstrip("0").zfill(3) not in UMASKS:
        known = ", ".join(f"{digits} ({who})" for digits, who in UMASKS.items())
        raise Problem(f"{VARIABLE} is {asked!r}: set it to one of {known}")
    return int(asked, 8)


@contextmanager
def build_umask() -> Iterator[None]:
    """A block in which new files get BUILD_UMASK. It is for building the environment and the front end."""
    usual = os.umask(BUILD_UMASK)
    try:
        yield
    finally:
        os.umask(usual)


def make_private_folder(folder: Path, umask: int) -> None:
    """Make the folder or, if it exists and belongs to this user, close it to other users. Raises Problem if
    it is a folder that all users share, and OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_mode & stat.S_ISVTX:
        raise Problem(f"{folder} is a folder that all users share: set EOSVIZ_DATA to one of its own")
    if found.st_mode & umask & 0o777 and found.st_uid == os.geteuid():
        with suppress(OSError):  # On a read-only disk the folder stays open; `close_folder` reports that.
            folder.chmod(stat.S_IMODE(found.st_mode) & ~umask)
            # Files that were added while the folder was open may be open, too.
            (folder / STAMP).unlink(missing_ok=True)


def close_folder(folder: Path, umask: int, say: Callable[[str], None]) -> int:
    """Remove other users' access to the folder and to everything below it. Returns how many entries below it
    were changed. Links are not followed. Must be called before this process opens the database: if a process
    closes any descriptor of SQLite's file, it loses SQLite's locks."""
    foreign: list[Path] = []
    changed = 0
    is_open = bool(folder.stat().st_mode & umask & 0o777)
    if not is_open and _stamp_of(folder) == umask:
        return 0
    if is_open and not _close(folder, umask):
        foreign.append(folder)
    is_whole = True
    for looked_at, path in enumerate(_entries(folder)):
        if looked_at >= ENTRIES_MAX:
            say(
                f"{folder} holds more than {ENTRIES_MAX} files; the permissions of the rest were not looked at."
            )
            is_whole = False
            break
        mode = path.lstat().st_mode if os.path.lexists(path) else 0
        if stat.S_ISLNK(mode) or not mode & umask & 0o777:
            continue
        if _close(path, umask):
            changed += 1
        else:
            foreign.append(path)
    if foreign:
        say(
            f"{len(foreign)} files in {folder} may be read by other users and cannot be closed, the first"
            f" {foreign[0]}: give them to the user of eosviz (chown), or take the rights away (chmod)."
        )
    elif is_whole:
        _write_stamp(folder, umask)
    return changed


def _stamp_of(folder: Path) -> int | None:
    try:
        return int((folder / STAMP).read_text(encoding="ascii"), 8)
    except (OSError, ValueError):
        return None


def _write_stamp(folder: Path, umask: int) -> None:
    with suppress(OSError):  # On a full disk no stamp is written, and the next start checks again.
        descriptor = os.open(folder / STAMP, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{umask:03o}")


def _entries(folder: Path) -> Iterator[Path]:
    """All files and folders below `folder`, each folder before its contents."""
    for place, folders, files in os.walk(folder, followlinks=False):
        for name in (*folders, *files):
            yield Path(place, name)


def _close(path: Path, umask: int) -> bool:
    """Close one file or folder to other users. Returns False if it stays open to them."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return True
    except OSError:
        return _is_socket_or_gone(path)
    try:
        os.fchmod(descriptor, stat.S_IMODE(os.fstat(descriptor).st_mode) & ~umask)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _is_socket_or_gone(path: Path) -> bool:
    """Whether the path is a socket, which cannot be opened as a file, or does not exist."""
    with suppress(OSError):
        return stat.S_ISSOCK(path.lstat().st_mode)
    return True
