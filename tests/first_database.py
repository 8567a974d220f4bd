"""The SQLite database of a new site. It is made once and then copied, because migrating and loading the library takes
seconds of processor time for each site and each process of the tests.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from eosviz.launch.endings import engine_sources
from eosviz.launch.places import ROOT
from eosviz.launch.stamps import digest_of

NAME = "eosviz.sqlite3"
"""The file's name in the data folder of a site."""
FOLDER = ROOT / ".pytest_cache" / "database"
NOT_ITS_OWN = ("DJANGO_SETTINGS_MODULE", "REDIS_URL", "DATABASE_URL")
"""Environment variables that a test process sets for itself; the process that makes the database must not get them."""


def put_first_database(path: Path) -> None:
    """Copy the database to `path`, as a new file that only its user can read."""
    shutil.copyfile(_made(), path)
    path.chmod(0o600)


@cache
def _made() -> Path:
    sources = [*engine_sources(), *(ROOT / "eosviz").rglob("*.py"), ROOT / "requirements.txt"]
    made = FOLDER / f"{digest_of(sources)}.sqlite3"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        # The processes of a test run start at the same time: the first one makes the database, and the others wait.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made)
    return made


def _make(made: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_ITS_OWN}
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--noinput", "-v", "0"],
            cwd=ROOT,
            env={**inherited, "EOSVIZ_DATA": folder},
            check=True,
        )
        for old in FOLDER.glob("*.sqlite3"):
            old.unlink()
        (Path(folder) / NAME).rename(made)
