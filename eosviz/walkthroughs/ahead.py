"""The step after the newest one, made before anybody asks for it.

Whoever steps has the next step in their page when they ask for it, and sees it at once, however far away the server
is. It is no step of the session until the command that asks for it has stored it: what is done to the run, or by
another process, before that makes another step, and this one is forgotten. It goes to the one page that stepped
or asked, and a page that it never reaches waits for its step as before. The socket of a page that stepped keeps it and
stores it by itself (`kept_ahead.py`).
"""

from __future__ import annotations

import logging
import uuid

import msgspec

from engine.errors import EngineError
from eosviz.groups import send_to_page
from eosviz.walkthroughs.deriving import sent
from eosviz.walkthroughs.kept_ahead import ahead_event
from eosviz.walkthroughs.messages import Ahead, AskAhead
from eosviz.walkthroughs.models import Branch, Step
from eosviz.walkthroughs.questions import branch_of
from eosviz.walkthroughs.simulations import Diverged, Slot, recent
from eosviz.walkthroughs.walking import next_steps, one_step

logger = logging.getLogger(__name__)

STEPS_MAX = 2_000
"""The newest step up to which this is done: whoever asks something about that step then meets a run that is one ahead
of it, and another has to be made up to there."""


def look_ahead(session_id: uuid.UUID, branch_id: int, page: str) -> None:
    """Where a command has just made the newest step: make the one after it, and send it to the page with this channel
    name.
    """
    with recent.of(branch_id) as slot:
        branch = slot.held_branch(session_id)
        if branch is not None:
            _tell(slot, branch, page)


def go_on_ahead(session_id: uuid.UUID, branch_id: int, number: int, page: str) -> None:
    """The same where the page's socket has just stored this step, which was made ahead. Raises Problem where the branch
    is gone.
    """
    with recent.of(branch_id) as slot:
        slot.was_stored(number)
        branch = slot.held_branch(session_id)
        if branch is None or branch.newest != number:
            branch = branch_of(session_id, str(branch_id))
        # Whoever went on since tells their own page.
        if branch.newest == number:
            _tell(slot, branch, page)


def _tell(slot: Slot, branch: Branch, page: str) -> None:
    step = _step_after(slot, branch)
    if step is not None:
        send_to_page(page, ahead_event(branch.id, step, _may_be_stored(slot)))


def _may_be_stored(slot: Slot) -> bool:
    """Whether what was made ahead is one step and no more, and within what may be stored unasked."""
    made = slot.ahead
    if made is None or made.keyframes or made.broken or slot.budget <= 0:
        return False
    slot.budget -= 1
    return True


def told_ahead(session_id: uuid.UUID, asked: AskAhead) -> Ahead:
    """The same for who asks: the step after `after`, where that is the newest. Raises Problem."""
    with recent.of(int(asked.branch)) as slot:
        branch = branch_of(session_id, asked.branch)
        step = _step_after(slot, branch) if branch.newest == asked.after else None
    body = None if step is None else msgspec.Raw(sent(step))
    return Ahead(re=str(asked.id), branch=asked.branch, after=asked.after, step=body)


def _step_after(slot: Slot, branch: Branch) -> Step | None:
    """The step after the newest, kept for the command that will ask for it; None where none follows or the branch is
    too long.
    """
    if branch.newest > STEPS_MAX or branch.finished is not None:
        return None
    try:
        simulation, made = slot.going_on(branch)
        slot.ahead = made or next_steps(simulation, branch, one_step(branch.newest))
    except (EngineError, Diverged) as error:
        # Whoever asks for this step to be made is told, and then it is logged whole.
        logger.warning("session %s: nothing was made ahead: %r", branch.session_id, error)
        slot.forget()
        return None
    return slot.ahead.steps[0] if slot.ahead.steps else None
