"""The questions of a run. Does not import Django: a user's scenario that takes longer than a moment runs in a
bounded process (`eosviz/bounded`)."""

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
    """The questions were not found within the time limit."""


def found(asked: AskedRun, seconds_max: float = math.inf) -> list[Question]:
    """The questions, found in this process; none if this engine refuses the run. Raises TakesLong after
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
    """The task of the process: takes `AskedRun` and returns the questions, both as JSON."""
    return msgspec.json.encode(found(msgspec.json.decode(question, type=AskedRun)))
