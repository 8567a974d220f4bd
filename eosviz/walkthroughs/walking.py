"""Makes steps up to a goal, and stores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from engine.simulation import Simulation
from engine.view import near_views
from engine.view.following import following
from eosviz.walkthroughs.conditions import AnyCondition
from eosviz.walkthroughs.engine_steps import note_made
from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY, STEPS_PER_TRANSACTION, made_keyframe, made_step
from eosviz.walkthroughs.matching import holding
from eosviz.walkthroughs.messages import Stopped
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Made, Step, StepQuerySet


class Overtaken(Exception):
    """Another process has stored something in this branch since it was read."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a command stops. A repeated command stops at the same step, even if more steps were made
    meanwhile."""

    until: Stopped
    """`count`, `interesting`, `time`, `breakpoint` or `end`."""
    after: int
    last: int
    """The number of the last step that may be made."""
    at_last: Stopped
    """Why the command stops at `last`: `count` if that many steps were asked for, `limit` if a bound ends it
    early."""
    time: int | None = None
    conditions: tuple[AnyCondition, ...] = ()

    def met(self, number: int, at: int, interesting: bool, body: bytes) -> Stopped | None:
        """The reason to stop at this step, or None."""
        if number <= self.after:
            return None
        if (
            (self.until == "interesting" and interesting)
            or (self.until == "time" and self.time is not None and at >= self.time)
            or (self.until == "breakpoint" and holding(body, self.conditions))
        ):
            return self.until
        return self.at_last if number >= self.last else None

    def lies_beyond(self, newest: int) -> bool:
        """True if no step stored up to `newest` can meet the goal, so that none of them needs to be read."""
        return self.after == newest or (self.until == "count" and self.after <= newest < self.last)

    def met_among_stored(self, branch: Branch) -> tuple[int, Stopped] | None:
        """The number of the stored step that meets the goal, and why; None if no stored step does."""
        last = min(self.last, branch.newest)
        if self.until in ("interesting", "time", "breakpoint") and last > self.after:
            steps = Step.objects.of_line(Branch.objects.line(branch), self.after + 1, last)
            first = self._first_of(steps)
            if first is not None:
                return first, self.until
        return (self.last, self.at_last) if branch.newest >= self.last else None

    def _first_of(self, steps: StepQuerySet) -> int | None:
        if self.until == "breakpoint":
            stored = steps.values_list("number", "body").iterator(STEPS_PER_TRANSACTION)
            return next((number for number, body in stored if holding(bytes(body), self.conditions)), None)
        wanted = {"interesting": True} if self.until == "interesting" else {"at__gte": self.time}
        return steps.filter(**wanted).values_list("number", flat=True).first()


@dataclass(slots=True)
class Chunk:
    """Steps that were made and are not stored yet."""

    steps: list[Step] = field(default_factory=list)
    keyframes: list[Keyframe] = field(default_factory=list)
    broken: dict[str, int] = field(default_factory=dict)
    """The first step of the chunk that breaks each guarantee."""
    stopped: Stopped | None = None
    finished: str | None = None
    """How the run ended after the last step; None if the run continues, or if no further step was tried."""

    def up_to(self, number: int) -> Chunk:
        """The part up to step `number`, without the run's end."""
        return Chunk(
            [step for step in self.steps if step.number <= number],
            [keyframe for keyframe in self.keyframes if keyframe.number <= number],
            {guarantee: step for guarantee, step in self.broken.items() if step <= number},
        )

    def beyond(self, number: int) -> Chunk | None:
        """The part after step `number`; None if it has neither steps nor the run's end."""
        steps = [step for step in self.steps if step.number > number]
        if not steps and self.finished is None:
            return None
        return Chunk(
            steps,
            [keyframe for keyframe in self.keyframes if keyframe.number > number],
            {guarantee: step for guarantee, step in self.broken.items() if step > number},
            None if self.finished is None else "end",
            self.finished,
        )


def steps_after(after: int, count: int = 1) -> Goal:
    return Goal("count", after, after + count, "count")


def divided(made: Chunk, goal: Goal) -> tuple[Chunk, Chunk | None]:
    """The steps made ahead, divided: the part that the goal needs, and the rest, which stays ahead (None if nothing
    is left)."""
    for step in made.steps:
        stopped = goal.met(step.number, step.at, step.interesting, bytes(step.body))
        if stopped is not None:
            needed = made.up_to(step.number)
            needed.stopped = stopped
            return needed, made.beyond(step.number)
    return made, None


def next_steps(simulation: Simulation, branch: Branch, goal: Goal, begun: Chunk | None = None) -> Chunk:
    """Make steps until the goal is met, at most as many as one transaction stores. `begun`: steps that were
    made and are not stored yet, or the run's end."""
    chunk = begun or Chunk()
    derived, before = following(simulation), simulation.number
    while len(chunk.steps) < STEPS_PER_TRANSACTION and chunk.stopped is None:
        step = simulation.step()
        if step is None:
            chunk.stopped = "end"
            chunk.finished = simulation.finished
            break
        made = made_step(step, derived)
        chunk.steps.append(Step(branch=branch, **msgspec.structs.asdict(made)))
        for broken in step.broken:
            chunk.broken.setdefault(broken["guarantee"], step.number)
        if step.number % KEYFRAME_EVERY == 0:
            chunk.keyframes.append(keyframe_of(branch, simulation))
        chunk.stopped = goal.met(step.number, step.at, step.interesting, made.body)
    note_made(simulation.number - before)
    return chunk


def keyframe_of(branch: Branch, simulation: Simulation) -> Keyframe:
    number = simulation.number
    # Up to step REACH, nothing is left out of a view.
    since = (
        time_of(Branch.objects.line(branch), number - near_views.REACH) if number > near_views.REACH else None
    )
    return Keyframe(branch=branch, **msgspec.structs.asdict(made_keyframe(simulation, since)))


def time_of(line: list[Branch], number: int) -> int:
    """The virtual time of a stored step; before the first it is 0."""
    return Step.objects.of_line(line, number, number).values_list("at", flat=True).first() or 0


@contextmanager
def storing(branch: Branch) -> Iterator[None]:
    """A transaction for `store_steps`. Raises Overtaken if another process was first. After any failure
    `newest`, `finished` and `first_broken` of `branch` are as before."""
    before = {name: getattr(branch, name) for name in ("newest", "finished", "first_broken")}
    try:
        with transaction.atomic():
            yield
    except BaseException as error:
        for name, value in before.items():
            setattr(branch, name, value)
        if isinstance(error, IntegrityError):
            raise Overtaken from error
        raise


def store_steps(branch: Branch, chunk: Chunk, interventions: Sequence[Made] = ()) -> None:
    """Stores the chunk with its interventions and moves `branch` on; call it within `storing`. Raises
    Overtaken if another process has stored something in the branch since it was read."""
    moved: dict[str, Any] = {"newest": branch.newest + len(chunk.steps), "finished": chunk.finished}
    if chunk.broken:
        moved["first_broken"] = {**chunk.broken, **branch.first_broken}
    # The branch's newest step shows whether another process has stored steps since the branch was read.
    if not Branch.objects.filter(id=branch.id, newest=branch.newest).update(**moved):
        raise Overtaken
    for step in chunk.steps:
        step.branch_id = branch.id
    Intervention.objects.add(branch, interventions)
    Step.objects.bulk_create(chunk.steps)
    if chunk.keyframes:
        Keyframe.objects.bulk_create(chunk.keyframes)
    for name, value in moved.items():
        setattr(branch, name, value)
