"""The event queue. Of each kind of timer, a role has at most one valid event (GEN-2).

Owns the order of events, and no rule of the protocol. Events at the same time are ordered by class (faults,
deliveries, timers, Sender passes, application calls), then by the order in which they were queued. Usually a
role's next timer is the one that is already queued. If it is not, the old event is void: it stays in the queue
until it is skipped, or removed with all other void events.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappush
from typing import Any

from engine.pending import PendingPart
from engine.watching import Watch

Event = tuple[int, str, Any]
"""(key, handler, argument). The key is one number made of time, class and order of queueing, because a heap
compares one number faster than three."""

_ORDER_BITS = 40
_CLASS_BITS = 3
TIME_BITS = _ORDER_BITS + _CLASS_BITS
"""``key >> TIME_BITS`` is an event's virtual time."""
_ORDER_MASK = (1 << _ORDER_BITS) - 1

NEVER: tuple[int | None, int] = (None, -1)
"""(time, key) for a role without a valid event."""

_VOID_MAX = 64
"""The queue may always hold this many void events, and more while it holds more valid ones."""

KNOWN_HANDLERS = ("timer", "pass", "background", "loop")
"""The handlers for which a role has at most one valid event in the queue."""


class Timetable:
    """The queue of one run. ``now``: the virtual time."""

    __slots__ = (
        "_backgrounds",
        "_order",
        "_passes",
        "_pending",
        "_queue",
        "_timers",
        "_void",
        "now",
        "scheduled",
        "watch",
    )

    watch: Watch

    def __init__(self) -> None:
        self.now = 0
        self._queue: list[Event] = []
        self._order = 0
        self._void = 0
        """Number of void events in the queue."""
        self.scheduled: dict[str, dict[str, tuple[int | None, int]]] = {name: {} for name in KNOWN_HANDLERS}
        """Dict of handler → dict of role → (time, key) of the role's only valid event for this handler."""
        self._timers = self.scheduled["timer"]
        self._passes = self.scheduled["pass"]
        self._backgrounds = self.scheduled["background"]
        self._pending: dict[int, PendingPart] = {}
        """Dict of key of an event → its part of the view; empty unless the run is recorded."""

    def put(self, at: int, rank: int, handler: str, argument: Any, actor: str, what: str) -> int:
        """Put an event into the queue; returns its key. ``what``: a text for the view."""
        self._order = order = self._order + 1
        key = (at << _CLASS_BITS | rank) << _ORDER_BITS | order
        heappush(self._queue, (key, handler, argument))
        watch = self.watch
        if watch.recording:
            part = self._pending[key] = PendingPart(order, at, rank, actor, what)
            watch.touch(part)
        return key

    def _is_void(self, event: Event) -> bool:
        """Whether the role has replaced this event by another one."""
        timers = self.scheduled.get(event[1])
        return timers is not None and timers.get(event[2], NEVER)[1] != event[0]

    def valid_events(self) -> Iterator[Event]:
        """The queued events that are not void, in no order."""
        return (event for event in self._queue if not self._is_void(event))

    def _sweep(self) -> None:
        """Remove the void events, because a long queue is slow. All keys differ, so the order of the valid events
        does not change."""
        self._queue[:] = [event for event in self._queue if not self._is_void(event)]
        heapify(self._queue)
        self._void = 0

    def _no_longer_pending(self, key: int) -> None:
        part = self._pending.pop(key, None)
        if part is not None:
            part.gone = True
            self.watch.touch(part)

    def schedule(self, name: str, handler: str, at: int | None, rank: int) -> None:
        """Replace a role's event for this handler by one at the virtual time ``at``; None: by no event."""
        timers = self.scheduled[handler]
        known = timers.get(name)
        if at is not None and at < self.now:
            at = self.now
        if known is not None:
            if known[0] == at:
                return
            del timers[name]
            if self._pending:
                self._no_longer_pending(known[1])
            self._void += 1
            if self._void > _VOID_MAX and self._void > len(self._queue) // 2:
                self._sweep()
        if at is not None:
            timers[name] = (at, self.put(at, rank, handler, name, name, handler))


def class_of(event: Event) -> int:
    """The class of an event (``pending.CLASS_NAMES``)."""
    return event[0] >> _ORDER_BITS & (1 << _CLASS_BITS) - 1
