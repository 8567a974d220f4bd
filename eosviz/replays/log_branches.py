"""Makes the branches of a log case: one with the log as it was written, and one for each preview, in which a
marker is tried on a copy of the log (docs/logs.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.codec.log_case import LogCase
from engine.view.plan import RunPlan
from eosviz.pipeline.kafka_logs.previews import Preview
from eosviz.replays import branch_derived
from eosviz.replays.branch_plans import STEPS_MOST

WRITTEN = "1"
"""The id of the branch with the log as it was written."""

Json = dict[str, Any]


def branches_of(case: LogCase, previews: Sequence[Preview]) -> tuple[list[Json], dict[str, list[Json]]]:
    """The branches for a player file, and a dict of branch's id → its steps. `previews`: those with which
    `case` was made, in the same order."""
    last = len(case.steps)
    written = _branch(WRITTEN, "log", last) | {"said": {"key": "player.on_log", "params": {}}}
    branches, steps = [written], {WRITTEN: case.steps}
    for place, tried in case.previews.items():
        identity = preview_branch(place)
        name = f"preview {place + 1}"
        branch = _branch(identity, name, last + len(tried), parent=WRITTEN, leaves_at=last)
        branches.append(branch | {"said": previews[place].name})
        steps[identity] = tried
    return branches, steps


def folded(
    case: LogCase, branches: Sequence[Json], steps: Mapping[str, list[Json]]
) -> tuple[dict[str, Any], Json]:
    """Two dicts: branch's id → its plan, and branch's id → its derived facts."""
    written = RunPlan(case.header, case.view), branch_derived.begun(case.view)
    plans: dict[str, Any] = {}
    derived: Json = {}
    for branch in branches:
        plan, facts = written
        if branch["parent"] is not None:
            plan, facts = plan.fork(), branch_derived.forked(facts)
        for step in steps[branch["id"]]:
            if step["number"] <= STEPS_MOST:
                plan.take(step)
            facts.take(step)
        complete = branch["newest"] <= STEPS_MOST
        plans[branch["id"]] = plan.to_json(complete, before=plans.get(branch["parent"]))
        derived[branch["id"]] = facts.to_json()
    return plans, derived


def add_previews(verdicts: Sequence[Json], case: LogCase, previews: Sequence[Preview]) -> None:
    """Add `preview` to each verdict whose marker is tried: the branch in which it is tried, and the last step
    of this branch."""
    for place, tried in case.previews.items():
        verdicts[previews[place].verdict]["preview"] = {
            "branch": preview_branch(place),
            "step": len(case.steps) + len(tried),
        }


def preview_branch(place: int) -> str:
    return str(place + 2)


def _branch(identity: str, name: str, newest: int, parent: str | None = None, leaves_at: int = 0) -> Json:
    return {
        "id": identity,
        "name": name,
        "parent": parent,
        "leaves_at": leaves_at,
        "newest": newest,
        "finished": "complete",
        "interventions": [],
        "first_broken": {},
    }
