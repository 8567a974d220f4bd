"""Opens an address of `links.py`: creates a session for the visitor, and makes the run up to the linked
step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import takewhile
from threading import Lock

import msgspec

from eosviz.bounded import runner
from eosviz.bounded.refusing import Busy
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.actions import check_quota, create_session
from eosviz.walkthroughs.bounded_problems import problems
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Step
from eosviz.walkthroughs.reached_run import Asked, Stretch, stretches, written
from eosviz.walkthroughs.walking import Chunk, store_steps, storing

LINK_STEPS_MAX = 20_000
"""The run of a link has at most this many steps. The engine makes them in a few seconds, which is how long a
visitor waits for a page."""
_one_run = Lock()


@dataclass(frozen=True, slots=True)
class Opened:
    """The session that was created from a link."""

    branch: Branch
    step: int
    as_linked: bool
    """False if another version of the scenario was opened, or if the run ended before the linked step or
    before one of the link's interventions."""


def open_link(browser: str, link: Link, asks: Caller) -> Opened:
    """Creates the session and makes its steps. Raises Problem, and then leaves no session behind."""
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
    """Raises Problem if the run needs more than LINK_STEPS_MAX steps."""
    if link.steps_needed > LINK_STEPS_MAX:
        raise Problem("limit", "link_too_far", most=LINK_STEPS_MAX)


@contextmanager
def _made(version: ScenarioVersion, link: Link, asks: Caller) -> Iterator[Iterator[Stretch]]:
    """Yields the stretches of a link's run, which are made in this process or in a bounded one. Raises
    NoAnswer."""
    asked = Asked(version.document, version.identifier, link.variant, link.done, link.steps_needed)
    if version.library_position is not None or not asked.steps:
        with _turn() if asked.done else nullcontext():
            yield stretches(asked)
        return
    with runner.run(TASKS["reached"], asked, asks, wait_seconds=runner.WAIT_SECONDS_MAX) as done:
        yield written(done.answer, done.folder)


@contextmanager
def _turn() -> Iterator[None]:
    """Waits until no other run with interventions is made in this process. Raises Busy."""
    if not _one_run.acquire(timeout=runner.WAIT_SECONDS_MAX):
        raise Busy("bounded.busy", seconds=runner.BUSY_SECONDS)
    try:
        yield
    finally:
        _one_run.release()


def _store(branch: Branch, stretch: Stretch, link: Link) -> None:
    """Stores a stretch and the interventions made in it."""
    further = link.done[Intervention.objects.count_on(branch) :]
    reached = branch.newest + len(stretch.steps)
    steps = [Step(branch=branch, **msgspec.structs.asdict(one)) for one in stretch.steps]
    keyframes = [Keyframe(branch=branch, **msgspec.structs.asdict(one)) for one in stretch.keyframes]
    chunk = Chunk(steps, keyframes, stretch.broken, finished=stretch.finished)
    with storing(branch):
        store_steps(branch, chunk, list(takewhile(lambda one: one["after"] < reached, further)))
