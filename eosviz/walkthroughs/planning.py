"""Makes the plan of a session's run: runs the scenario ahead. Does not import Django, because scenarios that
users wrote run in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario
from engine.view.run_ahead import plan_ahead
from eosviz.bounded import refusing as bounded
from eosviz.walkthroughs.asked_run import AskedRun


class Asked(AskedRun):
    """The plan that is asked for. `before`: the plan that is to be extended; it is the plan of the run with
    the first `before_done` interventions. `most`: run at most this many steps."""

    before: dict[str, Any] | None
    most: int
    before_done: int = 0


def answer(question: bytes, folder: Path) -> bytes:
    """The function that the bounded process calls. `question`: `Asked` as JSON. Returns the plan as JSON."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """Returns the plan as JSON; makes it in this process. Raises bounded.Refused if this engine refuses one
    of the runs or fails while it makes one."""
    try:
        scenario, done, before = asked.scenario(), list(asked.interventions()), asked.before
        if before is None and done:
            # The plan of the run without interventions is made first, because the plan of a run with
            # interventions is compared with it.
            before = cast("dict[str, Any]", plan_ahead(scenario, (), None, asked.most))
        # The run of the earlier plan and this run are the same up to the first intervention that the
        # earlier plan does not include.
        first = done[min(asked.before_done, len(done) - 1)]["after"] if done else None
        plan = plan_ahead(scenario, done, before, asked.most, first)
        return msgspec.json.encode(plan)
    except (Refused, BadScenario, EngineError) as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None
