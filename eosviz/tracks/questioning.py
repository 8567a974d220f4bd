"""The questions of a run, from the run itself. Knows nothing of Django: a stranger's scenario that takes longer than a
moment runs in a bounded process (`eosviz/bounded`).
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import msgspec

from engine.errors import Refused
from engine.predict.finding import questions
from engine.shapes.questions import Question
from eosviz.walkthroughs.asked_run import AskedRun


class TakesLong(Exception):
    """The search was given less time than it takes."""


def found(asked: AskedRun, seconds_max: float = math.inf) -> list[Question]:
    """Within this process. Raises TakesLong after so many seconds of the processor."""
    until = time.thread_time() + seconds_max

    def check() -> None:
        if time.thread_time() > until:
            raise TakesLong

    try:
        made = questions(asked.scenario(), asked.interventions(), check)
        return [question.to_json() for question in made]
    except Refused:
        # An intervention that this engine no longer takes: the run cannot be made again, so nothing is asked.
        return []


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: `AskedRun` in, the questions out, both as JSON."""
    return msgspec.json.encode(found(msgspec.json.decode(question, type=AskedRun)))
