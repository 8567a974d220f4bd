"""Which guarantees a run breaks when nothing is done to it, found in a bounded process (`eosviz/bounded`): its document
or its settings are a person's own, and may ask for anything.

What runs in the process knows the engine and nothing of Django.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """`source`: the name of the document in a refusal."""

    document: dict[str, Any]
    source: str
    variant: str | None = None


class Found(msgspec.Struct, frozen=True):
    """`broken`: guarantee to the first step that breaks it; None when no run can be made."""

    broken: dict[str, int] | None


def run_alone(asked: Asked) -> Found:
    """The run itself, within this process. It ends by its own limits."""
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
    judged = simulation.judges.guarantees.items()
    return Found({name: row.broken_at for name, row in judged if row.broken_at is not None})


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: `Asked` in, `Found` out, both as JSON."""
    return msgspec.json.encode(run_alone(msgspec.json.decode(question, type=Asked)))
