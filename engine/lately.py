"""What a recorded run remembers of its own steps, for those who ask why (engine/why).

The newest transition of each machine and the newest refusal about each name: bounded by the names of a run, not by
its length. Nothing of it decides anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.recording import Step

_NAMES = ("client", "partition", "transactional_id", "group", "consumer")
"""The parameters of a refusal's sentence under which it is found again."""


class Lately:
    """``newest``: the last step made. ``transitions``: (machine, of) to the step and the transition that led to
    its present state. ``refusals``: the name of an actor, a partition, a transactional id or a group to the last
    step in which it refused or was refused."""

    __slots__ = ("newest", "refusals", "transitions")

    def __init__(self) -> None:
        self.newest: Step | None = None
        self.transitions: dict[tuple[str, str], tuple[Step, dict[str, Any]]] = {}
        self.refusals: dict[str, Step] = {}

    def keep(self, step: Step) -> None:
        """Take note of a finished step that took a machine on or refused something."""
        if step.transition is not None:
            for taken in step.earlier_transitions:
                self.transitions[(taken["machine"], taken["of"])] = (step, taken)
            taken = step.transition
            self.transitions[(taken["machine"], taken["of"])] = (step, taken)
        if step.refusal is not None:
            names = {step.actor, *(step.params.get(name) for name in _NAMES)}
            if step.decision is not None:
                names.add(step.decision["subject"])
            self.refusals.update({name: step for name in names if isinstance(name, str)})
