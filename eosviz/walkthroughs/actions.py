"""Creates and deletes sessions, and carries out the commands that make branches and steps. Workers' tasks,
sockets, the HTTP API, pages and other apps call these functions.

Each command is carried out once: its row, the last steps that it made and the branch's `newest` are stored in
one transaction. If a command is repeated (because a page sent it again, or a task was delivered again after
its worker was killed), its row is found and the stored answer is returned. If two processes make the same
step, only one can store it; the slower one reads the branch again.

After the transaction, the stored steps are sent to all pages of the session.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import F, Sum

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario
from engine.simulation import Simulation
from eosviz import quotas
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import matching, messages, presenting
from eosviz.walkthroughs.branch_names import LETTERS, Run, letters_at, next_letters, original_of
from eosviz.walkthroughs.deriving import sent
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import MadeKeyframe, made_keyframe
from eosviz.walkthroughs.messages import (
    Advance,
    AskActions,
    Command,
    CommandAnswer,
    Done,
    Intervene,
    MakeBranch,
    Offer,
    RunUntil,
    Stopped,
)
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Session, Step, runs_of
from eosviz.walkthroughs.models import Command as StoredCommand
from eosviz.walkthroughs.possibilities import possibilities
from eosviz.walkthroughs.presenting_messages import Presented
from eosviz.walkthroughs.questions import (
    branch_of,
    branch_summaries,
    may_be_paused,
    steps_message,
    stored_messages,
)
from eosviz.walkthroughs.simulations import (
    Diverged,
    Slot,
    at_earlier,
    recent,
    scenario_of,
    simulate,
)
from eosviz.walkthroughs.streaming import publish
from eosviz.walkthroughs.walking import (
    Chunk,
    Goal,
    Overtaken,
    divided,
    next_steps,
    steps_after,
    store_steps,
    storing,
)

logger = logging.getLogger(__name__)

Found = TypeVar("Found")

BUDGET = 500
FAR_FROM_FULL = LIMITS.branches_per_session * BUDGET
"""If a session may store more steps than this, a process does not check the limit again until it has stored
BUDGET further steps of a branch. So a session may exceed the limit, by at most BUDGET steps for each branch
and process."""

ATTEMPTS_MAX = 5
"""A command is tried at most this often. It is tried again if another process has stored something in the
meantime."""


class NothingFollows(Exception):
    """The engine accepted an intervention and then made no step after it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no step after {number}")
        self.number = number


# -- sessions ------------------------------------------------------------------------------------------------


def create_session(browser: str, version: ScenarioVersion, variant: str | None = None) -> Session:
    """Create a session at step 0, with one branch. Raises Problem if the engine refuses the scenario, or if
    the person's quota is exceeded."""
    return create_sessions(browser, [(version, variant)])[0]


def create_sessions(browser: str, wanted: list[tuple[ScenarioVersion, str | None]]) -> list[Session]:
    """Create all of these sessions or none. Raises Problem as `create_session` does."""
    starts = [_start(version, variant) for version, variant in wanted]
    made: list[Session] = []
    with transaction.atomic():
        check_quota(browser, "sessions", len(wanted))
        for (version, variant), (header, keyframe) in zip(wanted, starts, strict=True):
            session = Session.objects.create(owner=browser, version=version, variant=variant, header=header)
            branch = Branch.objects.create(session=session, name=letters_at(0))
            Keyframe.objects.create(branch=branch, **msgspec.structs.asdict(keyframe))
            made.append(session)
    return made


def check_quota(browser: str, name: str, more: int = 1) -> None:
    """Raises Problem if ``more`` would exceed the person's quota ``name``."""
    quotas.check(browser, name, more, refused=partial(Problem, "limit"))


_one_start = Lock()
"""Held while the run of a new session is built. Building a user's scenario may take 1.6 s and 100 MB
(docs/bounds.md), so a process builds only one at a time."""


def _start(version: ScenarioVersion, variant: str | None) -> tuple[bytes, MadeKeyframe]:
    """The header of a run, as JSON, and the view before its first step. Raises Problem."""
    try:
        with _one_start:
            simulation = simulate(scenario_of(version, variant), [])
            return msgspec.json.encode(simulation.header()), made_keyframe(simulation, None)
    except Refused as refused:
        raise _refusal("scenario_refused", refused) from None
    except BadScenario as bad:
        raise bad_scenario(bad) from None


def bad_scenario(bad: BadScenario) -> Problem:
    return Problem("refused", "bad_scenario", place=bad.place, **bad.sentences)


def delete_session(browser: str, session_id: uuid.UUID) -> None:
    """Delete a session with its branches and steps. Raises Problem if this browser has no such session."""
    owned = Session.objects.of_browser(browser).filter(id=session_id)
    if not owned.exists():
        raise Problem("not_found", "no_session")
    presenting.end(session_id)
    owned.delete()


def pause(session_id: uuid.UUID, branch_id: int) -> int:
    """Stop the command that is making steps on this branch, if there is one. Returns the branch's new count
    of pauses. Raises Problem if the session has no such branch."""
    paused = Branch.objects.filter(id=branch_id, session_id=session_id).update(pauses=F("pauses") + 1)
    if not paused:
        raise Problem("not_found", "no_branch", branch=str(branch_id))
    return Branch.objects.values_list("pauses", flat=True).get(id=branch_id)


def rename(session_id: uuid.UUID, branch_id: str, name: str) -> str:
    """Rename a branch, and send its new name to all pages of the session. Returns the name as it is stored.
    Raises Problem if the session has no such branch."""
    kept = name.strip()
    if not Branch.objects.filter(id=int(branch_id), session_id=session_id).update(name=kept):
        raise Problem("not_found", "no_branch", branch=branch_id)
    publish(session_id, [_branches(session_id)])
    return kept


# -- commands ------------------------------------------------------------------------------------------------


def carry_out(session_id: uuid.UUID, command: Command, pauses: int | None = None) -> CommandAnswer:
    """Carry out a command, once, and send its steps to all pages of the session. `pauses`: the branch's count
    of pauses when the command was sent; once the count is higher, the command stops. Returns the message
    `done` or `error` (docs/websocket.md)."""
    looks = not _goes_on(session_id, command)
    for _ in range(ATTEMPTS_MAX):
        known = _known(session_id, command) if looks else None
        if known is not None:
            return _repeat(known, command)
        try:
            return _ACTIONS[type(command)](session_id, command, pauses)
        except (Overtaken, IntegrityError):
            looks = True
            continue
        except Problem as found:
            problem = found
        except Diverged as diverged:
            problem = Problem("refused", "engine_differs", number=diverged.number)
        except NothingFollows as nothing:
            problem = Problem("refused", "nothing_follows", number=nothing.number)
        except EngineError as error:
            logger.exception("session %s", session_id)
            problem = Problem("refused", "engine_broke", reason=str(error))
        if looks:
            return _fail(session_id, command, problem)
        looks = True
    problem = Problem("unavailable", "busy")
    publish(session_id, [], problem.message(str(command.id)))
    return problem.message(str(command.id))


def _goes_on(session_id: uuid.UUID, command: Command) -> bool:
    """Whether the command continues from the newest step, as this process remembers it. Such a command cannot
    be a repeated one."""
    if not isinstance(command, Advance) or may_be_paused(command):
        return False
    held = recent.held_branch(int(command.branch))
    return held is not None and held.session_id == session_id and held.newest == command.after


def _known(session_id: uuid.UUID, command: Command) -> StoredCommand | None:
    return StoredCommand.objects.filter(session_id=session_id, identifier=command.id).first()


def _fail(session_id: uuid.UUID, command: Command, problem: Problem) -> CommandAnswer:
    """Store the refusal of a command as its answer, so that the same command, repeated, gets the same
    refusal."""
    answer = problem.message(str(command.id))
    if Session.objects.filter(id=session_id).exists():
        try:
            _remember(session_id, command, answer)
        except IntegrityError:
            logger.info("session %s: command %s was answered by another process", session_id, command.id)
    publish(session_id, [], answer)
    return answer


def _remember(session_id: uuid.UUID, command: Command, answer: CommandAnswer) -> None:
    remembered(session_id, command, answer).save(force_insert=True)


def remembered(session_id: uuid.UUID, command: Command, answer: CommandAnswer) -> StoredCommand:
    return StoredCommand(
        session_id=session_id,
        identifier=command.id,
        asked=messages.asked(command),
        answer=messages.encode(answer),
    )


def _repeat(known: StoredCommand, command: Command) -> CommandAnswer:
    """Send the stored answer again, with at most `advance_steps` of its steps. If the command has the same id
    and another content, it is refused."""
    if bytes(known.asked) != messages.asked(command):
        refusal = Problem("conflict", "id_used").message(str(command.id))
        publish(known.session_id, [], refusal)
        return refusal
    answer: CommandAnswer = messages.read_command_answer(bytes(known.answer))
    frames: list[bytes] = []
    if isinstance(answer, Done):
        branch = Branch.objects.get(id=int(answer.created or answer.branch))
        if answer.created:
            frames.append(_branches(known.session_id))
        after = command.at if isinstance(command, MakeBranch) else command.after
        frames += stored_messages(branch, after + 1, min(answer.reached, after + LIMITS.advance_steps))
    publish(known.session_id, frames, answer)
    return answer


# -- making steps --------------------------------------------------------------------------------------------


def _advance(session_id: uuid.UUID, command: Advance, pauses: int | None) -> CommandAnswer:
    # A page may request more steps before the first ones have arrived, and the two tasks may run in either
    # order. So the number of the last step is the goal, and not how many steps are requested.
    goal = Goal("count", command.after, command.after + command.count, "count")
    return _walk(session_id, command, goal, pauses)


def _run_until(session_id: uuid.UUID, command: RunUntil, pauses: int | None) -> CommandAnswer:
    matching.check(command.conditions, "conditions")
    conditions = tuple(command.conditions)
    last = command.after + command.limit
    goal = Goal(command.until, command.after, last, "limit", command.time, conditions)
    return _walk(session_id, command, goal, pauses)


def _walk(
    session_id: uuid.UUID, command: Advance | RunUntil, goal: Goal, pauses: int | None
) -> CommandAnswer:
    with recent.of(int(command.branch)) as slot:
        branch = slot.held_branch(session_id)
        if branch is None or not goal.lies_beyond(branch.newest):
            branch = branch_of(session_id, command.branch)
            if goal.after > branch.newest + LIMITS.advance_steps:
                raise Problem("conflict", "beyond_newest", after=goal.after, newest=branch.newest)
            found = goal.met_among_stored(branch)
            if found is None and branch.finished is not None:
                found = branch.newest, "end"
            if found is not None:
                return _answer_from_stored(branch, command, *found)
        goal = _within_budget(slot, branch, goal)
        # Steps that were made before are part of the answer, because the page may have missed them.
        frames = stored_messages(branch, goal.after + 1, branch.newest)
        simulation, made = slot.going_on(branch)
        begun, slot.ahead = (None, None) if made is None else divided(made, goal)
        while True:
            chunk, begun = next_steps(simulation, branch, goal, begun), None
            try:
                answer = store(branch, chunk, command, pauses)
            except Overtaken:
                slot.overtaken(chunk if made is None else made)
                raise
            made = None
            frames += frames_of(branch, chunk)
            if answer is not None:
                publish(session_id, frames, answer)
                return answer
            publish(session_id, frames)
            frames = []


def _answer_from_stored(
    branch: Branch, command: Advance | RunUntil, reached: int, stopped: Stopped
) -> CommandAnswer:
    answer = done(command, branch, stopped, reached)
    _remember(branch.session_id, command, answer)
    first = command.after + 1
    frames = stored_messages(branch, first, min(reached, first + LIMITS.advance_steps - 1))
    if stopped == "end" and not frames:
        frames = [steps_message(branch, branch.newest + 1, [])]
    publish(branch.session_id, frames, answer)
    return answer


def _within_budget(slot: Slot, branch: Branch, goal: Goal) -> Goal:
    """The same goal, or a nearer one if fewer steps may be stored. Raises Problem if none may be stored."""
    wanted = goal.last - branch.newest
    if wanted <= slot.budget:
        slot.budget -= wanted
        return goal
    left = _some_steps_left(branch.session_id)
    if wanted <= left:
        # Far from the limit, the session's steps need not be counted at each click.
        slot.budget = BUDGET if left > FAR_FROM_FULL else 0
        return goal
    return replace(goal, last=branch.newest + left, at_last="limit")


def _some_steps_left(session_id: uuid.UUID) -> int:
    """The number of steps that the session may still store, at least one. Raises Problem if it may store
    none."""
    left = steps_left(session_id)
    if left <= 0:
        raise Problem("limit", "session_full", most=LIMITS.steps_per_session)
    owner = Session.objects.values_list("owner", flat=True).get(id=session_id)
    free = quotas.left(owner, "steps")
    if free <= 0:
        check_quota(owner, "steps")
    return min(left, free)


def steps_left(session_id: uuid.UUID) -> int:
    """The number of steps that the session may still store by the limit for sessions. The owner's quota is
    ignored here."""
    stored = Branch.objects.of_session(session_id).aggregate(steps=Sum(F("newest") - F("leaves_at")))
    return LIMITS.steps_per_session - (stored["steps"] or 0)


def store(
    branch: Branch, chunk: Chunk, command: Advance | RunUntil, pauses: int | None
) -> CommandAnswer | None:
    """Store a chunk of steps; with the last chunk, also the command's answer, in the same transaction.
    Returns the answer, or None if more chunks follow. Raises Overtaken."""
    answer = None
    with storing(branch):
        store_steps(branch, chunk)
        stopped = chunk.stopped
        if stopped is None and pauses is not None and Branch.objects.pauses_of(branch.id) != pauses:
            stopped = "pause"
        if stopped is not None:
            answer = done(command, branch, stopped)
            _remember(branch.session_id, command, answer)
    return answer


# -- branches and interventions ------------------------------------------------------------------------------


def _make_branch(session_id: uuid.UUID, command: MakeBranch, pauses: int | None) -> CommandAnswer:
    branch = branch_of(session_id, command.branch)
    if command.at > branch.newest:
        raise Problem("conflict", "beyond_newest", after=command.at, newest=branch.newest)
    child = _child(branch, command.at, command.name)
    with transaction.atomic():
        _save_child(child)
        answer = done(command, child, "count", created=True)
        _remember(session_id, command, answer)
    publish(session_id, [_branches(session_id)], answer)
    return answer


def _child(branch: Branch, at: int, name: str | None) -> Branch:
    """A new branch, not saved yet, that leaves the run of `branch` after step `at`."""
    # The parent is the branch to which step `at` itself belongs: `branch` or one of its ancestors.
    parent = next(
        other
        for other in reversed(Branch.objects.line(branch))
        if at > other.leaves_at or other.parent_id is None
    )
    return Branch(
        session=branch.session,
        name=name or "",
        parent=parent,
        leaves_at=at,
        newest=at,
        first_broken={guarantee: number for guarantee, number in branch.first_broken.items() if number <= at},
    )


def _save_child(child: Branch) -> None:
    """Store a new branch, which gets a name if it has none. Must be called in a transaction. Raises Problem
    if the session has too many branches."""
    runs = _runs_now(child.session_id)
    if len(runs) >= LIMITS.branches_per_session:
        raise Problem("limit", "too_many_branches", most=LIMITS.branches_per_session)
    child.name = child.name or next_letters(runs)
    child.save()


def _letter_original(branch: Branch) -> None:
    """If the branch is the original run and a person has not renamed it, give it the letters of a changed
    run. To be called before a change of the branch is stored, in the same transaction."""
    if Intervention.objects.count_on(branch) > 0:
        return
    runs = _runs_now(branch.session_id)
    original = original_of(runs)
    if original is not None and original.id == str(branch.id) and LETTERS.fullmatch(original.name):
        Branch.objects.filter(id=branch.id).update(name=next_letters(runs))


def _runs_now(session_id: uuid.UUID) -> list[Run]:
    """The branches of the session, with their interventions. Until the caller's transaction ends, other
    processes that call this function wait, so that the number of branches and their names stay right."""
    Session.objects.select_for_update().get(id=session_id)
    branches = list(Branch.objects.of_session(session_id))
    return runs_of(branches, Intervention.objects.by_branch(branches))


def _intervene(session_id: uuid.UUID, command: Intervene, pauses: int | None) -> CommandAnswer:
    with recent.of(int(command.branch)) as slot:
        branch = branch_of(session_id, command.branch)
        if command.after > branch.newest:
            raise Problem("conflict", "beyond_newest", after=command.after, newest=branch.newest)
        if command.after == branch.newest:
            _check_interventions_left(branch)
            _within_budget(slot, branch, steps_after(branch.newest))
            return _intervene_here(slot, branch, command)
    child = _child(branch, command.after, None)
    _some_steps_left(session_id)
    simulation = at_earlier(Branch.objects.line(branch), command.after, Simulation.fork)
    answer = _step_after(simulation, child, command)
    with recent.of(child.id) as slot:
        slot.keep(simulation, child)
    return answer


def _intervene_here(slot: Slot, branch: Branch, command: Intervene) -> CommandAnswer:
    simulation = slot.at_newest(branch)
    try:
        answer = _step_after(simulation, branch, command)
    except Overtaken:
        slot.forget()
        raise
    slot.keep(simulation, branch)
    return answer


def _check_interventions_left(branch: Branch) -> None:
    if Intervention.objects.count_on(branch) >= LIMITS.interventions_per_branch:
        raise Problem("limit", "too_many_interventions", most=LIMITS.interventions_per_branch)


def _step_after(simulation: Simulation, branch: Branch, command: Intervene) -> CommandAnswer:
    """Apply an intervention, make the step after it, and store both. `simulation` must be at the newest step
    of `branch`."""
    intervention = msgspec.to_builtins(command.intervention)
    try:
        simulation.intervene(intervention)
    except Refused as refused:
        raise _refusal("intervention_refused", refused) from None
    chunk = next_steps(simulation, branch, steps_after(command.after))
    if not chunk.steps:
        raise NothingFollows(branch.newest)
    created = branch.pk is None
    made = {"after": command.after, "intervention": intervention}
    with storing(branch):
        if created:
            _save_child(branch)
        else:
            _letter_original(branch)
        store_steps(branch, chunk, [made])
        answer = done(command, branch, "count", created=created)
        _remember(branch.session_id, command, answer)
    publish(branch.session_id, [_branches(branch.session_id), *frames_of(branch, chunk)], answer)
    return answer


def offered(session_id: uuid.UUID, question: AskActions) -> list[Offer]:
    """All actions on the selected object at a step of a branch, both possible and impossible ones. Changes
    nothing. Raises Problem."""

    def found(simulation: Simulation) -> list[Offer]:
        return possibilities(simulation, question.selection)

    return look_at(session_id, question.branch, question.number, found)


def look_at(
    session_id: uuid.UUID, branch_id: str, number: int, found: Callable[[Simulation], Found]
) -> Found:
    """Call `found` with the run at step `number` of a branch, and return its result. `found` must not change
    the run. Raises Problem."""
    branch = branch_of(session_id, branch_id)
    if number > branch.newest:
        raise Problem("conflict", "beyond_newest", after=number, newest=branch.newest)
    try:
        if number < branch.newest:
            return at_earlier(Branch.objects.line(branch), number, found)
        with recent.of(branch.id) as slot:
            # Another thread, which held the slot before, may have made steps meanwhile.
            branch = branch_of(session_id, branch_id)
            if number == branch.newest and slot.ahead is None:
                return found(slot.at_newest(branch))
        return at_earlier(Branch.objects.line(branch), number, found)
    except Diverged as diverged:
        raise Problem("refused", "engine_differs", number=diverged.number) from None
    except EngineError as error:
        logger.exception("session %s", session_id)
        raise Problem("refused", "engine_broke", reason=str(error)) from None


def _refusal(key: str, refused: Refused) -> Problem:
    return Problem("refused", key, rule=refused.rule, place=refused.place, **refused.sentences)


_ACTIONS: dict[type, Callable[[uuid.UUID, Any, int | None], CommandAnswer]] = {
    Advance: _advance,
    RunUntil: _run_until,
    MakeBranch: _make_branch,
    Intervene: _intervene,
}


# -- what is sent --------------------------------------------------------------------------------------------


def done(
    command: Command, branch: Branch, stopped: Stopped, reached: int | None = None, created: bool = False
) -> Done:
    return Done(
        re=str(command.id),
        branch=str(branch.id),
        newest=branch.newest,
        reached=branch.newest if reached is None else reached,
        stopped=stopped,
        created=str(branch.id) if created else None,
        hits=_hits(command, branch, reached) if stopped == "breakpoint" else [],
    )


def _hits(command: Command, branch: Branch, reached: int | None) -> list[int]:
    """The positions of those of the command's conditions that hold at the step at which it stopped."""
    number = branch.newest if reached is None else reached
    body = Step.objects.of_line(Branch.objects.line(branch), number, number).bodies()[0]
    return matching.holding(body, command.conditions) if isinstance(command, RunUntil) else []


def _branches(session_id: uuid.UUID) -> bytes:
    return messages.encode(messages.Branches(branches=branch_summaries(session_id)))


def frames_of(branch: Branch, chunk: Chunk, presented: Presented | None = None) -> list[bytes]:
    """The messages with which open pages get a chunk that was just stored. `presented`: the presenter's
    position, if the presenter went to the chunk's last step."""
    frames = []
    if chunk.steps:
        bodies = [sent(step) for step in chunk.steps]
        frames.append(steps_message(branch, chunk.steps[0].number, bodies, presented=presented))
    elif chunk.finished is not None:
        frames.append(steps_message(branch, branch.newest + 1, []))
    if chunk.broken or chunk.finished is not None:
        frames.append(_branches(branch.session_id))
    return frames
