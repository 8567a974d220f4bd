"""Compares two runs step by step, from the beginning. Does not import Django, because scenarios that users
wrote run in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario, Scenario
from engine.scenario.schedule import rescheduled
from engine.simulation import Simulation
from engine.view.alongside import ALIGNED_MOST, Followed, alongside, decides, verdict
from eosviz.bounded import refusing as bounded
from eosviz.walkthroughs.asked_run import AskedRun


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The two runs to compare."""

    left: AskedRun
    right: AskedRun


def answer(question: bytes, folder: Path) -> bytes:
    """The function that the bounded process calls. `question`: `Asked` as JSON. Returns `Alongside` as
    JSON."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """Returns `Alongside` as JSON. Raises bounded.Refused if this engine refuses one of the runs or fails
    while it makes one."""
    try:
        left, right = asked.left.scenario(), asked.right.scenario()
        runs = _followed(left, asked.left), _followed(right, asked.right)
        found = alongside(*runs)
        if asked.left.source == asked.right.source:
            if (apart := decides(*runs)) is not None:
                found["decides"] = apart
            if said := verdict(*runs):
                found["verdict"] = said
            found["rescheduled"] = rescheduled(left.document, right.document)
        return msgspec.json.encode(found)
    except (Refused, BadScenario, EngineError) as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None


def _followed(scenario: Scenario, asked: AskedRun) -> Followed:
    simulation = Simulation(scenario, asked.interventions())
    run = Followed(simulation.view())
    while simulation.number < ALIGNED_MOST and (step := simulation.step()) is not None:
        run.take(step.to_json())
    return run
