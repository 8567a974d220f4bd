"""Finds which guarantees a run without interventions breaks. Does not import Django, because a run that a
user wrote, or whose settings a user chose, is made in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The run that is asked for. `source`: the name of the document in a refusal."""

    document: dict[str, Any]
    source: str
    variant: str | None = None


class Found(msgspec.Struct, frozen=True):
    """The result. `broken`: guarantee → the first step that breaks it. None if no run can be made. `guarantees`: every
    guarantee that the engine's judges know in this run; those of a database or a middleware are missing without one."""

    broken: dict[str, int] | None
    guarantees: tuple[str, ...] = ()


def run_alone(asked: Asked) -> Found:
    """Make the run in this process. The scenario's own limits end it."""
    from engine.errors import Refused
    from engine.scenario.document import BadScenario, load
    from engine.simulation import Simulation

    try:
        scenario = load(asked.document, asked.variant, source=asked.source)
        simulation = Simulation(scenario, watching="judged")
    except (BadScenario, Refused):
        return Found(None)
    while simulation.step() is not None:
        pass
    judged = simulation.judges.guarantees
    broken = {name: row.broken_at for name, row in judged.items() if row.broken_at is not None}
    return Found(broken, tuple(judged))


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: takes `Asked` and returns `Found`, both as JSON."""
    return msgspec.json.encode(run_alone(msgspec.json.decode(question, type=Asked)))
