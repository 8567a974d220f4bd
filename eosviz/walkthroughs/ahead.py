"""Makes steps after the newest one before the page asks for them.

The next step is sent to the page that has just made a step, so that the page can show it without waiting for
the server. A step made ahead becomes a part of the session only when a command stores it. If an intervention
or another process makes a different step, the steps made ahead are discarded. If the message with the step is
lost, the page waits for its step as usual. The page's socket keeps the steps, sends them to the page one by
one, and can store them without a worker (`kept_ahead.py`).
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
from eosviz.walkthroughs.models import Branch
from eosviz.walkthroughs.questions import branch_of
from eosviz.walkthroughs.simulations import Diverged, Slot, recent
from eosviz.walkthroughs.walking import Chunk, next_steps, steps_after

logger = logging.getLogger(__name__)

STEPS_MAX = 2_000
"""In a branch with more steps than this, no step is made ahead. After making one, the simulation is one step
beyond the branch, so a question about the newest step needs another simulation, and making that takes too
long in a long branch."""
STEPS_AT_ONCE = 2
"""When a socket has stored all steps that it had, this many are made ahead. So a worker has a task only at
every second click. With a larger number, a click could cost more than two steps of the engine
(`engine_steps.py`)."""


def look_ahead(session_id: uuid.UUID, branch_id: int, page: str) -> None:
    """Make the step after the newest one, and send it to the socket whose channel is named `page`. Called
    after a command of this socket's page."""
    with recent.of(branch_id) as slot:
        branch = slot.held_branch(session_id)
        if branch is not None:
            _send(slot, branch, page, 1)


def go_on_ahead(session_id: uuid.UUID, branch_id: int, first: int, last: int, page: str) -> None:
    """Make further steps ahead and send them to the page's socket, which has stored the steps from `first` to
    `last`. Raises Problem if the branch was deleted."""
    with recent.of(branch_id) as slot:
        slot.were_stored(first, last)
        branch = slot.held_branch(session_id)
        if branch is None or branch.newest != last:
            branch = branch_of(session_id, str(branch_id))
        # If another process has made a step since then, no steps are sent.
        if branch.newest == last:
            _send(slot, branch, page, STEPS_AT_ONCE)


def _send(slot: Slot, branch: Branch, page: str, count: int) -> None:
    made = _made_ahead(slot, branch, count)
    if made is not None and made.steps:
        send_to_page(page, ahead_event(branch.id, made.steps, _storable(slot, made)))


def _storable(slot: Slot, made: Chunk) -> int:
    """How many of the steps made ahead, from the first on, the page's socket may store. They are subtracted
    from the slot's budget."""
    others = [keyframe.number for keyframe in made.keyframes] + list(made.broken.values())
    before = min(others, default=made.steps[-1].number + 1)
    count = min(before - made.steps[0].number, slot.budget)
    slot.budget -= count
    return count


def answer_ahead(session_id: uuid.UUID, asked: AskAhead) -> Ahead:
    """The answer to a message `ahead`: the step after `after`, or None if it cannot be made ahead."""
    with recent.of(int(asked.branch)) as slot:
        branch = branch_of(session_id, asked.branch)
        made = _made_ahead(slot, branch, 1) if branch.newest == asked.after else None
    body = msgspec.Raw(sent(made.steps[0])) if made is not None and made.steps else None
    return Ahead(re=str(asked.id), branch=asked.branch, after=asked.after, step=body)


def _made_ahead(slot: Slot, branch: Branch, count: int) -> Chunk | None:
    """The steps after the newest one: at least `count`, unless the run ends before. They stay in the slot for
    the next command. If the run ends at the newest step, the chunk has no steps. None if no step can be made
    ahead."""
    if branch.newest > STEPS_MAX or branch.finished is not None:
        return None
    try:
        simulation, made = slot.going_on(branch)
        slot.ahead = made
        if made is None or (len(made.steps) < count and made.finished is None):
            slot.ahead = next_steps(simulation, branch, steps_after(branch.newest, count), made)
    except (EngineError, Diverged) as error:
        # The command that asks for this step will fail in the same way, and its answer says why.
        logger.warning("session %s: nothing was made ahead: %r", branch.session_id, error)
        slot.forget()
        return None
    return slot.ahead
