"""Scenarios of the library in which brokers crash, pause and move, played with a controller that has a log of its
own: the verdicts are the same as with ZooKeeper in the same version of Kafka.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.profiles import K39, PROFILES
from engine.scenario.shelf import entry
from engine.simulation import Simulation

WITH_ZOOKEEPER = replace(K39, name="k39z", quorum_controller=False)
RUNS = (
    ("SC-39", None),
    ("SC-43", None),
    ("SC-53", None),
    ("SC-54", None),
    ("SC-55", None),
    ("SC-57", None),
    ("SC-58", "leader-moves"),
    ("SC-58", "coordinator-moves"),
    ("SC-58", "elected-again"),
    ("SC-60", None),
    ("SC-69", None),
    ("SC-74", "moves"),
    ("SC-75", "timeout"),
    ("SC-78", "given-up-but-stored"),
)


def played(name: str, variant: str | None, profile: str) -> tuple[object, ...]:
    scenario = entry(name).scenario(variant)
    scenario.document["profile"] = profile
    simulation = Simulation(scenario, watching="judged")
    simulation.run()
    guarantees = {name: row.count > 0 for name, row in simulation.judges.guarantees.items()}
    return [verdict.line() for verdict in simulation.verdicts()], simulation.finished, guarantees


@pytest.mark.parametrize(("name", "variant"), RUNS, ids=lambda part: str(part))
def test_the_verdict_is_the_same_whatever_keeps_the_controllers_decisions(
    name: str, variant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, "k39z", WITH_ZOOKEEPER)
    found = entry(name)
    chosen = variant if variant in found.variants else next(iter(found.variants), None)
    assert played(name, chosen, "k39") == played(name, chosen, "k39z")


def test_one_run_with_a_quorum_is_like_the_other_and_names_no_zookeeper() -> None:
    scenario = entry("SC-39").scenario()
    scenario.document["profile"] = "k39"
    views = []
    for _ in range(2):
        simulation = Simulation(scenario)
        said = []
        while (step := simulation.step()) is not None:
            said.append((step.key, step.params, [note["key"] for note in step.notes]))
        assert not any("zookeeper" in str(part).lower() for part in said)
        assert "zookeeper" not in str(simulation.view()).lower()
        assert "zookeeper" not in simulation.world.roles
        views.append((said, simulation.digest()))
    assert views[0] == views[1]
