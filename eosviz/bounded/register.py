"""The queue of bounded processes. All processes of the site that share a data folder share this queue.

A request is a folder with a lock (`flock`). The lock is held by the site's process that made the request, and
by the bounded process. To read the queue, a process takes the gate lock, so that no two processes decide at
the same time. It then deletes every folder whose lock is free, because both holders have ended.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from eosviz.bounded.refusing import Busy
from eosviz.bounded.tasks import INTERACTIVE_BYTES_MAX, MEMORY_BYTES_MAX, Task

WAITING_MAX = 120
WAITING_OF_PERSON_MAX = 6
WAITING_OF_ADDRESS_MAX = 60
"""At most this many requests from one network address may wait. The number is large, because a whole class
may share one address."""
FULL_SECONDS = 30
"""The value of the header Retry-After when the queue is full, in seconds."""
_HELD, _TICKET, _RUNNING, _CANCELLED = "held", "ticket", "running", "cancelled"


class Caller(msgspec.Struct, frozen=True):
    """The caller of a request, as digests, so that no file contains a person's key or a network address."""

    person: str = ""
    address: str = ""


COMMAND_LINE = Caller()


def caller(person: str, address: str = "") -> Caller:
    """Makes the `Caller` of a request. `person`: the owner's key (`eosviz/browser.py`); `address`: the
    request's network address."""
    return Caller(_digest(person), _digest(address))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32] if text else ""


class AlreadyThere(Exception):
    """The queue already has a request with this name."""


class Ticket(msgspec.Struct, frozen=True):
    """What other processes read about a request. `arrived`: nanoseconds since 1970."""

    task: str
    memory_bytes: int
    interactive: bool
    caller: Caller
    arrived: int


@dataclass(frozen=True, slots=True)
class Standing:
    name: str
    ticket: Ticket
    runs: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A request's place in the queue. `place`: its number among the `waiting` requests, from 1; 0 if the
    request is running."""

    place: int
    waiting: int


def in_turn(standings: Sequence[Standing]) -> list[Standing]:
    """The waiting requests in the order in which they start: first interactive ones, then those of callers
    with fewer requests ahead, then the earlier ones."""
    ahead: Counter[tuple[str, str]] = Counter()
    for one in standings:
        if one.runs:
            ahead.update(_keys(one.ticket.caller))
    ranked = []
    waiting = sorted((one for one in standings if not one.runs), key=lambda one: one.ticket.arrived)
    for one in waiting:
        keys = _keys(one.ticket.caller)
        rank = max((ahead[key] for key in keys), default=0)
        ahead.update(keys)
        ranked.append((not one.ticket.interactive, rank, one.ticket.arrived, one))
    return [one for *_, one in sorted(ranked, key=lambda row: row[:3])]


def _keys(caller: Caller) -> list[tuple[str, str]]:
    named = (("person", caller.person), ("address", caller.address))
    return [key for key in named if key[1]]


def starting(standings: Sequence[Standing], memory_bytes: int) -> list[str]:
    """The names of the waiting requests that may start now. If a request does not fit into the memory yet, no
    later one overtakes it."""
    # Background tasks leave enough memory free for an interactive one, for which a person is waiting, if the
    # limit allows the largest task of each sort at once.
    reserve = INTERACTIVE_BYTES_MAX if memory_bytes >= MEMORY_BYTES_MAX + INTERACTIVE_BYTES_MAX else 0
    used = sum(one.ticket.memory_bytes for one in standings if one.runs)
    background = sum(one.ticket.memory_bytes for one in standings if one.runs and not one.ticket.interactive)
    found = []
    for one in in_turn(standings):
        size = one.ticket.memory_bytes
        if used + size > memory_bytes:
            break
        if not one.ticket.interactive:
            if background + size > memory_bytes - reserve:
                break
            background += size
        used += size
        found.append(one.name)
    return found


class Register:
    """The queue. `folder` must be the same for all processes that share the queue."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._requests = folder / "requests"

    @contextmanager
    def enter(self, task: Task, caller: Caller, name: str | None = None) -> Iterator[Request]:
        """Put a request into the queue; it leaves the queue when the block ends. `name`: the name under which
        other processes find the request; None: a random one. Raises Busy if too many requests wait, and
        AlreadyThere if the name is in use."""
        self._requests.mkdir(parents=True, exist_ok=True)
        name = name or secrets.token_hex(8)
        ticket = Ticket(task.name, task.memory_bytes, task.interactive, caller, time.time_ns())
        with self._gate():
            _check_room([one for one in self._standings() if not one.runs], caller)
            folder = self._requests / name
            try:
                folder.mkdir()
            except FileExistsError:
                raise AlreadyThere(name) from None
            held = os.open(folder / _HELD, os.O_CREAT | os.O_RDWR, 0o666)
            fcntl.flock(held, fcntl.LOCK_EX)
            (folder / _TICKET).write_bytes(msgspec.json.encode(ticket))
        try:
            yield Request(self, name, folder, held)
        finally:
            os.close(held)
            shutil.rmtree(folder, ignore_errors=True)

    def place(self, name: str) -> Place | None:
        """The request's place in the queue; None if the queue has no such request."""
        standings = self.standings()
        waiting = [one.name for one in in_turn(standings)]
        if name in waiting:
            return Place(waiting.index(name) + 1, len(waiting))
        return Place(0, len(waiting)) if any(one.name == name for one in standings) else None

    def cancel(self, name: str) -> bool:
        """Mark the request as cancelled, and return whether it exists. The process that made the request ends
        it within moments."""
        try:
            (self._requests / name / _CANCELLED).touch()
        except OSError:
            return False
        return True

    def standings(self) -> list[Standing]:
        with self._gate():
            return self._standings()

    def start(self, name: str, memory_bytes: int) -> bool:
        """Start this request if it may start now. Returns whether it may; it then counts as running."""
        with self._gate():
            if name not in starting(self._standings(), memory_bytes):
                return False
            (self._requests / name / _RUNNING).touch()
            return True

    @contextmanager
    def _gate(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        gate = os.open(self._folder / "gate", os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
        finally:
            os.close(gate)

    def _standings(self) -> list[Standing]:
        found = []
        with suppress(FileNotFoundError):
            for entry in os.scandir(self._requests):
                folder = Path(entry.path)
                if not _is_held(folder / _HELD):
                    shutil.rmtree(folder, ignore_errors=True)
                    continue
                with suppress(OSError, msgspec.DecodeError):  # The request's owner is deleting the folder.
                    ticket = msgspec.json.decode((folder / _TICKET).read_bytes(), type=Ticket)
                    found.append(Standing(entry.name, ticket, (folder / _RUNNING).exists()))
        return found


def _check_room(waiting: Sequence[Standing], caller: Caller) -> None:
    bounds = (
        ("person", WAITING_OF_PERSON_MAX, lambda one: caller.person and one.person == caller.person),
        ("address", WAITING_OF_ADDRESS_MAX, lambda one: caller.address and one.address == caller.address),
        ("all", WAITING_MAX, lambda one: True),
    )
    for whose, most, counts in bounds:
        if sum(bool(counts(one.ticket.caller)) for one in waiting) >= most:
            raise Busy(f"bounded.full.{whose}", {"most": most, "seconds": FULL_SECONDS}, seconds=FULL_SECONDS)


def _is_held(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@dataclass(frozen=True, slots=True)
class Request:
    """A request that this process made. `held`: the file descriptor of the request's lock, which the bounded
    process inherits."""

    register: Register
    name: str
    folder: Path
    held: int

    @property
    def cancelled(self) -> bool:
        return (self.folder / _CANCELLED).exists()

    def start(self, memory_bytes: int) -> bool:
        return self.register.start(self.name, memory_bytes)

    @property
    def place(self) -> int:
        found = self.register.place(self.name)
        return found.place if found is not None else 0
