"""The step after the newest one, made before anybody asks for it.

Whoever steps has the next step in their page when they ask for it, and sees it at once, however far away the server
is. It is no step of the session until the command that asks for it has stored it: what is done to the run, or by
another process, before that makes another step, and this one is forgotten. It goes to the one page that asked, and a
page that it never reaches waits for its step as before.
"""

from __future__ import annotations

import logging
import uuid

import msgspec

from engine.errors import EngineError
from eosviz.walkthroughs.messages import Ahead, encode
from eosviz.walkthroughs.simulations import recent
from eosviz.walkthroughs.streaming import send_to_page
from eosviz.walkthroughs.walking import Chunk, next_steps, one_step

logger = logging.getLogger(__name__)

STEPS_MAX = 2_000
"""The newest step up to which this is done: whoever asks something about that step then meets a run that is one ahead
of it, and another has to be made up to there."""


def look_ahead(session_id: uuid.UUID, branch_id: int, page: str) -> None:
    """Make the step after the newest that this process holds, keep it for the command that will ask for it, and send it
    to the page with this channel name. Nothing is stored.
    """
    try:
        with recent.of(branch_id) as slot:
            branch = slot.held_branch(session_id)
            simulation = slot.simulation
            if branch is None or simulation is None or branch.newest > STEPS_MAX:
                return
            if slot.ahead is None and simulation.number == branch.newest:
                slot.ahead = next_steps(simulation, branch, one_step(branch.newest))
            made: Chunk | None = slot.ahead
    except EngineError:
        # Whoever asks for this step is told the same.
        logger.exception("session %s: nothing was made ahead", session_id)
        return
    if made is not None and made.steps:
        step = made.steps[0]
        told = Ahead(branch=str(branch.id), after=step.number - 1, step=msgspec.Raw(bytes(step.body)))
        send_to_page(page, {"type": "session.ahead", "frame": encode(told).decode()})
