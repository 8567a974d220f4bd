"""The questions of a run, from the run itself. Knows nothing of Django: a stranger's scenario that takes longer than a
moment runs in a bounded process (`eosviz/bounded`).
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import Refused
from engine.predict import questions
from engine.scenario import load


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """`source`: the name of the document in a refusal. `done`: the line's interventions as branches store them."""

    document: dict[str, Any]
    source: str
    variant: str | None
    done: list[dict[str, Any]]


class TakesLong(Exception):
    """The search was given less time than it takes."""


def found(asked: Asked, seconds_max: float = math.inf) -> list[dict[str, Any]]:
    """Within this process. Raises TakesLong after so many seconds of the processor."""
    until = time.thread_time() + seconds_max

    def check() -> None:
        if time.thread_time() > until:
            raise TakesLong

    done = [{**one["intervention"], "after": one["after"]} for one in asked.done]
    try:
        scenario = load(asked.document, asked.variant, source=asked.source)
        return [question.to_json() for question in questions(scenario, done, check)]
    except Refused:
        # An intervention that this engine no longer takes: the run cannot be made again, so nothing is asked.
        return []


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: `Asked` in, the questions out, both as JSON."""
    return msgspec.json.encode(found(msgspec.json.decode(question, type=Asked)))
