"""Runs of 4.1 have linger.ms 0, where Java's default is 5 (KIP-1030). With 5, they end with the same verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.profiles import PROFILES
from engine.scenario.document import Scenario
from engine.simulation import Simulation
from tests.engine.every_run import BEGUN, scenario_of

JAVA_DEFAULT_MS = 5
NEWEST = PROFILES["k41"].name


def with_java_default(scenario: Scenario) -> Scenario | None:
    """Return the scenario with Java's default of linger.ms for each producer of Kafka 4.1 that does not set it; None
    if there is no such producer.
    """
    document = scenario.document
    producers = [
        {**row, "settings": {"linger_ms": JAVA_DEFAULT_MS, **row["settings"]}}
        if (row["profile"] or document["profile"]) == NEWEST
        else row
        for row in document["producers"]
    ]
    if producers == document["producers"]:
        return None
    return replace(scenario, document={**document, "producers": producers})


def verdicts(scenario: Scenario) -> tuple[str | None, list[str]]:
    simulation = Simulation(scenario)
    while simulation.step() is not None:
        pass
    return simulation.finished, [verdict.line() for verdict in simulation.verdicts()]


LINGERING = {name: changed for name in BEGUN if (changed := with_java_default(scenario_of(name))) is not None}


@pytest.mark.parametrize("name", LINGERING)
def test_the_verdicts_do_not_depend_on_it(name: str) -> None:
    assert verdicts(LINGERING[name]) == verdicts(scenario_of(name))
