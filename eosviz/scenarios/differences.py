"""One thing changed: the mechanisms that a comparison turns off or on (GEN-9).

The switches and profiles are the engine's own; here stands which of them a page offers and what the other side
then gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import Refused
from engine.generations.generation import GENERATIONS, Generation, is_own, settings_in
from engine.scenario.document import BadScenario, Scenario, load
from engine.simulation import Simulation
from engine.switches import Switches

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """`settings` gives the dotted paths and values of the changed side, from the scenario as it is.

    What it is called is `difference.<name>` in the catalogue.
    """

    name: str
    settings: Callable[[Scenario], Settings]

    @property
    def key(self) -> str:
        return f"difference.{self.name}"


def _switch(name: str) -> Difference:
    default = getattr(Switches(), name)

    def settings(scenario: Scenario) -> Settings:
        now = scenario["switches"].get(name, default)
        return {
            f"switches.{name}": _OTHER[name] if now == default and name in _OTHER else _opposite(now, default)
        }

    return Difference(name, settings)


def _opposite(now: Any, default: Any) -> Any:
    return not now if isinstance(now, bool) else default


_OTHER: dict[str, Any] = {"duplicate_cache_size": 1, "drain_stop_scope": "partition"}
"""For switches that are more than on and off: what stands against the default."""


def _idempotence(scenario: Scenario) -> Settings:
    """Every producer; what idempotence forbids or forces elsewhere stays as written, so it may be refused."""
    return {
        f"producers.{producer['name']}.settings.enable_idempotence": not producer["settings"].get(
            "enable_idempotence", True
        )
        for producer in scenario["producers"]
    }


def _isolation(scenario: Scenario) -> Settings:
    other = {"read_committed": "read_uncommitted", "read_uncommitted": "read_committed"}
    return {
        f"consumers.{consumer['name']}.isolation": other[consumer["isolation"]]
        for consumer in scenario["consumers"]
    }


def _without_idempotence(scenario: Scenario) -> Settings:
    """Kafka 0.10. What it cannot do is left out where that is one setting; the rest is refused, with the rule."""
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
                "zookeeper_version_check",
            ),
        ),
        Difference("isolation", _isolation),
    )
}


def possible(scenario: Scenario) -> list[Difference]:
    """Those that change something in this scenario, and leave one that its cluster has everything for. Whether a rule
    refuses the other side shows when it is made."""
    return [
        difference
        for difference in DIFFERENCES.values()
        if (settings := difference.settings(scenario)) and _can_be_made(scenario, settings)
    ]


def _can_be_made(scenario: Scenario, settings: Settings) -> bool:
    try:
        Simulation(load(scenario.source, settings=settings), watching="bare")
    except BadScenario:
        return False
    except Refused:
        pass
    return True
