"""Run a scenario and find the steps before which its checkpoints stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.predict.facts import Asked, Step, delivered, message_id, records_arriving
from engine.predict.kinds import KINDS
from engine.profile import Profile
from engine.scenario.document import Scenario
from engine.shapes.questions import Question as QuestionJson
from engine.simulation import Simulation
from engine.view.level import level_in_force

STEPS_MAX = 3000
"""At most this many steps of a run are searched for checkpoints."""


@dataclass(frozen=True, slots=True)
class Question:
    """A checkpoint that a run reaches. ``checkpoint``: its index in the document, from 0. ``at``: the step at
    which the run stops; the next step gives the answer. ``message``: id of the message that the next step delivers."""

    checkpoint: int
    ask: str
    at: int
    message: int | None
    asked: Asked

    def to_json(self) -> QuestionJson:
        asked = self.asked
        return {
            "checkpoint": self.checkpoint,
            "ask": self.ask,
            "at": self.at,
            "message": self.message,
            "key": asked.key,
            "params": asked.params,
            "choices": [choice.to_json() for choice in asked.choices],
            "right": asked.right,
            "reasons": {name: [one.to_json() for one in why] for name, why in asked.reasons.items()},
        }


def _go_on() -> None:
    pass


def questions(
    scenario: Scenario,
    interventions: Iterable[dict[str, Any]] = (),
    before_each: Callable[[], None] = _go_on,
) -> list[Question]:
    """Every checkpoint that this run reaches, in the order of its steps; a step has at most one question.
    ``before_each`` is called before every step; an exception from it ends the search."""
    return list(_find(scenario, interventions, before_each))


def _find(
    scenario: Scenario, interventions: Iterable[dict[str, Any]], before_each: Callable[[], None]
) -> Iterator[Question]:
    checkpoints: list[dict[str, Any]] = scenario["checkpoints"]
    waiting = dict(enumerate(checkpoints))
    met = dict.fromkeys(waiting, 0)
    if not waiting:
        return
    simulation = Simulation(scenario, list(interventions))
    while waiting and simulation.number < STEPS_MAX:
        before_each()
        made = simulation.step()
        if made is None:
            break
        step = made.to_json()
        found: int | None = None
        for number, checkpoint in list(waiting.items()):
            if not _fits(checkpoint, step) or not _has_record(checkpoint, step, simulation):
                continue
            met[number] += 1
            if met[number] == checkpoint["nth"]:
                del waiting[number]
                found = number if found is None else found
        if found is not None:
            ask = checkpoints[found]["ask"]
            view = simulation.view()
            asked = KINDS[ask].ask(step, view, _version_of(simulation, step, level_in_force(view)))
            yield Question(found, ask, step["number"] - 1, message_id(step), asked)


def _version_of(simulation: Simulation, step: Step, level: int) -> Profile:
    """The version of the client that the step's transition belongs to, or else of the cluster."""
    world = simulation.world
    client = world.clients.get((step["transition"] or {}).get("of", ""))
    return (world.profile if client is None else client.profile).at_level(level)


def _fits(checkpoint: dict[str, Any], step: Step) -> bool:
    """Whether the step makes the decision that the checkpoint asks about. The outcome and the record are not
    compared."""
    if not KINDS[checkpoint["ask"]].fits(step):
        return False
    if checkpoint["actor"] is not None and step["actor"] != checkpoint["actor"]:
        return False
    message = delivered(step)
    if checkpoint["api"] is not None and (message is None or message["api"] != checkpoint["api"]):
        return False
    if checkpoint["source"] is not None and (message is None or message["from"] != checkpoint["source"]):
        return False
    if checkpoint["partition"] is not None and checkpoint["partition"] not in _partitions(step, message):
        return False
    change = step["transition"] or {}
    return all(
        checkpoint[name] is None or change.get(known) == checkpoint[name]
        for name, known in (("machine", "machine"), ("of", "of"))
    )


def _has_record(checkpoint: dict[str, Any], step: Step, simulation: Simulation) -> bool:
    """Whether the step delivers a Produce request with the checkpoint's record; True for a checkpoint without a
    record."""
    record = checkpoint["record"]
    if record is None:
        return True
    return any(record in serials for serials in records_arriving(step, simulation.view()).values())


def _partitions(step: Step, message: dict[str, Any] | None) -> set[str]:
    """The partitions of the step's message, of its sentence, and those that it changes."""
    found = set(message["partitions"]) if message is not None else set()
    for name in ("partition", "consumer_partition"):
        if isinstance(step["params"].get(name), str):
            found.add(step["params"][name])
    found |= {change["path"][1] for change in step["changes"] if change["path"][0] == "partitions"}
    return found
