"""The part of a run's kernel that its helpers use; ``simulation.py`` implements it.

Applications, loops, fault rules and interventions use this interface alone.
"""

from __future__ import annotations

from random import Random
from typing import Any, Protocol

from engine.messages import Effects, Envelope, Send
from engine.scenario.document import Scenario
from engine.shapes.steps import StepKind
from engine.timetable import Event
from engine.watching import Watch
from engine.world import World


class Kernel(Protocol):
    """The interface. Times are virtual milliseconds."""

    scenario: Scenario
    generator: Random
    watch: Watch
    world: World
    now: int

    def put(self, at: int, rank: int, handler: str, argument: Any, actor: str, what: str) -> int:
        """Queue an event; returns its key in the queue."""
        ...

    def schedule_delivery(self, envelope: Envelope) -> None:
        """Queue the arrival of a message."""

    def send(self, source: str, effect: Send) -> Envelope | None:
        """Send a message and show it to the fault rules. Returns None for a response whose connection has
        ended: it is not sent."""
        ...

    def carry_out(self, name: str, effects: Effects) -> None:
        """Carry out the effects of a role."""

    def at_work(self, actor: str, kind: StepKind) -> None:
        """Set the actor and the kind of the current step."""

    def ask(self, name: str) -> None:
        """Update a role's timers. Then deliver the controller's announcements, queue the fetches of the partitions
        that the role changed, and wake their consumers."""

    def ask_for_timers(self, name: str) -> None:
        """Update the timers of a role, and of the applications and loops that use it."""

    def hold_if_paused(self, actor: str, event: Event) -> bool:
        """Keep the event if its actor is paused, until the actor resumes; True when it was kept."""
        ...

    def release(self, actor: str) -> None:
        """Queue the messages and calls that an actor missed while it was paused."""

    def disconnect(self, client: str, broker: str, purpose: str, taken: int = 0) -> int:
        """End the connection of ``client`` to ``broker`` for ``purpose``. Messages in flight on it are lost.
        The broker still handles the first ``taken`` of the requests that wait there. Returns the number of
        these requests, which is less than ``taken`` if fewer wait."""
        ...

    def cut_off(self, name: str) -> None:
        """End every connection of an actor that stopped."""

    def settled(self, envelope: Envelope) -> None:
        """Report to the judges that this copy of a message is no longer in flight."""
