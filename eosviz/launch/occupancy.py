"""Ensures that only one eosviz uses a data folder, with a lock and a state file.

The file `run/lock` is locked as long as the supervisor runs; the operating system releases the lock however
the supervisor ends. `run/state.json` lists the processes that the supervisor started. If a start gets the
lock and finds a state file, it ends those of the listed processes that still run.
"""

import contextlib
import fcntl
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from eosviz.launch.problem import Problem
from eosviz.launch.processes import end_stray, start_mark

GRACE_SECONDS = 5.0


@dataclass
class RunningChild:
    pid: int
    mark: str
    """When the process started, in the form of `processes.start_mark`. It distinguishes the process from a
    later one with the same `pid`."""


@dataclass
class State:
    """The content of the state file. It is read by the next start, by a second start while the first one runs,
    and by tests."""

    supervisor: int
    address: str = ""
    """Empty until the port is bound."""
    ready: bool = False
    children: dict[str, RunningChild] = field(default_factory=dict)


class Occupancy:
    """Reserves the data folder for this process until `release`, or until the process ends."""

    def __init__(self, data_folder: Path) -> None:
        """Take the lock, and end the processes that an earlier supervisor left running. Raises Problem if
        another eosviz runs in this folder."""
        self._state_path = data_folder / "run" / "state.json"
        self._state_path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock(data_folder)
        self.strays = self._end_strays()
        self.state = State(os.getpid())
        self._is_written = False
        self.write()

    def _take_lock(self, data_folder: Path) -> TextIO:
        lock = (self._state_path.parent / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            other = read_state(data_folder)
            at = (
                f" at {other.address or 'an address not known yet'} (process {other.supervisor})"
                if other
                else ""
            )
            raise Problem(
                f"eosviz already runs from {data_folder}{at}: use that one, end it with Ctrl-C where it runs,"
                " or start another with EOSVIZ_DATA=<another folder> EOSVIZ_PORT=<another port>"
            ) from None
        return lock

    def _end_strays(self) -> list[str]:
        earlier = read_state(self._state_path.parents[1])
        if earlier is None:
            return []
        children = earlier.children.items()
        return [name for name, child in children if end_stray(child.pid, child.mark, GRACE_SECONDS)]

    def note_child(self, name: str, pid: int) -> None:
        self.state.children[name] = RunningChild(pid, start_mark(pid) or "")
        self.write()

    def forget_child(self, name: str) -> None:
        self.state.children.pop(name, None)
        self.write()

    def note_address(self, address: str) -> None:
        self.state.address = address
        self.write()

    def note_ready(self) -> None:
        self.state.ready = True
        self.write()

    def write(self) -> None:
        """Write the state file. If the disk does not permit it, the older file stays, and `write_again` tries
        again."""
        draft = self._state_path.with_suffix(".draft")
        try:
            draft.write_text(json.dumps(asdict(self.state)))
            # so a reader sees the old file or the new one, never a part of one
            draft.replace(self._state_path)
        except OSError:
            self._is_written = False
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
        else:
            self._is_written = True

    def write_again(self) -> None:
        """Try again to write the state file if the last try failed. Called in every round of the
        supervisor."""
        if not self._is_written:
            self.write()

    def release(self) -> None:
        # On a read-only disk the file stays; that does no harm, because its processes have ended.
        with contextlib.suppress(OSError):
            self._state_path.unlink(missing_ok=True)
        self._lock.close()


def read_state(data_folder: Path) -> State | None:
    """Reads the state file of this data folder. None if there is none or it is unreadable."""
    try:
        note = json.loads((data_folder / "run" / "state.json").read_text())
        children = {name: RunningChild(**child) for name, child in note.pop("children").items()}
        return State(children=children, **note)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
