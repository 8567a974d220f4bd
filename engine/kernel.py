"""The interface of a run's kernel for its helpers; ``simulation.py`` implements it.

Applications, loops, fault rules and interventions act through it and know nothing else of the kernel.
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
    """Times are virtual milliseconds."""

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
        """Put a message on its way; fault rules see it first. None: a response whose connection has ended."""
        ...

    def carry_out(self, name: str, effects: Effects) -> None:
        """Carry out the effects of a role."""

    def at_work(self, actor: str, kind: StepKind) -> None:
        """Name the actor and the kind of the current step."""

    def ask(self, name: str) -> None:
        """Ask a role for its timers and follow the partitions that it changed."""

    def ask_for_timers(self, name: str) -> None:
        """Ask a role when it wants to be called again."""

    def hold_if_paused(self, actor: str, event: Event) -> bool:
        """Keep the event of a paused actor until it resumes; True when kept."""
        ...

    def release(self, actor: str) -> None:
        """Queue the events that a resumed actor missed."""

    def disconnect(self, client: str, broker: str, purpose: str, taken: int = 0) -> int:
        """End the connection that ``client`` has to ``broker`` for this; messages under way on it are lost, but for the
        first ``taken`` requests that wait at the broker; returns how many of those there are."""
        ...

    def cut_off(self, name: str) -> None:
        """End every connection of an actor that stopped."""

    def settled(self, envelope: Envelope) -> None:
        """Report to the judges that this copy is no longer under way."""

    def next_serial(self) -> int:
        """The hidden serial of the next record (GEN-8)."""
        ...
