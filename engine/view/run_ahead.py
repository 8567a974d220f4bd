"""Makes the plan of a run before its first step, from a run that is made up to a limit and then dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import EngineError, Refused
from engine.middleware.configuration import MiddlewareConfiguration
from engine.scenario.document import Scenario
from engine.shapes.plans import Plan
from engine.simulation import Simulation
from engine.view.plan import RunPlan

STEPS_AHEAD = 2_000
"""A run ahead has at most this many steps, unless the caller gives another limit. Every run of the library has
fewer."""


def plan_ahead(
    scenario: Scenario,
    interventions: Iterable[Mapping[str, Any]] = (),
    before: Mapping[str, Any] | None = None,
    most: int = STEPS_AHEAD,
    same_until: int | None = None,
) -> Plan:
    """The plan, made from at most ``most`` steps of the run. ``interventions``: as for :class:`Simulation`.
    ``before`` and ``same_until``: as for :meth:`RunPlan.to_json`. Raises Refused if the configuration is refused."""
    done = [dict(one) for one in interventions]
    simulation = Simulation(scenario, done)
    middleware = MiddlewareConfiguration.from_section(scenario.document["middleware"])
    plan = RunPlan(simulation.header(), simulation.view(), middleware)
    try:
        while simulation.number < most and (step := simulation.step()) is not None:
            plan.take(step.to_json())
    except (Refused, EngineError):
        return plan.to_json(False, before, done, same_until=same_until)
    return plan.to_json(simulation.number < most, before, done, same_until=same_until)
