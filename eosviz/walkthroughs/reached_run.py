"""Makes the steps of a link's run, in stretches that are stored one after the other. Does not import Django,
because scenarios that users wrote run in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario
from engine.simulation import Simulation
from engine.view import near_views
from engine.view.following import following
from eosviz.bounded import refusing as bounded
from eosviz.walkthroughs.asked_run import AskedRun
from eosviz.walkthroughs.made_steps import (
    KEYFRAME_EVERY,
    STEPS_PER_TRANSACTION,
    MadeKeyframe,
    MadeStep,
    made_keyframe,
    made_step,
)


class Asked(AskedRun):
    """The run that is asked for. `steps`: how many steps to make, if the run does not end earlier."""

    steps: int


class Stretch(msgspec.Struct):
    """Some consecutive steps of the run. `finished`: how the run ended, if it ended in this stretch."""

    steps: list[MadeStep] = []
    keyframes: list[MadeKeyframe] = []
    broken: dict[str, int] = {}
    finished: str | None = None


def stretches(asked: Asked) -> Iterator[Stretch]:
    """Yields the stretches of the run, which are made in this process. Raises bounded.Refused; its key is the
    key of a Problem without the prefix."""
    number = 0
    try:
        simulation = Simulation(asked.scenario(), asked.interventions())
        times: list[int] = []
        while simulation.number < asked.steps:
            stretch = Stretch()
            most = min(asked.steps - simulation.number, STEPS_PER_TRANSACTION)
            while len(stretch.steps) < most and _take(simulation, stretch, times):
                number = simulation.number
            yield stretch
            if stretch.finished is not None:
                return
    except Refused as refused:
        params = {"step": number, "rule": refused.rule, "place": refused.place, **refused.sentences}
        raise bounded.Refused("link_refused", params) from None
    except BadScenario as bad:
        raise bounded.Refused("bad_scenario", {"place": bad.place, **bad.sentences}) from None
    except EngineError as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None


def _take(simulation: Simulation, stretch: Stretch, times: list[int]) -> bool:
    """Makes one more step. Returns False if the run has ended. `times`: the virtual times of the steps so far
    (ms)."""
    derived = following(simulation)
    step = simulation.step()
    if step is None:
        stretch.finished = simulation.finished
        return False
    times.append(step.at)
    stretch.steps.append(made_step(step, derived))
    for broken in step.broken:
        stretch.broken.setdefault(broken["guarantee"], step.number)
    if step.number % KEYFRAME_EVERY == 0:
        stretch.keyframes.append(made_keyframe(simulation, times[step.number - near_views.REACH - 1]))
    return True


def answer(question: bytes, folder: Path) -> bytes:
    """The function that the bounded process calls. `question`: `Asked` as JSON. Writes each stretch to a file
    in `folder`, and returns the number of files as decimal digits."""
    count = 0
    for stretch in stretches(msgspec.json.decode(question, type=Asked)):
        count += 1
        _file(folder, count).write_bytes(msgspec.msgpack.encode(stretch))
    return str(count).encode()


def written(count: bytes, folder: Path) -> Iterator[Stretch]:
    """Reads the files that `answer` wrote."""
    for number in range(1, int(count) + 1):
        yield msgspec.msgpack.decode(_file(folder, number).read_bytes(), type=Stretch)


def _file(folder: Path, number: int) -> Path:
    return folder / f"stretch-{number}"
