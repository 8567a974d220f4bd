"""Opening an address of `links.py`: the visitor's own session, run again to the step that it names."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.db import transaction

from engine.errors import EngineError, Refused
from eosviz.walkthroughs.actions import check_quota, create_session
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import scenario_of, simulate
from eosviz.walkthroughs.walking import Goal, next_steps, store_steps

logger = logging.getLogger(__name__)

LINK_STEPS_MAX = 20_000
"""A few seconds of the engine's time: as long as a visitor waits for a page."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session made from a link."""

    branch: Branch
    step: int
    as_linked: bool
    """False when the scenario has changed since, or its run ended before the step that was linked."""


def open_link(browser: str, link: Link) -> Opened:
    """Make the session. Raises Problem; then nothing is left of it."""
    check_length(link)
    check_quota(browser, "steps", link.steps_needed)
    version, is_named = version_of(link)
    session = create_session(browser, version, link.variant)
    branch = Branch.objects.of_session(session.id)[0]
    try:
        _run_again(session, branch, link)
    except Problem:
        session.delete()
        raise
    return Opened(branch, min(link.step, branch.newest), is_named and branch.newest >= link.steps_needed)


def check_length(link: Link) -> None:
    """Raises Problem when the run would take longer than a page may."""
    if link.steps_needed > LINK_STEPS_MAX:
        raise Problem("limit", "link_too_far", most=LINK_STEPS_MAX)


def _run_again(session: Session, branch: Branch, link: Link) -> None:
    """Each piece is stored with the interventions that had been made by then, so a session whose making is
    cut short is one like any other.
    """
    goal = Goal("count", 0, link.steps_needed, "count")
    if not link.steps_needed:
        return
    try:
        simulation = simulate(scenario_of(session.version, session.variant), link.done)
        stopped = None
        while stopped is None:
            chunk = next_steps(simulation, branch, goal)
            reached = branch.newest + len(chunk.steps)
            made = [one for one in link.done if one["after"] < reached]
            with transaction.atomic():
                store_steps(branch, chunk, interventions=made)
            stopped = chunk.stopped
    except Refused as refused:
        raise Problem(
            "refused",
            "link_refused",
            step=branch.newest,
            rule=refused.rule,
            place=refused.place,
            **refused.told,
        ) from None
    except EngineError as error:
        logger.exception("link to %s", link.scenario)
        raise Problem("refused", "engine_broke", reason=str(error)) from None
