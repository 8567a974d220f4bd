"""Makes a run without interventions and finds which guarantees it breaks. Does not import Django, because
this code also runs in bounded processes (`eosviz/bounded`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The question: which scenario is to be run. `source`: the name of the document for the message of a
    refusal."""

    document: dict[str, Any]
    source: str
    variant: str | None = None


class Found(msgspec.Struct, frozen=True):
    """The answer. `broken`: guarantee → the first step that breaks it; None if the engine refuses the
    scenario. `guarantees`: those that the engine judges in this run."""

    broken: dict[str, int] | None
    guarantees: tuple[str, ...] = ()
    failed: int = 0
    """The number of records that the run reports as failed and does not store."""


def run_alone(asked: Asked) -> Found:
    """Make the run in this process, until it ends or reaches the scenario's own limits."""
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
    failed = sum(record.failed for record in simulation.judges.records.values())
    return Found(broken, tuple(name for name, row in judged.items() if row.judged), failed)


def answer(question: bytes, folder: Path) -> bytes:
    """The function of the bounded process. `question`: an `Asked` as JSON. Returns a `Found` as JSON."""
    return msgspec.json.encode(run_alone(msgspec.json.decode(question, type=Asked)))
