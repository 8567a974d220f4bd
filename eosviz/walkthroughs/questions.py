"""Answers the questions of pages that change nothing. The socket and the HTTP API give the same answers. The
caller must have checked that the session may be read."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.view import near_views
from eosviz.catalogue import say
from eosviz.refusals import Problem
from eosviz.walkthroughs import matching
from eosviz.walkthroughs.branch_names import names_of
from eosviz.walkthroughs.deriving import changes_of, sent_bodies, view_of
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import STEPS_PER_TRANSACTION
from eosviz.walkthroughs.messages import (
    Advance,
    BranchSummary,
    Command,
    DifferenceAnswer,
    FoundSteps,
    Hit,
    KeyframeAnswer,
    NearViewAnswer,
    RunUntil,
    Search,
    SessionSummary,
    Steps,
    Transactions,
    Welcome,
    encode,
)
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Session, Step, runs_of
from eosviz.walkthroughs.presenting_messages import Presented
from eosviz.walkthroughs.transactions import transactions_of
from eosviz.walkthroughs.view_differences import net_changes
from eosviz.walkthroughs.walking import time_of


def branch_of(session_id: uuid.UUID, branch_id: str) -> Branch:
    """Returns a branch of this session, with its session and version loaded. Raises Problem if the session
    has no such branch."""
    found = (
        Branch.objects.select_related("session__version")
        .filter(id=int(branch_id), session_id=session_id)
        .first()
    )
    if found is None:
        raise Problem("not_found", "no_branch", branch=branch_id)
    return found


def may_be_paused(command: Command) -> bool:
    """Returns whether a command can be paused: it can if it may need more than one transaction."""
    if isinstance(command, Advance):
        return command.count > STEPS_PER_TRANSACTION
    return isinstance(command, RunUntil)


def pauses_when_asked(session_id: uuid.UUID, command: Command) -> int | None:
    """Returns how often the branch was paused until now, which is sent with the command; None for a command
    that cannot be paused."""
    if not may_be_paused(command):
        return None
    return Branch.objects.of_session(session_id).pauses_of(int(command.branch))


def session_summary(session: Session, continues: bool = True) -> SessionSummary:
    header = session.decoded_header
    return SessionSummary(
        id=str(session.id),
        title=header["title"],
        scenario=header["scenario"],
        variant=session.variant,
        continues=continues,
    )


def branch_summaries(session_id: uuid.UUID) -> list[BranchSummary]:
    branches = list(Branch.objects.of_session(session_id))
    interventions: Mapping[int, list[Any]] = Intervention.objects.by_branch(branches)
    names = names_of(runs_of(branches, interventions))
    return [
        BranchSummary(
            id=str(branch.id),
            name=branch.name,
            said=names[str(branch.id)],
            parent=None if branch.parent_id is None else str(branch.parent_id),
            leaves_at=branch.leaves_at,
            newest=branch.newest,
            finished=branch.finished,
            interventions=interventions[branch.id],
            first_broken=branch.first_broken,
        )
        for branch in branches
    ]


def branch_names(branches: Sequence[Branch], language: str, form: str = "") -> dict[int, str]:
    """Returns a dict of branch id → the branch's name in a sentence or, with `form="_title"`, as a label.
    `branches`: all branches of one or more sessions. Their interventions are read in one query."""
    own = Intervention.objects.by_branch(branches)
    names: dict[int, str] = {}
    for session_id in {branch.session_id for branch in branches}:
        runs = runs_of([branch for branch in branches if branch.session_id == session_id], own)
        for identity, said in names_of(runs).items():
            names[int(identity)] = say(said["key"] + form, language, said["params"])
    return names


def welcome(session: Session, re: str, continues: bool = True) -> Welcome:
    """Returns the answer to `hello`. `continues`: whether the page may make steps. `re`: the id of the page's
    message."""
    return Welcome(
        re=re,
        session=session_summary(session, continues),
        header=msgspec.Raw(bytes(session.header)),
        branches=branch_summaries(session.id),
        limits=LIMITS,
        other_engine=session.other_engine,
    )


def missing_messages(session: Session, have: dict[str, int]) -> list[bytes]:
    """Returns the `steps` messages that a page does not have. `have`: a dict of branch id → the last step
    that the page has. Returns at most `window_steps` steps for each branch."""
    found: list[bytes] = []
    branches = {str(branch.id): branch for branch in Branch.objects.of_session(session.id)}
    for branch_id, last in have.items():
        branch = branches.get(branch_id)
        if branch is None:
            continue
        found += stored_messages(branch, last + 1, min(branch.newest, last + LIMITS.window_steps))
    return found


def stored_messages(branch: Branch, first: int, last: int) -> list[bytes]:
    """Returns the steps `first` to `last` of a line as `steps` messages. Each message contains at most
    as many steps as are stored in one database transaction."""
    if first > last:
        return []
    bodies = sent_bodies(Branch.objects.line(branch), first, last)
    return [
        steps_message(branch, first + start, bodies[start : start + STEPS_PER_TRANSACTION])
        for start in range(0, len(bodies), STEPS_PER_TRANSACTION)
    ]


def steps_message(
    branch: Branch, first: int, bodies: list[bytes], re: str | None = None, presented: Presented | None = None
) -> bytes:
    return encode(
        Steps(
            branch=str(branch.id),
            first=first,
            steps=[msgspec.Raw(body) for body in bodies],
            finished=branch.finished,
            newest=branch.newest,
            re=re,
            presented=presented,
        )
    )


def window_message(branch: Branch, first: int, last: int, re: str | None = None) -> bytes:
    """Returns the stored steps of a window in one message. In it, `newest` is the last step of the line."""
    first = max(first, 1)
    bodies = sent_bodies(Branch.objects.line(branch), first, last)
    return steps_message(branch, first, bodies, re)


def keyframe_answer(branch: Branch, number: int, re: str) -> KeyframeAnswer:
    keyframe = Keyframe.objects.nearest(Branch.objects.line(branch), number)
    if keyframe is None:
        raise Problem("not_found", "no_keyframe", branch=str(branch.id), number=number)
    return KeyframeAnswer(
        re=re, branch=str(branch.id), number=keyframe.number, view=msgspec.Raw(keyframe.view_json)
    )


def near_view_answer(branch: Branch, number: int, re: str, whole: bool = False) -> NearViewAnswer:
    """Returns the view after exactly this step of a line: the parts that a page draws or, with `whole`, the
    whole view. Raises Problem if the step is beyond the newest one, or if no view is stored at it or before
    it."""
    if number > branch.newest:
        raise Problem("conflict", "beyond_newest", after=number, newest=branch.newest)
    line = Branch.objects.line(branch)
    keyframe = Keyframe.objects.defer("packed").nearest(line, number)
    if keyframe is None:
        raise Problem("not_found", "no_keyframe", branch=str(branch.id), number=number)
    bodies = sent_bodies(line, keyframe.number + 1, number)
    # Sessions of earlier releases have no stored derived facts.
    near = None if whole or keyframe.derived is None else keyframe.near_json
    view: msgspec.Raw | dict[str, Any] | None = None
    if near is not None:
        view = msgspec.Raw(near) if not bodies else _walked(near, bodies)
    if view is None:
        seen = near_views.walk(view_of(keyframe), list(map(changes_of, bodies)))
        view = (
            near_views.whole(seen, number)
            if whole
            else near_views.cut(seen, number, time_of(line, number - near_views.REACH))
        )
    step = bodies[-1:] or sent_bodies(line, number, number)
    return NearViewAnswer(
        re=re, branch=str(branch.id), number=number, view=view, step=msgspec.Raw(step[0]) if step else None
    )


def _walked(near: bytes, bodies: list[bytes]) -> dict[str, Any] | None:
    """Returns the near view `near` (JSON) after these steps; None if it lacks a part that one of their
    changes needs (`near_views.walk`)."""
    try:
        return near_views.walk(msgspec.json.decode(near), list(map(changes_of, bodies)))
    except near_views.FoldedAway:
        return None


def difference_answer(branch: Branch, first: int, last: int, re: str) -> DifferenceAnswer:
    """Returns the net changes from the view after step `first` of a line to the view after step `last`.
    Raises Problem if one of the two steps is beyond the newest one."""
    for number in (first, last):
        if number > branch.newest:
            raise Problem("conflict", "beyond_newest", after=number, newest=branch.newest)
    low, high = max(min(first, last), 1), max(first, last)
    bodies = dict(enumerate(sent_bodies(Branch.objects.line(branch), low, high), low))
    step = bodies.get(last)
    if last < first:
        changes = net_changes((bodies[number] for number in range(first, last, -1)), backward=True)
    else:
        changes = net_changes((bodies[number] for number in range(first + 1, last + 1)), backward=False)
    sent_step = None if step is None else msgspec.Raw(step)
    return DifferenceAnswer(
        re=re, branch=str(branch.id), first=first, last=last, changes=changes, step=sent_step
    )


def transaction_lines(session_id: uuid.UUID, branch_id: str, re: str) -> Transactions:
    """Returns the newest transactions in the steps of the branch and its ancestors. Raises Problem if the
    session has no such branch."""
    lines = transactions_of(branch_of(session_id, branch_id))
    return msgspec.convert({"re": re, "branch": branch_id, **lines}, Transactions)


def found_steps(session_id: uuid.UUID, search: Search) -> FoundSteps:
    """Returns those of the stored steps `from` to `to` at which all conditions hold or, with `any`, at
    least one. Raises Problem if the branch does not exist, or if a condition contains a name that no step
    can have."""
    matching.check(search.conditions, "conditions")
    branch = branch_of(session_id, search.branch)
    first, last = max(search.first, 1), min(search.last, branch.newest)
    stored = Step.objects.of_line(Branch.objects.line(branch), first, last).values_list("number", "body")
    enough = 1 if search.any else len(search.conditions)
    numbers: list[int] = []
    hits: list[Hit] = []
    for number, body in stored.iterator(LIMITS.window_steps):
        if len(matching.holding(bytes(body), search.conditions)) < enough:
            continue
        numbers.append(number)
        if len(hits) < LIMITS.search_hits:
            hits.append(msgspec.json.decode(bytes(body), type=Hit))
    return FoundSteps(
        re=str(search.id),
        branch=search.branch,
        first=first,
        last=last,
        newest=branch.newest,
        numbers=numbers,
        hits=hits,
    )
