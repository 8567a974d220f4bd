"""Turns the interventions of a session into a fault script. This is done in a bounded process
(`eosviz/bounded`), because the run is made again and may be as long as a session. Does not import Django."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario
from engine.scenario.script import script_of
from eosviz.bounded import refusing as bounded
from eosviz.walkthroughs.asked_run import AskedRun


class Scripted(msgspec.Struct):
    """The result. `scenario`: the document with the values of its variant. `left_out`: the number of
    interventions that no rule can express."""

    scenario: dict[str, Any]
    rules: list[dict[str, Any]]
    left_out: int


def answer(question: bytes, folder: Path) -> bytes:
    """The function that the bounded process calls. `question`: `AskedRun` as JSON. Returns `Scripted` as
    JSON. Raises bounded.Refused if this engine refuses the run or fails while it makes it."""
    asked = msgspec.json.decode(question, type=AskedRun)
    try:
        scenario = asked.scenario()
        script = script_of(scenario, asked.interventions())
    except Refused as refused:
        raise bounded.Refused("cannot_replay", {"rule": refused.rule}) from None
    except (BadScenario, EngineError) as error:
        raise bounded.Refused("cannot_replay", {"rule": str(error)}) from None
    return msgspec.json.encode(Scripted(scenario.source, script.rules, len(script.left_out)))
