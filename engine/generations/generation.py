"""A generation: brokers of one version, and clients of one version.

Both versions matter. A cluster of Kafka 4.1 gives each transaction an epoch of its own only for clients that
support this (KIP-890): the Java clients since 4.0, franz-go since 1.19. Others use the old protocol
(librdkafka 2.16, kafka-python 3.0, aiokafka 0.14), as a Java client of 3.9 does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.profile import Profile, age
from engine.profiles import PROFILES
from engine.scenario.document import Scenario, load


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation. ``brokers`` and ``clients`` are names of profiles. The cluster is at the highest level
    of ``transaction.version`` that its version supports."""

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
    def has_newer_clients(self) -> bool:
        """Whether the clients were upgraded before their brokers."""
        return age(self.client.version) > age(self.cluster.version)

    @property
    def level(self) -> int:
        """The cluster's level of ``transaction.version``."""
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
"""The five generations that teach most, oldest first. Each adds one thing to the one before: raised epochs
(2.8), verification before a transaction starts in a log (3.9), brokers that are newer than their clients (4.1
with clients of 3.9), an epoch for each transaction (4.1). Kafka 0.10 is left out: it has no idempotent
producer, so most scenarios cannot run there."""


def generations_of(scenario: Scenario) -> dict[str, Generation]:
    """Dict of name → generation, oldest first. If the scenario's clients are newer than its brokers, their
    combination is one of the generations, too."""
    found = dict(GENERATIONS)
    brokers, clients = scenario["profile"], versions_of_clients(scenario)
    if brokers in GENERATIONS and len(clients) == 1:
        mixed = Generation(f"{brokers}-{next(iter(clients))}", brokers, next(iter(clients)))
        if mixed.has_newer_clients:
            names = [*GENERATIONS]
            names.insert(names.index(brokers) + 1, mixed.name)
            found = {name: GENERATIONS.get(name, mixed) for name in names}
    return found


def versions_of_clients(scenario: Scenario) -> set[str]:
    """The names of the profiles of a scenario's producers, or of its consumers if it has no producers."""
    rows = scenario["producers"] or scenario["consumers"]
    return {row["profile"] or scenario["profile"] for row in rows}


def settings_in(scenario: Scenario, generation: Generation) -> dict[str, Any]:
    """Dict of path in the document → the value that changes the scenario to this generation (`document.put`)."""
    found: dict[str, Any] = {"profile": generation.brokers}
    if scenario["cluster"]["transaction_version"] is not None:
        found["cluster.transaction_version"] = generation.level
    for section in ("producers", "consumers"):
        for row in scenario[section]:
            if row["profile"] is not None or generation.clients != generation.brokers:
                found[f"{section}.{row['name']}.profile"] = generation.clients
    return found


def in_generation(scenario: Scenario, generation: Generation) -> Scenario:
    """The scenario in this generation. Raises BadScenario when it names something that the generation's
    cluster does not have."""
    return load(scenario.source, settings=settings_in(scenario, generation), source=scenario.id)


def is_own(scenario: Scenario, generation: Generation) -> bool:
    """Whether the scenario was written for this generation."""
    level = scenario["cluster"]["transaction_version"]
    clients = versions_of_clients(scenario)
    return (
        scenario["profile"] == generation.brokers
        and (clients or {generation.brokers}) == {generation.clients}
        and level in (None, generation.level)
    )
