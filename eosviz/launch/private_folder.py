"""Makes folders that only their owner can enter, so that no other user can put a file or a socket into them
or read one there."""

import contextlib
import os
import stat
from pathlib import Path

from eosviz.launch.problem import Problem

PRIVATE_MODE = 0o700


def private_folder(path: Path) -> Path:
    """Make the folder if it is missing, and close it to other users. Returns the path. Raises Problem if the
    path is a link or a file, or the folder of another user."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=PRIVATE_MODE)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise Problem(f"{path} is no folder but a link or a file: remove it")
    if found.st_uid != os.getuid():
        raise Problem(f"{path} belongs to another user of this machine: remove it, or choose another place")
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(PRIVATE_MODE)
    return path
