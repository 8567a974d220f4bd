"""Starts a whole eosviz in processes of its own, for tests of what only real processes show."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eosviz.launch.occupancy import State, read_state
from eosviz.launch.places import ROOT
from eosviz.launch.run import ask_health
from tests.first_database import NAME, NOT_ITS_OWN, put_first_database

READY_SECONDS_MAX = 240.0
END_SECONDS_MAX = 120.0
MANAGE_SECONDS_MAX = 120.0
POLL_SECONDS = 0.05


class RunningSite:
    """A site as `make run` starts it, without the set-up, on a free port and with a data folder of its own."""

    def __init__(self, data_folder: Path, **environment: str) -> None:
        self.data_folder = data_folder
        data_folder.mkdir(parents=True, exist_ok=True)
        self._output = data_folder / "supervisor.log"
        # Variables that the test process set for itself must not reach the site.
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_ITS_OWN}
        chosen = {"EOSVIZ_DATA": str(data_folder), "EOSVIZ_PORT": "0", **environment}
        self._environment = {**inherited, **chosen}
        with self._output.open("wb") as output:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-m", "eosviz.launch", "serve"],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def state(self) -> State:
        state = read_state(self.data_folder)
        assert state is not None, self.output()
        return state

    @property
    def address(self) -> str:
        """The site's address, with a slash at the end."""
        return self.state.address

    def manage(self, *words: str, typed: str = "") -> None:
        """Run `manage.py` with the site's data and database; `typed` is its input."""
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            input=typed,
            text=True,
            env=self._environment,
            check=True,
            timeout=MANAGE_SECONDS_MAX,
            stdout=subprocess.DEVNULL,
        )

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a further process of the site, which is not restarted; the caller has to end it."""
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def output(self) -> str:
        """Return what the supervisor has printed so far."""
        return self._output.read_text()

    def wait_until_ready(self) -> "RunningSite":
        deadline = time.monotonic() + READY_SECONDS_MAX
        while True:
            state = read_state(self.data_folder)
            if state is not None and state.ready:
                return self
            assert self._supervisor.poll() is None, self.output()
            assert time.monotonic() < deadline, self.output()
            time.sleep(POLL_SECONDS)

    def wait_until_healthy(self) -> None:
        """Wait until `/healthz` finds every part healthy: after a kill, the new process has to start first."""
        deadline = time.monotonic() + READY_SECONDS_MAX
        while True:
            answer = ask_health(self.address)
            if answer is not None and answer[0]:
                return
            assert time.monotonic() < deadline, (answer, self.output())
            time.sleep(POLL_SECONDS)

    def pid(self, child: str) -> int:
        """Return the process id of `redis`, `worker` or `web`; wait for it if it is just being restarted."""
        deadline = time.monotonic() + END_SECONDS_MAX
        while (running := self.state.children.get(child)) is None:
            assert time.monotonic() < deadline, self.output()
            time.sleep(POLL_SECONDS)
        return running.pid

    def kill(self, child: str) -> None:
        """Kill the process with SIGKILL, so that it cannot tidy up. Returns once another process has taken its
        place.
        """
        killed = self.pid(child)
        os.kill(killed, signal.SIGKILL)
        deadline = time.monotonic() + END_SECONDS_MAX
        while self.pid(child) == killed:
            assert time.monotonic() < deadline, self.output()
            time.sleep(POLL_SECONDS)

    def kill_unwatched(self, child: str) -> None:
        """Kill the process without waiting for its successor, which may have to wait until a full disk has room."""
        os.kill(self.pid(child), signal.SIGKILL)

    def signal_supervisor(self, number: signal.Signals) -> None:
        self._supervisor.send_signal(number)

    def wait_for_end(self) -> int:
        return self._supervisor.wait(END_SECONDS_MAX)

    def stop(self) -> None:
        if self._supervisor.poll() is None:
            self._supervisor.send_signal(signal.SIGTERM)
            try:
                self.wait_for_end()
            except subprocess.TimeoutExpired:
                self._supervisor.kill()
                self._supervisor.wait()
                raise


@contextmanager
def site_of_its_own(data_folder: Path, **environment: str) -> Iterator[RunningSite]:
    """Yield a site that is ready, and stop it at the end of the block. Its database is copied, not migrated."""
    data_folder.mkdir(parents=True, exist_ok=True)
    if "DATABASE_URL" not in environment:
        put_first_database(data_folder / NAME)
    site = RunningSite(data_folder, **environment)
    try:
        yield site.wait_until_ready()
    finally:
        site.stop()
