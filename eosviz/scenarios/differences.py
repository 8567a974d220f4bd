"""Compares a run with the same run after one change (GEN-9): a mechanism is switched off or on, clients get
another setting, or Kafka has another version. This module lists the changes that a page offers, and the
values with which the changed run is made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from engine.errors import Refused
from engine.generations.generation import GENERATIONS, Generation, is_own, settings_in
from engine.scenario.document import BadScenario, Scenario, load
from engine.simulation import Simulation
from engine.switches import Switches
from engine.watching import Change

Settings = dict[str, Any]
Sentence = tuple[str, Mapping[str, Any]]

STEPS_COMPARED_MAX = 8000
"""`without_effect` runs about this many steps at most."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One change of a scenario. `settings`: a function that takes the scenario and returns the changed values
    as dotted path → value; empty if the change would change nothing."""

    name: str
    settings: Callable[[Scenario], Settings]
    of: str = "kafka"
    """What a scenario must have for this change: brokers (``kafka``), or participants of a two-phase commit
    (``middleware``)."""

    @property
    def key(self) -> str:
        return f"difference.{self.name}"


def _switch(name: str, of: str = "kafka") -> Difference:
    default = getattr(Switches(), name)

    def settings(scenario: Scenario) -> Settings:
        now = scenario["switches"].get(name, default)
        return {
            f"switches.{name}": _OTHER[name] if now == default and name in _OTHER else _opposite(now, default)
        }

    return Difference(name, settings, of)


def _opposite(now: Any, default: Any) -> Any:
    return not now if isinstance(now, bool) else default


_OTHER: dict[str, Any] = {"duplicate_cache_size": 1, "drain_stop_scope": "partition"}
"""For switches with more than two values: dict of switch → the value that is compared with the default."""


def _idempotence(scenario: Scenario) -> Settings:
    """Switch idempotence off for producers that have it, and on for all others. Kafka may refuse the
    result."""
    return {
        f"producers.{producer['name']}.settings.enable_idempotence": not _is_idempotent(scenario, producer)
        for producer in scenario["producers"]
    }


def _is_idempotent(scenario: Scenario, producer: dict[str, Any]) -> bool:
    config = scenario.producer_config(producer)
    return (
        bool(producer["settings"].get("enable_idempotence")) if config is None else config.enable_idempotence
    )


def _isolation(scenario: Scenario) -> Settings:
    other = {"read_committed": "read_uncommitted", "read_uncommitted": "read_committed"}
    return {
        f"consumers.{consumer['name']}.isolation": other[consumer["isolation"]]
        for consumer in scenario["consumers"]
    }


def _without_idempotence(scenario: Scenario) -> Settings:
    """Change the scenario to Kafka 0.10, without idempotence. Kafka may refuse other features of the
    scenario."""
    if scenario["profile"] == "k010":
        return {}
    found: Settings = {"profile": "k010"}
    for producer in scenario["producers"]:
        if producer["settings"].get("enable_idempotence"):
            found[f"producers.{producer['name']}.settings.enable_idempotence"] = False
    return found


def _generation(generation: Generation) -> Difference:
    def settings(scenario: Scenario) -> Settings:
        return {} if is_own(scenario, generation) else settings_in(scenario, generation)

    return Difference(f"version_{generation.name}", settings)


DIFFERENCES: dict[str, Difference] = {
    difference.name: difference
    for difference in (
        Difference("version_k010", _without_idempotence),
        *map(_generation, GENERATIONS.values()),
        Difference("idempotence", _idempotence),
        *map(
            _switch,
            (
                "duplicate_lookup",
                "duplicate_cache_size",
                "sequence_check",
                "epoch_check",
                "stale_sequence_is_duplicate",
                "ordered_reinsertion",
                "head_retry_rule",
                "drain_stop_scope",
                "in_flight_cap",
                "numbers_in_doubt_kept",
                "abort_sent",
                "zookeeper_version_check",
            ),
        ),
        Difference("isolation", _isolation),
        *(
            _switch(name, "middleware")
            for name in ("back_check", "durable_prepared_messages", "idempotent_handlers")
        ),
    )
}


def possible(scenario: Scenario) -> list[Difference]:
    """The differences that change something in this scenario and give a valid document."""
    return [
        difference
        for difference in DIFFERENCES.values()
        if _has(scenario, difference.of)
        and (settings := difference.settings(scenario))
        and _can_be_made(scenario, settings)
    ]


def without_effect(scenario: Scenario, differences: Iterable[Difference]) -> list[Difference]:
    """Those of the differences that have no effect: each step of the changed run has the same sentence or
    makes the same changes. Empty if this cannot be determined within STEPS_COMPARED_MAX steps. Raises Refused
    if a rule refuses the scenario itself."""
    own = list(islice(_steps(scenario), STEPS_COMPARED_MAX))
    left = STEPS_COMPARED_MAX - len(own)
    found = []
    for difference in differences:
        if left <= len(own):
            return []
        made = 0
        try:
            changed = _steps(load(scenario.source, settings=difference.settings(scenario)))
            for before, after in zip_longest(own, changed):
                made += 1
                if before is None or after is None or not any(map(operator.eq, before, after)):
                    break
            else:
                found.append(difference)
        except Refused:
            pass
        left -= made
    return found


def _steps(scenario: Scenario) -> Iterator[tuple[Sentence, list[Change]]]:
    """For each step of a run: its sentence with parameters, and the changes that it makes in the view. Raises
    Refused."""
    simulation = Simulation(scenario)
    while (step := simulation.step()) is not None:
        yield (step.key, step.params), step.changes


def _has(scenario: Scenario, what: str) -> bool:
    """Whether the scenario has a Kafka cluster or, for ``middleware``, participants of a two-phase commit."""
    if what == "middleware":
        return bool(scenario["middleware"]["participants"])
    return bool(scenario["cluster"]["brokers"])


def _can_be_made(scenario: Scenario, settings: Settings) -> bool:
    try:
        Simulation(load(scenario.source, settings=settings), watching="bare")
    except BadScenario:
        return False
    except Refused:
        pass
    return True
