"""Why the Sender sends nothing although it has something to send: said once for each cause (SND-15)."""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.readiness import Readiness
from engine.client.setup import Setup
from engine.happenings.sender import StopReaches
from engine.watching import Fields, Kind


class Waiting:
    """``reason``: what the view shows; None: nothing is waited for."""

    __slots__ = ("_accumulator", "_cause", "_readiness", "_setup", "reason")

    def __init__(self, setup: Setup, accumulator: RecordAccumulator, readiness: Readiness) -> None:
        self._setup = setup
        self._accumulator = accumulator
        self._readiness = readiness
        self.reason: str | None = None
        self._cause: tuple[str, object] | None = None

    def emit(
        self,
        reason: str,
        about: object,
        kind: Kind[Fields],
        /,
        *fields: Fields.args,
        **named: Fields.kwargs,
    ) -> None:
        """Emit why nothing is sent; again only when the reason, or what it is ``about``, changes."""
        if (reason, about) == self._cause:
            return
        self._cause = (reason, about)
        self.reason = reason
        watch = self._setup.watch
        watch.emit(kind, *fields, **named)
        if self._accumulator.stops and self._readiness.found.nodes:
            watch.emit(StopReaches, self._setup.name, self._setup.switches.drain_stop_scope)

    def forget(self) -> None:
        """Something left or was answered: the same cause is said again when it comes back."""
        self._cause = None

    def over(self) -> None:
        """Batches left: nothing is waited for."""
        self._cause = None
        self.reason = None
