"""Makes a player file or a picture of a link's run. Does not import Django, because scenarios that users
wrote run in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario
from engine.simulation import Simulation
from engine.transaction_lines import TransactionLines
from engine.view.places import Places
from engine.view.plan import RunPlan
from eosviz.bounded import refusing as bounded
from eosviz.replays import branch_derived, player_file
from eosviz.walkthroughs.asked_run import FRAME_STEPS_MAX, AskedRun
from eosviz.walkthroughs.branch_names import Run, letters_at, names_of


class Asked(AskedRun, kw_only=True):
    """The question: which file is wanted. `kind`: `player` or `card`. `identity`: the id in the player file.
    `step`: the step at which it opens, or that the picture shows."""

    kind: str
    identity: str
    step: int


def answer(question: bytes, folder: Path) -> bytes:
    """The function of the bounded process. `question`: an `Asked` as JSON. Returns the file."""
    return made(msgspec.json.decode(question, type=Asked))


def made(asked: Asked) -> bytes:
    """Makes the file in this process. Raises bounded.Refused with the key of a Problem, without its
    prefix."""
    return _MAKERS[asked.kind](_simulation(asked), asked)


def _simulation(asked: Asked) -> Simulation:
    """The simulation of the run before its first step. Raises bounded.Refused."""
    try:
        return Simulation(asked.scenario(), asked.interventions())
    except Refused as refused:
        raise _refusal(refused, 0) from None
    except BadScenario as bad:
        raise bounded.Refused("bad_scenario", {"place": bad.place, **bad.sentences}) from None


def _refusal(refused: Refused, step: int) -> bounded.Refused:
    params = {"step": step, "rule": refused.rule, "place": refused.place, **refused.sentences}
    return bounded.Refused("link_refused", params)


def run_to(simulation: Simulation, number: int) -> list[msgspec.Raw]:
    """The steps from the simulation's next one up to the number `number`, or to the end of the run. Raises
    bounded.Refused."""
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
    steps = run_to(simulation, FRAME_STEPS_MAX)
    derived, plan = branch_derived.begun(view), RunPlan(header, view)
    transactions = TransactionLines(msgspec.json.decode(view_at_start))
    first_broken: dict[str, int] = {}
    for body in steps:
        step = msgspec.json.decode(body)
        for fold in (derived, plan, transactions):
            fold.take(step)
        for broken in step["broken"]:
            first_broken.setdefault(broken["guarantee"], step["number"])
    run = Run("1", letters_at(0), bool(asked.done))
    branch = {
        "id": run.id,
        "name": run.name,
        "said": names_of([run])[run.id],
        "parent": None,
        "leaves_at": 0,
        "newest": len(steps),
        "finished": simulation.finished,
        "interventions": asked.done,
        "first_broken": first_broken,
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
        "transactions": {"1": transactions.to_json()},
        "plans": {"1": plan.to_json(done=asked.done)},
        "derived": {"1": derived.to_json()},
    }
    return player_file.pack(fields, player_file.pack_steps({"1": steps}))


def _card(simulation: Simulation, asked: Asked) -> bytes:
    # imported here, because only the picture needs a drawing library
    from eosviz.replays.card_picture import draw_card

    places = Places(simulation.header(), simulation.view())
    for body in run_to(simulation, asked.step):
        places.take(msgspec.json.decode(body))
    return draw_card(simulation.header(), simulation.view(), simulation.number, places.hues)


_MAKERS: dict[str, Callable[[Simulation, Asked], bytes]] = {"player": _player_file, "card": _card}
