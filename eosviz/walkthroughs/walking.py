"""Makes steps until a goal is reached, and stores them."""

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
    """Raised when another process has stored something in this branch since the branch was read."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a command stops. A command that is sent again stops at the same step, even if more steps were
    made meanwhile."""

    until: Stopped
    """`count`, `interesting`, `time`, `breakpoint` or `end`."""
    after: int
    last: int
    """The number of the last step that may be made."""
    at_last: Stopped
    """Why the command stops at `last`: `count` if the command asked for that many steps, `limit` if a limit
    stops it."""
    time: int | None = None
    conditions: tuple[AnyCondition, ...] = ()

    def met(self, number: int, at: int, interesting: bool, body: bytes) -> Stopped | None:
        """Returns the reason to stop at this step; None if the run goes on."""
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
        """Returns True if no step up to `newest` can reach the goal, so that no stored step needs to be
        read."""
        return self.after == newest or (self.until == "count" and self.after <= newest < self.last)

    def met_among_stored(self, branch: Branch) -> tuple[int, Stopped] | None:
        """Returns the number of the stored step that reaches the goal, and the reason to stop there. Returns
        None if no stored step reaches it."""
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
    """A dict of guarantee → number of the first step of the chunk that breaks it."""
    stopped: Stopped | None = None
    finished: str | None = None
    """How the run ended after the last step. None if the run goes on, or if the engine was not asked for a
    further step."""

    def up_to(self, number: int) -> Chunk:
        """Returns the part up to step `number`, without the end of the run."""
        return Chunk(
            [step for step in self.steps if step.number <= number],
            [keyframe for keyframe in self.keyframes if keyframe.number <= number],
            {guarantee: step for guarantee, step in self.broken.items() if step <= number},
        )

    def beyond(self, number: int) -> Chunk | None:
        """Returns the part after step `number`. Returns None if this part contains neither steps nor the end
        of the run."""
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
    """Divides steps that were made ahead. Returns the part that the goal needs, and the rest, which is still
    ahead (None if nothing remains)."""
    for step in made.steps:
        stopped = goal.met(step.number, step.at, step.interesting, bytes(step.body))
        if stopped is not None:
            needed = made.up_to(step.number)
            needed.stopped = stopped
            return needed, made.beyond(step.number)
    return made, None


def next_steps(simulation: Simulation, branch: Branch, goal: Goal, begun: Chunk | None = None) -> Chunk:
    """Makes steps until the goal is reached, but at most as many as are stored in one transaction. `begun`:
    steps that were made and are not stored yet, or the end of the run."""
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
    # In views up to step REACH, nothing is left out.
    since = (
        time_of(Branch.objects.line(branch), number - near_views.REACH) if number > near_views.REACH else None
    )
    return Keyframe(branch=branch, **msgspec.structs.asdict(made_keyframe(simulation, since)))


def time_of(line: list[Branch], number: int) -> int:
    """Returns the virtual time of a stored step; 0 before the first step."""
    return Step.objects.of_line(line, number, number).values_list("at", flat=True).first() or 0


@contextmanager
def storing(branch: Branch) -> Iterator[None]:
    """A transaction for `store_steps`. Raises Overtaken if another process has stored something first. After
    any failure, `newest`, `finished` and `first_broken` of `branch` have their earlier values again."""
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
    """Stores the chunk with its interventions, and moves `branch` to its last step. Must be called inside
    `storing`. Raises Overtaken if another process has stored something in the branch since it was read."""
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
