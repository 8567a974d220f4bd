"""Finds the messages of a scenario that a fault can be applied to: those that it sends, and those that it
would send with other settings."""

from __future__ import annotations

from functools import cache

from engine.errors import Refused
from engine.scenario.document import Scenario, load
from engine.scenario.schema import APIS, DATABASE_APIS, MIDDLEWARE_APIS, NODE_APIS
from engine.scenario.script import listen
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.pipeline.sweep_axes import ANSWER

STEPS_LISTENED = 2_000
"""To find the messages, at most this many steps are run, which takes a few hundredths of a second. Most runs
have fewer steps."""
_OF_PRODUCERS = ("Metadata", "FindCoordinator", "InitProducerId", "Produce")
_OF_CONSUMERS = ("Metadata", "Fetch")
"""The requests of producers and of consumers. Some of them are sent only with certain settings."""


def with_answers(apis: tuple[str, ...]) -> list[str]:
    """The names of the requests, each followed by that of its response. Messages of middleware have no
    response."""
    return [
        place for api in apis for place in ((api,) if api in MIDDLEWARE_APIS else (api, f"{api}{ANSWER}"))
    ]


EVERY_PLACE = with_answers((*APIS, *NODE_APIS))


@cache
def places_of(scenario: str, variant: str | None) -> list[str]:
    """The messages that a fault can be applied to in a scenario of the library, in the order of
    `EVERY_PLACE`."""
    loaded = load(entry(scenario).document, variant, source=scenario)
    found = {*_heard(loaded)}
    if loaded["middleware"]["participants"]:
        found |= {*with_answers(MIDDLEWARE_APIS)}
    if loaded["services"]:
        found |= {*with_answers(DATABASE_APIS)}
    if loaded["producers"]:
        found |= {*with_answers(_OF_PRODUCERS)}
    if loaded["consumers"]:
        found |= {*with_answers(_OF_CONSUMERS)}
    return [place for place in EVERY_PLACE if place in found]


def _heard(scenario: Scenario) -> list[str]:
    """The messages that are sent in the first STEPS_LISTENED steps of a run. Empty if a rule refuses the
    scenario."""
    try:
        simulation = Simulation(scenario, watching="bare")
    except Refused:
        return []
    listener = listen(simulation)
    simulation.run(steps=STEPS_LISTENED)
    return [f"{one.api}{ANSWER}" if one.response else one.api for one in listener.heard]
