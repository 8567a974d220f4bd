"""Makes the step after the newest one before the page asks for it.

The next step is sent to the page that just stepped, so that the page can draw it at once, however far away
the server is. The step made ahead is not part of the session until a command stores it. If an intervention or
another process makes a different step, the step made ahead is discarded. If the message is lost, the page
waits for its step as usual. The page's socket keeps the step and can store it without a worker
(`kept_ahead.py`).
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
"""In a branch with more steps than this, none is made ahead. Making a step ahead moves the simulation one
step past the branch, so a question about the newest step needs another simulation, which takes too long to
make in a long branch."""


def look_ahead(session_id: uuid.UUID, branch_id: int, page: str) -> None:
    """Make the step after the newest one, and send it to the socket with the channel name `page`. Called
    after a command of this page."""
    with recent.of(branch_id) as slot:
        branch = slot.held_branch(session_id)
        if branch is not None:
            _send(slot, branch, page)


def go_on_ahead(session_id: uuid.UUID, branch_id: int, number: int, page: str) -> None:
    """The page's socket has stored step `number`, which was made ahead: make the next one ahead and send it.
    Raises Problem if the branch was deleted."""
    with recent.of(branch_id) as slot:
        slot.was_stored(number)
        branch = slot.held_branch(session_id)
        if branch is None or branch.newest != number:
            branch = branch_of(session_id, str(branch_id))
        # If another process has made a step since, the page gets none from here.
        if branch.newest == number:
            _send(slot, branch, page)


def _send(slot: Slot, branch: Branch, page: str) -> None:
    step = _step_after(slot, branch)
    if step is not None:
        send_to_page(page, ahead_event(branch.id, step, _may_be_stored(slot)))


def _may_be_stored(slot: Slot) -> bool:
    """True if the page's socket may store the step made ahead: no keyframe and no broken guarantee come with
    it, and the slot's budget has room. The step is then taken from the budget."""
    made = slot.ahead
    if made is None or made.keyframes or made.broken or slot.budget <= 0:
        return False
    slot.budget -= 1
    return True


def answer_ahead(session_id: uuid.UUID, asked: AskAhead) -> Ahead:
    """The answer to an `ahead` message: the step after `after`. The `step` of the answer is None if `after`
    is not the newest step of the branch, or if no step can be made ahead."""
    with recent.of(int(asked.branch)) as slot:
        branch = branch_of(session_id, asked.branch)
        step = _step_after(slot, branch) if branch.newest == asked.after else None
    body = None if step is None else msgspec.Raw(sent(step))
    return Ahead(re=str(asked.id), branch=asked.branch, after=asked.after, step=body)


def _step_after(slot: Slot, branch: Branch) -> Step | None:
    """Makes the step after the newest one and keeps it for the next command. None if the run has ended, the
    branch is too long, or the engine failed or makes other steps than the stored ones."""
    if branch.newest > STEPS_MAX or branch.finished is not None:
        return None
    try:
        simulation, made = slot.going_on(branch)
        slot.ahead = made or next_steps(simulation, branch, one_step(branch.newest))
    except (EngineError, Diverged) as error:
        # The command that asks for this step fails in the same way and reports it to the page.
        logger.warning("session %s: nothing was made ahead: %r", branch.session_id, error)
        slot.forget()
        return None
    return slot.ahead.steps[0] if slot.ahead.steps else None
