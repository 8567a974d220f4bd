"""Why the Sender sends nothing although a batch is queued. Each cause is emitted once (SND-15)."""

from __future__ import annotations

from engine.client.setup import Setup
from engine.happenings.sender import StopReaches, WaitsAtStop
from engine.watching import Fields, Kind


class Waiting:
    """The reason for which the Sender waits. ``reason``: as the view shows it; None: the Sender waits for nothing."""

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
        """Emit why nothing is sent, unless the same was emitted last. ``about``: what the reason refers to; a
        change of it is emitted, too."""
        if (reason, about) == self._cause:
            return
        self._cause = (reason, about)
        self.reason = reason
        watch = self._setup.watch
        watch.emit(kind, *fields, **named)
        if kind is WaitsAtStop:
            watch.emit(StopReaches, self._setup.name, self._setup.switches.drain_stop_scope)

    def forget(self) -> None:
        """A request was sent or answered: if the same cause returns, it is emitted again."""
        self._cause = None

    def over(self) -> None:
        """Batches were sent: the Sender waits for nothing."""
        self._cause = None
        self.reason = None
