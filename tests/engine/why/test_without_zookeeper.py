"""The answers about a broker that is down or restarts, in a cluster whose controller quorum elects leaders."""

from __future__ import annotations

from engine.explain.sentences import LANGUAGES, catalogue
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why

DOWN, STARTING = "why.broker_down_registered", "why.broker_registers"


def test_a_broker_that_is_down_keeps_its_registration_and_one_that_starts_waits_for_a_new_one() -> None:
    simulation = Simulation(entry("SC-89").scenario("crash"))
    met = []
    while simulation.step() is not None:
        view = simulation.view()
        broker = view["brokers"]["1"]
        registration = view["quorum"]["brokers"]["1"]
        found = {link.key: link for link in why(simulation, "nothing", "broker-1")}
        down, starting = found.get(DOWN), found.get(STARTING)
        assert (down is not None) == (not broker["alive"])
        assert (starting is not None) == (broker["alive"] and bool(broker.get("starting")))
        if down is not None:
            assert registration["expires_at"] == down.params["until"] == view["time"] + down.params["left"]
        for link in filter(None, (down, starting)):
            met += [link.key] if link.key not in met else []
            for language in LANGUAGES:
                assert catalogue()[link.key].slots(language) <= set(link.params)
    assert met == [DOWN, STARTING]
