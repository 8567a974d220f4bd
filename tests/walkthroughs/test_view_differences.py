"""Applying the difference between two views has the same result as applying the steps between them: forwards,
backwards, and from one branch to another.
"""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
import pytest

from eosviz.refusals import Problem
from eosviz.walkthroughs import actions, deriving, questions
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.messages import Done, MakeBranch, RunUntil, Unreadable, encode, read_message
from eosviz.walkthroughs.models import Branch, Keyframe, Session
from tests.walkthroughs.conftest import root

Json = dict[str, Any]


def walk(view: Json, changes: list[Json]) -> Json:
    """Apply the changes as a page does (docs/frame.md, `changes`), and return the view."""
    view = msgspec.json.decode(msgspec.json.encode(view))
    for change in changes:
        *parents, name = change["path"]
        place = view
        for parent in parents:
            place = place.setdefault(parent, {})
        if "after" in change:
            place[name] = change["after"]
        else:
            place.pop(name, None)
    return view


def without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kept = {name: without_empty(part) for name, part in value.items()}
    return {name: part for name, part in kept.items() if part != {}}


def views(branch: Branch) -> list[Json]:
    """Return the view after every step of a line, by applying one step at a time."""
    line = Branch.objects.line(branch)
    found = [deriving.view_of(Keyframe.objects.get(branch=line[0], number=0))]
    for body in deriving.sent_bodies(line, 1, branch.newest):
        step = msgspec.json.decode(body)
        found.append(walk(found[-1], step["changes"] + step["derived"].get("changes", [])))
    return found


def difference(branch: Branch, first: int, last: int) -> Json:
    answer: Json = msgspec.json.decode(encode(questions.difference_answer(branch, first, last, "")))
    return answer


def run(session: Session, branch: Branch, until: int) -> Branch:
    while branch.newest < until:
        command = RunUntil(
            v=1, id=uuid.uuid4(), branch=str(branch.id), after=branch.newest, until="interesting", limit=25
        )
        done = actions.carry_out(session.id, command)
        assert isinstance(done, Done)
        branch.refresh_from_db()
        if done.stopped == "end":
            break
    return branch


@pytest.mark.parametrize("scenario", ["SC-03", "SC-44"])
def test_every_way_leads_where_its_steps_lead(start: Any, scenario: str) -> None:
    session = start(scenario)
    branch = run(session, root(session), 90)
    every = views(branch)
    places = [0, 1, 2, branch.newest // 3, branch.newest // 2, branch.newest - 1, branch.newest]
    for first in places:
        for last in places:
            answer = difference(branch, first, last)
            assert without_empty(walk(every[first], answer["changes"])) == without_empty(every[last]), (
                first,
                last,
            )
            assert (answer["step"] or {"number": 0})["number"] == last
    whole = difference(branch, 0, branch.newest)["changes"]
    assert len({tuple(change["path"]) for change in whole}) == len(whole)


def test_a_way_crosses_from_a_branch_into_the_line_that_it_left(start: Any) -> None:
    session = start("SC-03")
    main = run(session, root(session), 60)
    made = actions.carry_out(session.id, MakeBranch(v=1, id=uuid.uuid4(), branch=str(main.id), at=20))
    assert isinstance(made, Done) and made.created is not None
    side = run(session, Branch.objects.get(id=int(made.created)), 50)
    every = views(side)
    for first, last in [(5, side.newest), (side.newest, 5), (20, 21), (21, 20)]:
        assert without_empty(walk(every[first], difference(side, first, last)["changes"])) == without_empty(
            every[last]
        )


def test_a_way_beyond_the_newest_step_or_too_long_is_refused(start: Any) -> None:
    branch = root(start("SC-03"))
    with pytest.raises(Problem) as refused:
        questions.difference_answer(branch, 0, 1, "")
    assert (refused.value.code, refused.value.key) == ("conflict", "problem.beyond_newest")
    asked = {
        "v": 1,
        "id": str(uuid.uuid4()),
        "type": "difference",
        "branch": "1",
        "from": LIMITS.difference_steps + 1,
        "to": 0,
    }
    with pytest.raises(Unreadable) as unreadable:
        read_message(msgspec.json.encode(asked).decode())
    assert unreadable.value.problem.key == "problem.difference_too_long"
