"""Keeps the site's processes running: starts them, restarts those that die, and ends all of them at the
end."""

import contextlib
import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from eosviz.launch.log_bound import rotate_log
from eosviz.launch.occupancy import Occupancy
from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem
from eosviz.launch.processes import POLL_SECONDS, Adopted, Rest, die_with_parent, reap_others, signal_group
from eosviz.launch.storage import Level, Room
from eosviz.launch.template import NoTemplate, Requested, Template, take_up_orphans

RESTARTS_MAX = 10
"""If a process dies more often than this within WINDOW_SECONDS, the supervisor gives up, since restarting
does not help. Deaths while nothing can be stored do not count."""
WINDOW_SECONDS = 60.0
BACK_OFF_SECONDS = (0.0, 0.0, 0.5, 1.0, 2.0)
"""The pauses, in seconds, before the first, second, … restart within the window. All further restarts have
the last pause."""
GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Service:
    """A process that the supervisor keeps running."""

    name: str
    command: Sequence[str | Path]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """All environment variables of the process."""
    descriptors: Sequence[int] = ()
    """Open file descriptors that the process inherits under the same numbers."""
    is_ready: Callable[[], bool] = lambda: True
    """Returns True once the processes that need this service may be started."""
    is_template: bool = False
    """Whether this process is the template. If so, it gets one more descriptor, also as an argument: the
    socket on which the supervisor requests processes."""
    from_template: bool = False
    """Whether the template can fork this process: its command is `python -m …`, and it needs only the
    environment and the descriptors of the template."""


@dataclass
class Child:
    service: Service
    process: subprocess.Popen[bytes] | Adopted | None = None
    requested: Requested | None = None
    """The request to the template for this process; None if there is none, or once it is answered."""
    restarts: list[float] = field(default_factory=list)
    """The times of restarts within the window, the oldest first. Restarts after deaths on a full disk do not
    count."""
    waits_for_room: bool = False
    """True after the process died on a full disk, until it dies while there is space."""
    start_at: float = 0.0
    """If the process does not run, the time at which it is to be started, by the monotonic clock."""


class Supervisor:
    """Keeps the processes running. It must be used in the main thread, because on Linux children die with the
    thread that started them."""

    def __init__(
        self,
        occupancy: Occupancy,
        say: Callable[[str], None],
        room: Callable[[], Room] = lambda: Room(Level.ENOUGH),
    ) -> None:
        """`occupancy`: the data folder's state file. `say`: prints a line. `room`: says whether the disk has
        space; on a full disk a process is restarted however often it dies."""
        self._occupancy = occupancy
        self._say = say
        self._room = room
        self._children: list[Child] = []
        self._rest = Rest()
        self._template = Template()
        self._takes_up_orphans = False
        self.stop_requested = False

    def start(self, service: Service, ready_seconds_max: float = 10.0) -> None:
        """Start a service. Returns when it is ready or a stop is requested. Raises Problem if it is not ready
        after `ready_seconds_max`, or dies too often."""
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
            self.rest()

    def watch(self, *each_round: Callable[[], None]) -> None:
        """Keep the processes running until `stop_requested` is set; call each of `each_round` in every round.
        Raises Problem if a process dies too often."""
        while not self.stop_requested:
            self.look_after()
            for look in each_round:
                look()
            self.rest()

    @property
    def all_run(self) -> bool:
        """Whether no process waits for the template or for its restart. A process that this system cannot
        start does not count."""
        return all(child.process is not None or child.start_at == math.inf for child in self._children)

    def rest(self) -> None:
        """Wait until a signal arrives, a child dies or the template answers, at most POLL_SECONDS."""
        requested = [child.requested for child in self._children if child.requested is not None]
        self._rest.take(POLL_SECONDS, [*requested, *self._template.awaited])

    def look_after(self) -> None:
        """One round: handle processes that died, and start those whose time has come."""
        self._occupancy.write_again()
        self._template.hear()
        for child in self._children:
            if child.process is not None and (returncode := child.process.poll()) is not None:
                self._bury(child, child.process.pid, returncode)
            if child.requested is not None:
                self._take(child, child.requested)
            elif child.process is None and time.monotonic() >= child.start_at:
                self._spawn(child)
        if self._takes_up_orphans:
            reap_others({child.process.pid for child in self._children if child.process is not None})

    def _spawn(self, child: Child) -> None:
        service = child.service
        if service.from_template and self._template.is_loading:
            return
        with open_log(service.log) as log:
            if service.is_template:
                self._start_template(child, log)
            elif service.from_template:
                self._request(child, log)
            else:
                self._start(child, log)

    def _start_template(self, child: Child, log: BinaryIO) -> None:
        self._takes_up_orphans = self._takes_up_orphans or take_up_orphans()
        if not self._takes_up_orphans:
            child.start_at = math.inf  # This system cannot fork from a template, so none is ever started.
            return
        with self._template.open() as requests:
            self._start(child, log, requests.fileno())

    def _request(self, child: Child, log: BinaryIO) -> None:
        service = child.service
        try:
            words = service.command[2:]  # the words after `python -m`
            child.requested = self._template.request(service.name, words, service.descriptors, log.fileno())
        except NoTemplate:
            self._start(child, log)

    def _start(self, child: Child, log: BinaryIO, *descriptors: int) -> None:
        """Start the process without the template. `descriptors`: further file descriptors that the process
        inherits; their numbers are added to its command."""
        service = child.service
        child.process = subprocess.Popen(
            [str(word) for word in (*service.command, *descriptors)],
            cwd=ROOT,
            env=dict(service.environment),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(*service.descriptors, *descriptors),
            process_group=0,  # Ctrl-C then reaches only the supervisor, which ends all processes in order.
            preexec_fn=die_with_parent(self._occupancy.state.supervisor),
        )
        self._occupancy.note_child(service.name, child.process.pid)

    def _take(self, child: Child, requested: Requested) -> None:
        """Take over the process that the template has forked, and let it run. If the template did not answer
        in time, start the process without it."""
        try:
            pid = requested.pid()
        except NoTemplate as error:
            self._end_template(f"{error}; {child.service.name} is started without it")
            with open_log(child.service.log) as log:
                self._start(child, log)
        else:
            if pid is None:
                return
            child.process = Adopted(pid)
            self._occupancy.note_child(child.service.name, pid)
        requested.withdraw()
        child.requested = None

    def _end_template(self, why: str) -> None:
        """Kill the template, which may hang, and print why."""
        self._template.close()
        for child in self._children:
            if child.service.is_template and child.process is not None:
                self._say(f"{child.service.name}: {why}")
                signal_group(child.process.pid, signal.SIGKILL)

    def _bury(self, child: Child, pid: int, returncode: int) -> None:
        """Handle the death of a child: end the processes that it started, and set the time of its restart.
        Raises Problem if it dies too often."""
        signal_group(pid, signal.SIGKILL)
        how = manner_of_death(returncode)
        child.process = None
        self._occupancy.forget_child(child.service.name)
        if (room := self._room()).level is Level.NONE:
            self._wait_for_room(child, how, room.why)
            return
        child.waits_for_room = False
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

    def _wait_for_room(self, child: Child, how: str, why: str) -> None:
        """Set the child's restart to the longest pause from now. Prints a line at the first death on a full
        disk."""
        child.start_at = time.monotonic() + BACK_OFF_SECONDS[-1]
        if not child.waits_for_room:
            child.waits_for_room = True
            self._say(
                f"{child.service.name} {how}, and nothing can be stored ({why}); it is started again every"
                f" {BACK_OFF_SECONDS[-1]:g} s until it stays"
            )

    def note_ready(self) -> None:
        self._occupancy.note_ready()

    def stop(self) -> None:
        """End every process, the last service first. Each one has GRACE_SECONDS to end by itself."""
        for child in reversed(self._children):
            if child.requested is not None:
                child.requested.withdraw()
            if child.process is None:
                continue
            child.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(GRACE_SECONDS)
            signal_group(child.process.pid, signal.SIGKILL)  # the process itself, or its children
            child.process.wait()
            child.process = None
            self._occupancy.forget_child(child.service.name)
        self._children.clear()
        self._template.close()
        self._rest.close()


def manner_of_death(returncode: int) -> str:
    if returncode >= 0:
        return f"ended by itself with exit code {returncode}"
    try:
        return f"was killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"was killed by signal {-returncode}"


def open_log(log: Path) -> BinaryIO:
    """Opens the log for appending. If the disk does not permit it, opens a file that discards all lines, so
    that the process can run."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("ab")
    except OSError:
        return Path(os.devnull).open("ab")


def last_words(service: Service) -> str:
    """The last line of the service's log, with the path of the log."""
    try:
        lines = service.log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return (
        f"{lines[-1].strip()[:300]} (more in {service.log})"
        if lines
        else f"it wrote nothing in {service.log}"
    )
