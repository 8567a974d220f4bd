"""Makes one random intervention of a learner in a running world, for every intervention of the engine's own table."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from engine.interventions import AS_FAULTS, INTERVENTIONS
from engine.simulation import Simulation
from tests.engine.search.chances import below, one_of, perhaps
from tests.engine.search.faults import ORDERED, UNPROTECTED, Names, setting

MESSAGES = tuple(
    action for action in INTERVENTIONS if action.endswith("_message") and action not in AS_FAULTS
)
"""Interventions on messages. The actions in `AS_FAULTS` are left out: the fault scripts of the worlds try them,
within the limits of each kind of world.
"""
OTHERS = tuple(action for action in INTERVENTIONS if action not in (*MESSAGES, *AS_FAULTS))
LATER = {"crash": "restart", "pause": "resume"}
"""Intervention on an actor → the one that reverses it; so no actor stays stopped until the end."""
MESSAGE_CHANCE = 0.65

Intervention = dict[str, Any]


def intervention(
    generator: Random, simulation: Simulation, names: Names, *, honest: bool
) -> Intervention | None:
    """Return an intervention to try, or None to try nothing this time. The engine may refuse it."""
    under_way = simulation.world.network.under_way
    if under_way and perhaps(generator, MESSAGE_CHANCE):
        action, message = one_of(generator, MESSAGES), one_of(generator, sorted(under_way))
        body = under_way[message].body
        if action == "duplicate_message" and honest and body.api in UNPROTECTED:  # type: ignore[attr-defined]
            return None
        if action == "reorder_message" and honest and body.api == ORDERED:  # type: ignore[attr-defined]
            return None
        return {"action": action, "message": message, "by": 1 + below(generator, 300)}
    action = one_of(generator, (*OTHERS, *LATER))
    return {"action": action, **FIELDS.get(action, _everything)(generator, names)}


def _actor(generator: Random, names: Names) -> Intervention:
    return {"actor": one_of(generator, names.actors)}


def _setting(generator: Random, names: Names) -> Intervention:
    return setting(generator, one_of(generator, names.producers)) if names.producers else {}


def _everything(generator: Random, names: Names) -> Intervention:
    """Return fields for an intervention that has no row of its own: a value in every field."""
    fields = {**_actor(generator, names), **_setting(generator, names), "for_ms": below(generator, 500)}
    if names.partitions:
        fields |= {"partition": one_of(generator, names.partitions), "broker": 1 + below(generator, 3)}
    return fields


def _hold(generator: Random, names: Names) -> Intervention:
    return {**_actor(generator, names), "until": below(generator, 2_000)}


FIELDS: dict[str, Callable[[Random, Names], Intervention]] = {
    **dict.fromkeys(("crash", "restart", "pause", "resume"), _actor),
    "set": _setting,
    "hold_messages": _hold,
}
