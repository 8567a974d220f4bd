"""Opening an address of `links.py`: the visitor's own session, run again to the step that it names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock

import msgspec
from django.db import transaction

from eosviz.bounded import runner
from eosviz.bounded.refusing import Busy
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.actions import check_quota, create_session
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Branch, Keyframe, Step
from eosviz.walkthroughs.reached_run import Asked, Stretch, stretches, written
from eosviz.walkthroughs.runs_apart import problems
from eosviz.walkthroughs.walking import Chunk, store_steps

LINK_STEPS_MAX = 20_000
"""A few seconds of the engine's time: as long as a visitor waits for a page."""
_one_run = Lock()


@dataclass(frozen=True, slots=True)
class Opened:
    """A session made from a link."""

    branch: Branch
    step: int
    as_linked: bool
    """False when the scenario has changed since, or its run ended before the step that was linked."""


def open_link(browser: str, link: Link, asks: Caller) -> Opened:
    """Make the session. Raises Problem; then nothing is left of it."""
    check_length(link)
    check_quota(browser, "steps", link.steps_needed)
    version, is_named = version_of(link)
    with problems(), _made(version, link, asks) as made:
        session = create_session(browser, version, link.variant)
        branch = Branch.objects.of_session(session.id)[0]
        try:
            for stretch in made:
                _store(branch, stretch, link)
        except BaseException:
            session.delete()
            raise
    return Opened(branch, min(link.step, branch.newest), is_named and branch.newest >= link.steps_needed)


def check_length(link: Link) -> None:
    """Raises Problem when the run would take longer than a page may."""
    if link.steps_needed > LINK_STEPS_MAX:
        raise Problem("limit", "link_too_far", most=LINK_STEPS_MAX)


@contextmanager
def _made(version: ScenarioVersion, link: Link, asks: Caller) -> Iterator[Iterator[Stretch]]:
    """The library's runs, which are ours, are made here, those that somebody intervened in one at a time; all others in
    a bounded process. Raises NoAnswer."""
    asked = Asked(version.document, version.identifier, link.variant, link.done, link.steps_needed)
    if version.library_position is not None or not asked.steps:
        with _turn() if asked.done else nullcontext():
            yield stretches(asked)
        return
    with runner.run(TASKS["reached"], asked, asks, wait_seconds=runner.WAIT_SECONDS_MAX) as done:
        yield written(done.answer, done.folder)


@contextmanager
def _turn() -> Iterator[None]:
    """What an intervention makes of a run may cost seconds, and nothing tells before. Raises Busy."""
    if not _one_run.acquire(timeout=runner.WAIT_SECONDS_MAX):
        raise Busy("bounded.busy", seconds=runner.BUSY_SECONDS)
    try:
        yield
    finally:
        _one_run.release()


def _store(branch: Branch, stretch: Stretch, link: Link) -> None:
    """With the interventions that had been made by then, so a session whose making is cut short is one like any
    other."""
    reached = branch.newest + len(stretch.steps)
    steps = [Step(branch=branch, **msgspec.structs.asdict(one)) for one in stretch.steps]
    keyframes = [Keyframe(branch=branch, **msgspec.structs.asdict(one)) for one in stretch.keyframes]
    chunk = Chunk(steps, keyframes, stretch.broken, finished=stretch.finished)
    with transaction.atomic():
        store_steps(branch, chunk, interventions=[one for one in link.done if one["after"] < reached])
