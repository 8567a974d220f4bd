"""The plans of branches (docs/frame.md, *Plan*). A plan belongs to a run and to a version of the engine. It
is stored, and made again when the branch has become longer than the plan.

A run depends only on the scenario and the interventions, so a plan that was deleted to save space can be made
again. With each intervention, the plan of the run before it is extended, so that everything that a page
already shows keeps its position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any, cast

import msgspec
from django.db import transaction

from engine.scenario.header import ENGINE_VERSION
from engine.shapes.plans import Plan
from engine.view.plan import PLAN_VERSION
from engine.view.run_ahead import STEPS_AHEAD
from eosviz.bounded import runner
from eosviz.bounded.refusing import Busy, NoAnswer, NotThisTime
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.messages import Hello, PlanAnswer, encode
from eosviz.walkthroughs.models import (
    KEPT_PLANS_MAX,
    Branch,
    Intervention,
    KeptPlan,
    Session,
    line_interventions,
)
from eosviz.walkthroughs.planning import Asked, made

STEPS_MOST = 20_000
"""At most this many steps are run for a plan, even if the branch is longer."""
NO_PLAN = b"null"
"""Stored if no plan can be made, so that it is not tried again for each page."""
MOMENT_SECONDS = 0.3
"""How long a page's question waits for a plan that another thread of this process is making."""
WAIT_SECONDS_MAX = 5
"""How long to wait for a bounded process. The time is short, because a thread of the worker is blocked during
it."""
GROWS_BY = 4
"""A plan that is too short is extended to this many times the length of the branch."""


def kept_plan(branch: Branch, re: str | None = None) -> PlanAnswer | None:
    """Returns the stored plan of the branch; None if there is none, or if the branch has become longer than
    the plan. `branch` must have its session and version loaded."""
    line = Branch.objects.line(branch)
    found = KeptPlan.objects.filter(key=_keys(line)[-1]).first()
    if found is None or _is_outgrown(found, branch):
        return None
    return _answer(branch, bytes(found.plan_json), re)


def on_arrival(session: Session, hello: Hello) -> list[bytes]:
    """Returns the stored plan of the first branch, for a page that has no steps yet; an empty list if there
    is none."""
    if hello.have:
        return []
    kept = kept_plan(Branch.objects.select_related("session__version").of_session(session.id)[0])
    return [] if kept is None else [encode(kept)]


def made_plan(branch: Branch, re: str) -> PlanAnswer | None:
    """Returns the stored plan or, if there is none, makes one and stores it. In the answer, the plan is null
    if none can be made. Returns None if the page has to ask again."""
    kept = kept_plan(branch, re)
    if kept is not None:
        return kept
    line = Branch.objects.line(branch)
    keys = _keys(line)
    is_ours = branch.session.version.library_position is not None and _most(branch) <= STEPS_AHEAD
    with _being_made(keys[-1] if is_ours else "apart") as free:
        if not free:
            return kept_plan(branch, re)
        try:
            plan = _made(_asked(branch, line, keys), is_ours)
        except NotThisTime:
            return _answer(branch, NO_PLAN, re)  # This page gets no plan. The next page asks again.
    if plan is None:
        return None
    _store(keys[-1], plan)
    return _answer(branch, plan, re)


def plan_of_library(version: ScenarioVersion, variant: str | None) -> Plan | None:
    """Returns the plan of a run of the library without interventions, stored or newly made; None if the
    engine refuses the run."""
    key = _key_of_run(version, variant)
    found = KeptPlan.objects.filter(key=key).first()
    if found is not None:
        plan = bytes(found.plan_json)
    else:
        asked = Asked(version.document, version.identifier, variant, [], before=None, most=STEPS_AHEAD)
        plan = _made(asked, is_ours=True) or NO_PLAN
        _store(key, plan)
    return cast("Plan | None", msgspec.json.decode(plan))


_making: set[str] = set()
_changed = Condition()


@contextmanager
def _being_made(name: str) -> Iterator[bool]:
    """Yields True if no other thread of this process is inside such a block with the same `name`. Otherwise
    waits until that thread has finished, at most MOMENT_SECONDS, and yields False."""
    with _changed:
        free = name not in _making
        _making.add(name)
        if not free:
            _changed.wait_for(lambda: name not in _making, MOMENT_SECONDS)
    try:
        yield free
    finally:
        if free:
            with _changed:
                _making.discard(name)
                _changed.notify_all()


def _asked(branch: Branch, line: list[Branch], keys: list[str]) -> Asked:
    before, before_done = _nearest(keys)
    return Asked(
        document=branch.session.version.document,
        source=branch.session.version.identifier,
        variant=branch.session.variant,
        done=line_interventions(line),
        before=None if before is None else msgspec.json.decode(before.plan_json),
        before_done=before_done,
        most=_most(branch),
    )


def _answer(branch: Branch, plan: bytes, re: str | None) -> PlanAnswer:
    count = Intervention.objects.count_on(branch)
    return PlanAnswer(re=re, branch=str(branch.id), interventions=count, plan=msgspec.Raw(plan))


def _keys(line: list[Branch]) -> list[str]:
    """Returns the keys of the plans of a line: first the key of the run without interventions, then, for each
    intervention, the key of the run up to and including it."""
    session = line[0].session
    keys = [_key_of_run(session.version, session.variant)]
    for one in line_interventions(line):
        keys.append(hashlib.sha256(keys[-1].encode() + msgspec.json.encode(one)).hexdigest())
    return keys


def _key_of_run(version: ScenarioVersion, variant: str | None) -> str:
    run = [PLAN_VERSION, ENGINE_VERSION, version.digest, variant]
    return hashlib.sha256(msgspec.json.encode(run)).hexdigest()


def _nearest(keys: list[str]) -> tuple[KeptPlan | None, int]:
    """Returns the stored plan that includes the most interventions of the line, and their number. Returns
    None and 0 if no plan is stored."""
    kept = set(KeptPlan.objects.filter(key__in=keys).values_list("key", flat=True))
    known = next((place for place in reversed(range(len(keys))) if keys[place] in kept), None)
    return (None, 0) if known is None else (KeptPlan.objects.filter(key=keys[known]).first(), known)


def _is_outgrown(kept: KeptPlan, branch: Branch) -> bool:
    return not kept.complete and branch.newest > kept.steps and kept.steps < STEPS_MOST


def _most(branch: Branch) -> int:
    if branch.newest <= STEPS_AHEAD:
        return STEPS_AHEAD
    return min(STEPS_MOST, GROWS_BY * branch.newest)


def _made(asked: Asked, is_ours: bool) -> bytes | None:
    """Returns the plan; NO_PLAN if the run is refused or exceeds the limits; None if no bounded process could
    start in time. Raises NotThisTime."""
    try:
        if is_ours:
            return made(asked)
        with runner.run(TASKS["plan"], asked, wait_seconds=WAIT_SECONDS_MAX) as done:
            return done.answer
    except Busy:
        return None
    except NotThisTime:
        raise
    except NoAnswer:
        return NO_PLAN


class _Measured(msgspec.Struct):
    steps: int = 0
    complete: bool = True


def _store(key: str, plan: bytes) -> None:
    measured = msgspec.json.decode(plan, type=_Measured | None) or _Measured()
    fields: dict[str, Any] = {
        "packed": KeptPlan.pack(plan),
        "steps": measured.steps,
        "complete": measured.complete,
    }
    with transaction.atomic():
        KeptPlan.objects.update_or_create(key=key, defaults=fields)
        oldest = KeptPlan.objects.order_by("-made", "key").values_list("key", flat=True)[KEPT_PLANS_MAX:]
        KeptPlan.objects.filter(key__in=list(oldest)).delete()
