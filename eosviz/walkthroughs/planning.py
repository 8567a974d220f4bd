"""Makes the plan of a session's run by running it ahead. Does not import Django: scenarios that users wrote
run in a bounded process (`eosviz/bounded`)."""

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
    """The plan that is asked for. `before`: the plan to extend, of the run with the first `before_done`
    interventions. `most`: how many steps to run at most."""

    before: dict[str, Any] | None
    most: int
    before_done: int = 0


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the bounded process: takes `Asked` as JSON, returns the plan as JSON."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """The plan as JSON, made in this process. Raises bounded.Refused if this engine refuses one of the runs
    or fails in it."""
    try:
        scenario, done, before = asked.scenario(), list(asked.interventions()), asked.before
        if before is None and done:
            # The plan of the run without interventions comes first, because the plan of a run with
            # interventions is compared with it.
            before = cast("dict[str, Any]", plan_ahead(scenario, (), None, asked.most))
        # The run of the earlier plan and this run are the same up to the first intervention that the earlier plan
        # does not include.
        first = done[min(asked.before_done, len(done) - 1)]["after"] if done else None
        plan = plan_ahead(scenario, done, before, asked.most, first)
        return msgspec.json.encode(plan)
    except (Refused, BadScenario, EngineError) as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None
