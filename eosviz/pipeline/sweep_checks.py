"""Checks that everything a sweep names exists in its scenario: settings, actors, partitions and messages.
This happens before Spark starts. Otherwise a wrong name would lead to a table of refused runs."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from typing import Any

from engine.building import build
from engine.errors import Refused
from engine.scenario import kept_by
from engine.scenario.document import BadScenario, Scenario
from engine.scenario.schema import APIS, DATABASE_APIS, MIDDLEWARE_APIS
from engine.watching import Watch
from engine.world import World
from eosviz.pipeline.bad_sweep import BadScenarioOfSweep, BadSweep, bad_value, nearest_of
from eosviz.pipeline.sweep_axes import ANSWER
from eosviz.pipeline.sweep_document import SweepDocument, read_sweep
from eosviz.pipeline.sweep_paths import nearest_path

BUILT_MAX = 300
"""If a grid has at most this many cells, the world of each is built, which takes about 2 ms. In a larger
grid, a world is built for each value of each axis, with the first values of the other axes. The documents of
all cells are loaded in either case."""
_MISTAKES = ("CFG-1",)
"""The rules that refuse a setting because it does not exist or cannot have this value. All other rules refuse
a combination of settings that Kafka also refuses; that is a result, which the table shows."""
_ACTORS_OF_MATCH = ("from", "to")
_OF_A_FAULT = re.compile(r"faults\.(\d+)(?:\.(.+))?")
_FIELD_OF_ENTRY = {
    "action": "kinds",
    "match.api": "places",
    "match.response": "places",
    "match.rate": "rates",
}
"""Dict of place in an entry of the fault script → the field of the sweep's fault from which it comes, if the
field has another name. All other places come from a field with the same name."""

Cell = dict[str, Any]


class TakesLong(Exception):
    """The check needed more time than its limit."""


def parse_sweep(text: str) -> SweepDocument:
    """Reads a sweep from TOML text, and checks it with `check_sweep` without a time limit. Raises
    BadSweep."""
    sweep = read_sweep(text)
    check_sweep(sweep)
    return sweep


def check_sweep(sweep: SweepDocument, seconds_max: float = math.inf) -> None:
    """Raises BadSweep for the first name that the scenario does not have or value that it does not allow, and
    TakesLong after ``seconds_max`` seconds of processor time."""
    until = time.thread_time() + seconds_max
    built = {id(cell) for cell in _built(sweep)}
    world: World | None = None
    for cell in sweep.cells:
        if time.thread_time() > until:
            raise TakesLong
        try:
            scenario = sweep.scenario_of(cell, sweep.first_seed)
            if id(cell) in built:
                world = _world(scenario) or world
        except (BadScenario, Refused) as bad:
            paths = [*sweep.fixed, *sweep.settings(cell, sweep.first_seed)]
            near = nearest_path(sweep.base, bad.place, paths)
            raise BadScenarioOfSweep(bad, near, _place(sweep, bad.place)) from bad
    if world is not None:
        _check_faults(sweep, world)


def _built(sweep: SweepDocument) -> Iterator[Cell]:
    """The cells whose world is built for the check."""
    if len(sweep.cells) <= BUILT_MAX:
        yield from sweep.cells
        return
    first = sweep.cells[0]
    for cell in sweep.cells:
        if sum(cell[name] is not first[name] for name in first) <= 1:
            yield cell


def _world(scenario: Scenario) -> World | None:
    """Builds the scenario's world. None if Kafka, too, refuses the combination of settings. Raises
    BadScenario, or Refused for a setting that cannot exist."""
    try:
        return build(scenario, Watch())
    except Refused as refused:
        if refused.rule in _MISTAKES:
            raise
        return None


def _place(sweep: SweepDocument, place: str) -> str:
    """Converts a place in the scenario's fault script to the place in the sweep's document. The sweep's
    faults come after the scenario's own entries."""
    found = _OF_A_FAULT.fullmatch(place)
    own = len(sweep.document["faults"]) - len(sweep.faults)
    if found is None or int(found[1]) < own:
        return place
    field = _FIELD_OF_ENTRY.get(found[2] or "", found[2])
    return f"faults.{int(found[1]) - own}" + (f".{field}" if field else "")


def _check_faults(sweep: SweepDocument, world: World) -> None:
    """Raises BadSweep for a fault that can apply to no message: the table would call its runs safe."""
    for position, fault in enumerate(sweep.faults):
        match = fault.get("match", {})
        for name in _ACTORS_OF_MATCH:
            if name in match and match[name] not in world.roles:
                raise _unknown(f"faults.{position}.match.{name}", match[name], list(world.roles))
        partitions = list(world.controller.partitions)
        if "partition" in match and match["partition"] not in partitions:
            raise _unknown(f"faults.{position}.match.partition", match["partition"], partitions)
        for place in fault["places"]:
            possible = possible_apis(world)
            if str(place).removesuffix(ANSWER) not in possible:
                raise _unknown(f"faults.{position}.places", place, possible)


def possible_apis(world: World) -> list[str]:
    """The names of the messages that some actor of this world may send."""
    absent = kept_by.absent(world.profile.name)
    of_brokers = [name for name in APIS if name not in absent]
    return [
        *(of_brokers if world.brokers else ()),
        *(MIDDLEWARE_APIS if world.nodes else ()),
        *(DATABASE_APIS if world.services else ()),
    ]


def _unknown(place: str, name: Any, known: list[str]) -> BadSweep:
    return bad_value(place, name, "one_of", names=list(known), nearest=nearest_of(name, known))
