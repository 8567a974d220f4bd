"""Compares two runs step by step, from the beginning. Does not import Django, because scenarios that users
wrote run in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.application import Application
from engine.scenario.document import BadScenario
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
        both = [
            Simulation(scenario, one.interventions())
            for scenario, one in ((left, asked.left), (right, asked.right))
        ]
        runs = _followed(both[0]), _followed(both[1])
        found = alongside(*runs)
        if asked.left.source == asked.right.source:
            found["rescheduled"] = rescheduled(left.document, right.document)
            if _same_names(*(one.world.applications.values() for one in both)):
                if (apart := decides(*runs)) is not None:
                    found["decides"] = apart
                if said := verdict(*runs):
                    found["verdict"] = said
        return msgspec.json.encode(found)
    except (Refused, BadScenario, EngineError) as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None


def _same_names(left: Iterable[Application], right: Iterable[Application]) -> bool:
    """Whether each record that the scripts of both runs send has the same serial in both. A variant with further
    records may give another serial to a record; what two leaders decide about one serial is then not compared."""
    ours, theirs = _records_of(left), _records_of(right)
    return all(theirs.get(send, serial) == serial for send, serial in ours.items())


def _records_of(applications: Iterable[Application]) -> dict[tuple[str, int], int]:
    """Dict of (client, number of its ``send()``) → the serial of the record."""
    sent = Counter[str]()
    found: dict[tuple[str, int], int] = {}
    for application in applications:
        for serial in application.serials.values():
            sent[application.client] += 1
            found[application.client, sent[application.client]] = serial
    return found


def _followed(simulation: Simulation) -> Followed:
    run = Followed(simulation.view())
    while simulation.number < ALIGNED_MOST and (step := simulation.step()) is not None:
        run.take(step.to_json())
    return run
