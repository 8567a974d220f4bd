"""Finds the questions of a run. Does not import Django, because the run of a user's scenario is made in a
bounded process (`eosviz/bounded`) if it takes longer than a moment."""

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
    """The questions could not be found within the time limit."""


def found(asked: AskedRun, seconds_max: float = math.inf) -> list[Question]:
    """Finds the questions in this process. Empty if the engine refuses the run. Raises TakesLong after
    `seconds_max` seconds of processor time."""
    until = time.thread_time() + seconds_max

    def check() -> None:
        if time.thread_time() > until:
            raise TakesLong

    try:
        made = questions(asked.scenario(), asked.interventions(), check)
        return [question.to_json() for question in made]
    except Refused:
        return []


def answer(question: bytes, folder: Path) -> bytes:
    """The function of the bounded process. `question`: an `AskedRun` as JSON. Returns the questions as
    JSON."""
    return msgspec.json.encode(found(msgspec.json.decode(question, type=AskedRun)))
