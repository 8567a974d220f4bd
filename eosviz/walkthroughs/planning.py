"""The plan of a session's run, from a run ahead. Knows nothing of Django: a stranger's scenario runs in a bounded
process (`eosviz/bounded`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario import BadScenario, load
from engine.view import plan_ahead
from eosviz.bounded import refusing as bounded


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """`done`: the line's interventions as branches store them. `before`: the plan that is extended. `most`: steps of
    the run ahead."""

    document: dict[str, Any]
    source: str
    variant: str | None
    done: list[dict[str, Any]]
    before: dict[str, Any] | None
    most: int


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: `Asked` as JSON in, the plan out."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """Within this process. Raises bounded.Refused: this engine does not run it."""
    done = [{**one["intervention"], "after": one["after"]} for one in asked.done]
    try:
        scenario = load(asked.document, asked.variant, source=asked.source)
        return msgspec.json.encode(plan_ahead(scenario, done, asked.before, asked.most))
    except (Refused, BadScenario, EngineError) as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None
