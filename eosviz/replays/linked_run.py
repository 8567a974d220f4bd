"""A link's run, made into a player file or a picture. Knows nothing of Django: a stranger's scenario runs in a bounded
process (`eosviz/bounded`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario import BadScenario
from engine.simulation import Simulation
from eosviz.bounded import refusing as bounded
from eosviz.replays import player_file
from eosviz.replays.derived_told import derived_of
from eosviz.replays.plans_told import plan_of
from eosviz.replays.transactions_told import lines_of
from eosviz.walkthroughs.asked_run import AskedRun

STEPS_MAX = 5_000
"""Of a run in a frame; where a longer one stops, the player says that it is a recording."""


class Asked(AskedRun, kw_only=True):
    """`kind`: `player` or `card`. `identity`: what the player file is called."""

    kind: str
    identity: str
    step: int


def answer(question: bytes, folder: Path) -> bytes:
    """The task of the process: `Asked` as JSON in, the file out."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """Within this process. Raises bounded.Refused, whose key is that of a Problem without its beginning."""
    return _MAKERS[asked.kind](_simulation(asked), asked)


def _simulation(asked: Asked) -> Simulation:
    """At 0."""
    try:
        return Simulation(asked.scenario(), asked.interventions())
    except Refused as refused:
        raise _refusal(refused, 0) from None
    except BadScenario as bad:
        raise bounded.Refused("bad_scenario", {"place": bad.place, **bad.told}) from None


def _refusal(refused: Refused, step: int) -> bounded.Refused:
    told = {"step": step, "rule": refused.rule, "place": refused.place, **refused.told}
    return bounded.Refused("link_refused", told)


def run_to(simulation: Simulation, number: int) -> list[msgspec.Raw]:
    """The steps up to `number`, or to the run's end. Raises bounded.Refused."""
    steps: list[msgspec.Raw] = []
    try:
        while simulation.number < number and (step := simulation.step()) is not None:
            steps.append(msgspec.Raw(msgspec.json.encode(step.to_json())))
    except Refused as refused:
        raise _refusal(refused, simulation.number) from None
    except EngineError as error:
        raise bounded.Refused("engine_broke", {"reason": str(error)}) from None
    return steps


def _player_file(simulation: Simulation, asked: Asked) -> bytes:
    header, view = simulation.header(), simulation.view()
    view_at_start = msgspec.Raw(msgspec.json.encode(view))
    steps = run_to(simulation, STEPS_MAX)
    branch = {
        "id": "1",
        "name": "a",
        "parent": None,
        "leaves_at": 0,
        "newest": len(steps),
        "finished": simulation.finished,
        "interventions": asked.done,
        "first_broken": _first_broken(steps),
    }
    fields = {
        "v": 1,
        "kind": "replay",
        "session": {
            "id": asked.identity,
            "title": header["title"],
            "scenario": header["scenario"],
            "variant": header["variant"],
        },
        "header": header,
        "verified": None,
        "branches": [branch],
        "view": view_at_start,
        "transactions": {"1": lines_of(view_at_start, steps)},
        "plans": {"1": plan_of(header, view, map(msgspec.json.decode, steps))},
        "derived": {"1": derived_of(view, map(msgspec.json.decode, steps))},
    }
    return player_file.pack(fields, player_file.pack_steps({"1": steps}))


class _Broken(msgspec.Struct):
    guarantee: str


class _Step(msgspec.Struct):
    number: int
    broken: list[_Broken] = []


def _first_broken(steps: list[msgspec.Raw]) -> dict[str, int]:
    """Guarantee to the first step that broke it."""
    found: dict[str, int] = {}
    for body in steps:
        step = msgspec.json.decode(body, type=_Step)
        for broken in step.broken:
            found.setdefault(broken.guarantee, step.number)
    return found


def _card(simulation: Simulation, asked: Asked) -> bytes:
    from eosviz.replays.card_picture import draw_card  # only a card needs a library that draws

    run_to(simulation, asked.step)
    return draw_card(simulation.header(), simulation.view(), simulation.number)


_MAKERS: dict[str, Callable[[Simulation, Asked], bytes]] = {"player": _player_file, "card": _card}
