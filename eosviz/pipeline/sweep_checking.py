"""Checks a person's sweep: in this process if it takes only a moment, otherwise in a bounded process
(`eosviz/bounded`). The code that the bounded process runs does not import Django."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from engine.scenario.document import BadScenario
from engine.scenario.phrases import Phrase, Said
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.pipeline.bad_sweep import BadScenarioOfSweep, BadSweep
from eosviz.pipeline.sweep_checks import TakesLong, check_sweep
from eosviz.pipeline.sweep_document import SweepDocument, read_sweep

HERE_SECONDS_MAX = 0.5
"""After this many seconds of processor time, a check in this process is given up, and a bounded process makes
it from the beginning."""


class Mistake(msgspec.Struct):
    """A `BadSweep` as JSON. `sentences`: for a `BadScenarioOfSweep`, the sentences that say what is wrong and
    what is allowed; otherwise None."""

    place: str
    wrong: str
    allowed: str
    nearest: str
    params: dict[str, Any]
    sentences: tuple[Any, Any] | None = None


def checked_sweep(text: str, asks: Caller) -> SweepDocument:
    """Reads and checks a sweep. Raises BadSweep if it is wrong, Busy if it cannot be checked now, and
    BeyondBounds if checking it takes too much time or memory."""
    from eosviz.bounded import runner  # imports Django, which a bounded process must not do

    sweep = read_sweep(text)
    try:
        check_sweep(sweep, HERE_SECONDS_MAX)
    except TakesLong:
        found = msgspec.json.decode(runner.answer(TASKS["sweep"], text, asks), type=Mistake | None)
        if found is not None:
            raise _raised(found) from None
    return sweep


def answer(question: bytes, folder: Path) -> bytes:
    """The function of the bounded process. `question`: the text of the sweep as JSON. Returns the first
    `Mistake` or null, as JSON."""
    try:
        check_sweep(read_sweep(msgspec.json.decode(question, type=str)))
    except BadSweep as bad:
        return msgspec.json.encode(_mistake_of(bad))
    return msgspec.json.encode(None)


def _mistake_of(bad: BadSweep) -> Mistake:
    found = Mistake(bad.place, bad.wrong, bad.allowed, bad.nearest, bad.params)
    if isinstance(bad, BadScenarioOfSweep):
        found.sentences = (bad.bad.sentences["reason"], bad.bad.sentences["allowed"])
    return found


def _raised(found: Mistake) -> BadSweep:
    if found.sentences is not None:
        wrong, allowed = map(_phrase, found.sentences)
        return BadScenarioOfSweep(BadScenario(found.place, wrong, allowed), found.nearest)
    names = (found.wrong.rpartition(".")[2], found.allowed.rpartition(".")[2])
    return BadSweep(found.place, *names, nearest=found.nearest, **found.params)


def _phrase(written: Any) -> Said:
    return Phrase(written["key"], written["params"]) if isinstance(written, dict) else str(written)
