"""What is offered is exactly what the engine takes: the page greys out nothing that works and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.errors import Refused
from engine.scenario import entry
from engine.simulation import Simulation
from eosviz.walkthroughs.messages import Offer, Selection
from eosviz.walkthroughs.possibilities import possibilities

ACTORS = ("p1", "c1", "broker-1", "broker-2")


def after(number: int, *interventions: dict[str, object], scenario: str = "SC-03") -> Simulation:
    simulation = Simulation(entry(scenario).scenario())
    simulation.run(steps=number)
    for intervention in interventions:
        simulation.intervene(intervention)
        simulation.step()
    return simulation


def offers(simulation: Simulation, kind: str, name: str) -> list[Offer]:
    return possibilities(simulation, Selection(kind=kind, id=name))  # type: ignore[arg-type]


def enabled(simulation: Simulation, actor: str) -> list[str]:
    return [
        offer.action
        for offer in offers(simulation, "actor", actor)
        if offer.enabled and offer.action != "set"
    ]


def selections(simulation: Simulation) -> Iterator[tuple[str, str]]:
    yield from (("actor", name) for name in ACTORS)
    yield from (("message", name) for name in simulation.view()["network"]["messages"])
    yield "message", "1"


@pytest.mark.parametrize("actor", ACTORS)
def test_an_actor_that_is_paused_can_be_resumed(actor: str) -> None:
    assert enabled(after(30), actor) == ["crash", "pause"]
    assert enabled(after(30, {"action": "pause", "actor": actor}), actor) == ["crash", "resume"]
    held = ({"action": "pause", "actor": actor}, {"action": "resume", "actor": actor})
    assert enabled(after(30, *held), actor) == ["crash", "pause"]


@pytest.mark.parametrize("actor", ACTORS)
def test_an_actor_that_is_down_can_only_be_restarted(actor: str) -> None:
    for before in ((), ({"action": "pause", "actor": actor},)):
        simulation = after(30, *before, {"action": "crash", "actor": actor})
        assert enabled(simulation, actor) == ["restart"]
        simulation.intervene({"action": "restart", "actor": actor})
        simulation.step()
        assert enabled(simulation, actor) == ["crash", "pause"]


@pytest.mark.parametrize(
    "done",
    [(), ({"action": "pause", "actor": "broker-1"},), ({"action": "crash", "actor": "p1"},)],
    ids=["nothing done", "a broker paused", "a producer down"],
)
def test_what_is_offered_works_and_what_is_not_is_refused(done: tuple[dict[str, object], ...]) -> None:
    simulation = after(18, *done)
    seen = set()
    for number in range(60):
        if simulation.step() is None:
            break
        if number % 3:
            continue
        refusing = simulation.fork()  # one is enough: a refusal changes nothing
        for kind, name in selections(simulation):
            for offer in offers(simulation, kind, name):
                seen.add((offer.action, offer.enabled))
                if not offer.enabled:
                    with pytest.raises(Refused):
                        refusing.intervene(offer.intervention)
                    continue
                tried = simulation.fork()
                tried.intervene(offer.intervention)
                step = tried.step()
                assert step is not None, offer
                assert step.key not in ("fault.impossible", "fault.already_up", "fault.already_down"), offer
    messages = ("drop_message", "delay_message", "duplicate_message", "reorder_message")
    assert seen >= {(action, possible) for action in messages for possible in (True, False)}
    assert {("restart", False), ("resume", False), ("crash", True), ("pause", True)} <= seen
