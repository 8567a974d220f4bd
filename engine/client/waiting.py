"""Why the Sender sends nothing although a batch is queued. Each cause is emitted once (SND-15)."""

from __future__ import annotations

from engine.client.setup import Setup
from engine.happenings.sender import StopReaches, WaitsAtStop
from engine.watching import Fields, Kind


class Waiting:
    """Why the Sender sends nothing. ``reason``: as the view shows it; None before the first wait, and
    after a wait has ended (:meth:`over`)."""

    __slots__ = ("_cause", "_setup", "reason")

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
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
        """Emit why nothing is sent, unless this reason was the last one emitted. ``about``: the broker,
        partition or topics that the reason concerns; the same reason about others is emitted again."""
        if (reason, about) == self._cause:
            return
        self._cause = (reason, about)
        self.reason = reason
        watch = self._setup.watch
        watch.emit(kind, *fields, **named)
        if kind is WaitsAtStop:
            watch.emit(StopReaches, self._setup.name, self._setup.switches.drain_stop_scope)

    def over(self) -> None:
        """Note that the wait has ended. If its cause returns, it is emitted again."""
        self._cause = None
        self.reason = None
