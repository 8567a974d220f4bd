"""A generation: brokers of one version, clients of one version.

Both are named because neither decides alone: a cluster of Kafka 4.1 gives an epoch for each transaction only to clients
that use it (KIP-890). What such a client is: the Java client of 4.0 and later. Those of other languages stay on the old
protocol (librdkafka 2.16, kafka-python 3.0, aiokafka 0.14), as a Java client of 3.9 does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.profile import Profile
from engine.profiles import PROFILES
from engine.scenario.document import Scenario, load


@dataclass(frozen=True, slots=True)
class Generation:
    """``brokers`` and ``clients`` are names of profiles. The cluster is at the highest level of ``transaction.version``
    that its version knows."""

    name: str
    brokers: str
    clients: str

    @property
    def cluster(self) -> Profile:
        return PROFILES[self.brokers]

    @property
    def client(self) -> Profile:
        return PROFILES[self.clients]

    @property
    def level(self) -> int:
        """Of ``transaction.version``."""
        return self.cluster.transaction_version


GENERATIONS: dict[str, Generation] = {
    generation.name: generation
    for generation in (
        Generation("k20", "k20", "k20"),
        Generation("k28", "k28", "k28"),
        Generation("k39", "k39", "k39"),
        Generation("k41-k39", "k41", "k39"),
        Generation("k41", "k41", "k41"),
    )
}
"""The five that tell most, oldest first. From each to the next one thing becomes possible: raised epochs (2.8), a
question to the coordinator before a transaction starts in a log (3.9), brokers ahead of their clients (4.1 with clients
of 3.9), an epoch for each transaction (4.1). Kafka 0.10 has no idempotent producer, so most runs have nothing there."""


def settings_in(scenario: Scenario, generation: Generation) -> dict[str, Any]:
    """The paths and values that take a scenario there (`document.put`). Versions that it names for its clients give
    way; so does the level of ``transaction.version``."""
    found: dict[str, Any] = {"profile": generation.brokers}
    if scenario["cluster"]["transaction_version"] is not None:
        found["cluster.transaction_version"] = generation.level
    for section in ("producers", "consumers"):
        for row in scenario[section]:
            if row["profile"] is not None or generation.clients != generation.brokers:
                found[f"{section}.{row['name']}.profile"] = generation.clients
    return found


def in_generation(scenario: Scenario, generation: Generation) -> Scenario:
    """Raises BadScenario where that cluster does not have something that the scenario names."""
    return load(scenario.source, settings=settings_in(scenario, generation), source=scenario.id)


def is_own(scenario: Scenario, generation: Generation) -> bool:
    """Whether the scenario is written for this generation: its cluster, and its producers where it has some."""
    level = scenario["cluster"]["transaction_version"]
    clients = {
        row["profile"] or scenario["profile"] for row in scenario["producers"] or scenario["consumers"]
    }
    return (
        scenario["profile"] == generation.brokers
        and (clients or {generation.brokers}) == {generation.clients}
        and level in (None, generation.level)
    )
