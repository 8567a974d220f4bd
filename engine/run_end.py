"""Decides when a run ends: at its limits, or when nothing can happen in the cluster any more (GEN-2)."""

from __future__ import annotations

from engine.timetable import Timetable
from engine.world import World

_CONNECTING = frozenset({"timer", "pass", "connected"})
"""The kinds of events of a client that does nothing but try to reach a broker."""
_QUIET = 200_000
"""A run may have this many quiet events, which are events that make no step. Every run of the library has fewer than
a thousand. Without this limit, a client that tries in vain to connect until the time limit would cost minutes of
computing."""
_QUIET_A_STEP = 20
"""Each step allows this many more quiet events. Usually there are only a few between two steps."""
_QUIET_AN_INTERVENTION = 2_000
"""Each intervention allows this many more quiet events, because clients need some to reach a broker that was
restarted."""


class RunEnd:
    """The end of one run. ``step_limit`` and ``time_limit`` (virtual milliseconds) come from the scenario.
    Events after ``horizon`` stay queued; it is the time limit, or an earlier time at which the caller stops."""

    __slots__ = ("_quiet", "_timetable", "_world", "horizon", "step_limit", "time_limit")

    def __init__(self, timetable: Timetable, world: World, limits: dict[str, int]) -> None:
        self._timetable = timetable
        self._world = world
        self.step_limit = limits["steps"]
        self.time_limit = limits["time_ms"]
        self.horizon = self.time_limit
        self._quiet = 0
        """The quiet events so far, minus those that interventions allowed."""

    def stop_at(self, time: int | None) -> None:
        """Set the horizon; None: the time limit."""
        self.horizon = self.time_limit if time is None else min(time, self.time_limit)

    def allow_intervention(self) -> None:
        """Allow more quiet events because of an intervention."""
        self._quiet -= _QUIET_AN_INTERVENTION

    def is_too_quiet(self, steps: int) -> bool:
        """Count a quiet event. Returns True when the run has had too many of them for its number of steps."""
        self._quiet += 1
        return self._quiet > _QUIET + _QUIET_A_STEP * steps

    def nothing_comes(self) -> bool:
        """Whether every queued event belongs to a client that tries in vain to connect; background events do not
        count. Call this only while no broker runs."""
        world = self._world
        for event in self._timetable.valid_events():
            _, handler, argument = event
            if handler in _CONNECTING:
                name = argument[0] if handler == "connected" else argument
                if not world.waits_in_vain(name):
                    return False
            elif handler != "background":
                return False
        return True
