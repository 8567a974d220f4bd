"""Keeps a few processes alive: starts them, starts again what dies, and ends all of them at the end."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eosviz.launch.occupancy import Occupancy
from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem
from eosviz.launch.processes import POLL_SECONDS, die_with_parent, signal_group

RESTARTS_MAX = 10
"""Within WINDOW_SECONDS, per process. More means that starting it again does not help."""
WINDOW_SECONDS = 60.0
BACK_OFF_SECONDS = (0.0, 0.0, 0.5, 1.0, 2.0)
"""Before the first, second, … restart within the window; the last figure holds for the rest."""
GRACE_SECONDS = 5.0
LOG_BYTES_MAX = 5_000_000


@dataclass(frozen=True)
class Service:
    """A process to keep alive."""

    name: str
    command: Sequence[str | Path]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """The whole environment of the process."""
    descriptors: Sequence[int] = ()
    """Open file descriptors that it inherits, under the same numbers."""
    is_ready: Callable[[], bool] = lambda: True
    """Whether those that need it may be started."""


@dataclass
class Child:
    service: Service
    process: subprocess.Popen[bytes] | None = None
    restarts: list[float] = field(default_factory=list)
    """When it was started again, within the window; oldest first."""
    start_at: float = 0.0
    """With no process: when to start one."""


class Supervisor:
    """Used from one thread, the main one: on Linux children die with the thread that started them."""

    def __init__(self, occupancy: Occupancy, say: Callable[[str], None]) -> None:
        self._occupancy = occupancy
        self._say = say
        self._children: list[Child] = []
        self.stop_requested = False

    def start(self, service: Service, ready_seconds_max: float = 10.0) -> None:
        """Start it and wait until it is ready. Raises Problem when that takes too long."""
        child = Child(service)
        self._children.append(child)
        rotate_log(service.log)
        self._spawn(child)
        deadline = time.monotonic() + ready_seconds_max
        while not service.is_ready() and not self.stop_requested:
            if time.monotonic() > deadline:
                raise Problem(
                    f"{service.name} did not start within {ready_seconds_max:g} s: {last_words(service)}"
                )
            self.look_after()
            time.sleep(POLL_SECONDS)

    def watch(self, each_round: Callable[[], None] = lambda: None) -> None:
        """Returns when `stop_requested` is set. Raises Problem when a process cannot be kept alive."""
        while not self.stop_requested:
            self.look_after()
            each_round()
            time.sleep(POLL_SECONDS)

    def look_after(self) -> None:
        """One round: note who died, start again whose time has come."""
        for child in self._children:
            if child.process is not None and child.process.poll() is not None:
                self._bury(child)
            if child.process is None and time.monotonic() >= child.start_at:
                self._spawn(child)

    def _spawn(self, child: Child) -> None:
        service = child.service
        service.log.parent.mkdir(parents=True, exist_ok=True)
        with service.log.open("ab") as log:
            child.process = subprocess.Popen(
                [str(word) for word in service.command],
                cwd=ROOT,
                env=dict(service.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=tuple(service.descriptors),
                process_group=0,  # Ctrl-C reaches the supervisor alone, which then ends all in order
                preexec_fn=die_with_parent(self._occupancy.state.supervisor),
            )
        self._occupancy.note_child(service.name, child.process.pid)

    def _bury(self, child: Child) -> None:
        """A child died: end what it left, and set the time of its next start."""
        assert child.process is not None  # noqa: S101 - the caller has just looked
        signal_group(child.process.pid, signal.SIGKILL)
        how = manner_of_death(child.process.returncode)
        child.process = None
        self._occupancy.forget_child(child.service.name)
        now = time.monotonic()
        child.restarts = [at for at in child.restarts if now - at < WINDOW_SECONDS]
        if len(child.restarts) >= RESTARTS_MAX:
            raise Problem(
                f"{child.service.name} {how} after {RESTARTS_MAX} restarts in {WINDOW_SECONDS:g} s,"
                f" so eosviz ends: {last_words(child.service)}"
            )
        pause = BACK_OFF_SECONDS[min(len(child.restarts), len(BACK_OFF_SECONDS) - 1)]
        child.restarts.append(now)
        child.start_at = now + pause
        self._say(
            f"{child.service.name} {how}; starting it again{f' in {pause:g} s' if pause else ''}"
            f" (restart {len(child.restarts)} of at most {RESTARTS_MAX} in {WINDOW_SECONDS:g} s)"
        )

    def note_ready(self) -> None:
        self._occupancy.note_ready()

    def stop(self) -> None:
        """End every process, last started first, each with GRACE_SECONDS to finish."""
        for child in reversed(self._children):
            if child.process is None:
                continue
            child.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(GRACE_SECONDS)
            signal_group(child.process.pid, signal.SIGKILL)  # the process itself, or what it left behind
            child.process.wait()
            child.process = None
            self._occupancy.forget_child(child.service.name)
        self._children.clear()


def manner_of_death(returncode: int) -> str:
    if returncode >= 0:
        return f"ended by itself with exit code {returncode}"
    try:
        return f"was killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"was killed by signal {-returncode}"


def rotate_log(log: Path) -> None:
    """At a start, a long log becomes the older one; the older one before it goes."""
    if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
        log.replace(log.with_suffix(".older.log"))


def last_words(service: Service) -> str:
    """The last line of the log, and where the rest is."""
    try:
        lines = service.log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return (
        f"{lines[-1].strip()[:300]} (more in {service.log})"
        if lines
        else f"it wrote nothing in {service.log}"
    )
