"""Lists the runs that show each text of the engine, and of which the text must be true.

    python -m tests.words.shown FILE [--worlds N] [--processes N]

plays the library in every version and N random worlds, and writes a JSON file: key → at most PLACES_MAX
places, each with a run, its step, and the text there in both languages. A run of the library is named
``SC-03`` or ``SC-03-VARIANT``, in a version ``SC-03@k28``; a random world is named by its kind and its seed.

    python -m tests.words.shown --run NAME [--from STEP] [--to STEP]

prints the steps of such a run, with the texts of both languages.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from engine.errors import EngineError, Refused
from engine.explain.requirements import REQUIREMENTS, text_key_in
from engine.explain.sentences import catalogue, sentence
from engine.generations.generation import GENERATIONS, in_generation
from engine.scenario.bad_scenario import BadScenario
from engine.scenario.document import Scenario, load
from engine.scenario.kept_by import keeper
from engine.simulation import Simulation
from engine.view.plan import RunPlan
from engine.why.asking import why
from engine.why.offering import questions_about
from tests.engine.every_run import BEGUN, scenario_of
from tests.engine.search.worlds import ANY, KINDS

PLACES_MAX = 8
"""How many places a key has at most, each in another run."""
STEPS_MAX = 4_000
"""Up to which step a run is read."""
KNOWN = frozenset(REQUIREMENTS)
Place = tuple[str, int, str, str]
"""The name of a run, a step of it, and the text there in English and in Chinese."""


def named(name: str) -> Scenario:
    """Return the scenario of a run by its name. Raises BadScenario if the scenario is not possible in the named
    version.
    """
    if name.startswith("world-"):
        _, kind, seed = name.split("-")
        document = KINDS[kind](Random(int(seed)), ANY)
        return load(document)
    run, _, generation = name.partition("@")
    scenario = scenario_of(run)
    return in_generation(scenario, GENERATIONS[generation]) if generation else scenario


def names(worlds: int) -> list[str]:
    """Return the names of every run of the library as it is written, then in each version, then of random worlds."""
    grid = [f"{run}@{generation}" for generation in GENERATIONS for run in BEGUN]
    kinds = ("honest", "middleware", "honest", "plain", "hostile")
    return [*BEGUN, *grid, *(f"world-{kinds[seed % len(kinds)]}-{seed}" for seed in range(worlds))]


def sentences_in(value: Any, keeper_name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every sentence in a JSON value, as key and parameters, and every requirement that the value names."""
    if isinstance(value, dict):
        key = value.get("key")
        if isinstance(key, str) and key in catalogue():
            yield key, value.get("params") or {}
        for inner in value.values():
            yield from sentences_in(inner, keeper_name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from sentences_in(inner, keeper_name)
    elif isinstance(value, str) and value in KNOWN:
        yield text_key_in(value, keeper_name), {}


def asked(simulation: Simulation) -> Iterator[Any]:
    """Yield the questions that can be asked now, and the sentences of their answers."""
    for question in questions_about(simulation, None):
        yield question.to_json()
        yield from (link.to_json() for link in why(simulation, question.question, question.subject))


def places(name: str) -> dict[str, Place]:
    """Return key → the first place in this run. Empty if the run does not exist in this version."""
    try:
        simulation = Simulation(named(name))
    except (BadScenario, EngineError, Refused):
        return {}
    kept_by = keeper(simulation.scenario["profile"])
    found: dict[str, Place] = {}

    def note(value: Any, number: int) -> None:
        for key, params in sentences_in(value, kept_by):
            if key not in found:
                found[key] = (name, number, sentence(key, params), sentence(key, params, "zh-Hans"))

    plan = RunPlan(simulation.header(), simulation.view())
    try:
        while (step := simulation.step()) is not None and step.number <= STEPS_MAX:
            shape = step.to_json()
            plan.take(shape)
            note(shape, step.number)
            if step.interesting:
                for answer in asked(simulation):
                    note(answer, step.number)
    except Exception as error:  # the error of a process must name its run
        raise RuntimeError(f"{name}, step {plan.steps}: {error}") from None
    note(plan.to_json(), plan.steps)
    return found


def spread(known: list[Place], one: Place) -> None:
    """Keep PLACES_MAX places, in scenarios and with texts that are as different as possible."""
    if len(known) < PLACES_MAX:
        known.append(one)
        return
    alike = [place[0].split("@")[0] for place in known]
    twice = next((index for index, run in enumerate(alike) if run in alike[:index]), None)
    if twice is not None and one[0].split("@")[0] not in alike:
        known[twice] = one


def collected(worlds: int, processes: int) -> dict[str, list[Place]]:
    """Return key → its places; an empty list for a key that no run shows."""
    found: dict[str, list[Place]] = {key: [] for key in catalogue()}
    with ProcessPoolExecutor(processes) as pool:
        for of_run in pool.map(places, names(worlds), chunksize=8):
            for key, place in of_run.items():
                spread(found[key], place)
    return found


def print_run(name: str, first: int, last: int) -> None:
    simulation = Simulation(named(name))
    while (step := simulation.step()) is not None and step.number <= last:
        if step.number >= first:
            print(f"{step.number} {step.at} ms {step.actor} {step.kind}")
            for key, params in sentences_in(step.to_json(), keeper(simulation.scenario["profile"])):
                print(f"   {key}: {sentence(key, params)}")
                print(f"   {' ' * len(key)}  {sentence(key, params, 'zh-Hans')}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--worlds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--run")
    parser.add_argument("--from", type=int, default=1, dest="first")
    parser.add_argument("--to", type=int, default=STEPS_MAX, dest="last")
    given = parser.parse_args()
    if given.run is not None:
        print_run(given.run, given.first, given.last)
    elif given.file is not None:
        found = collected(given.worlds, given.processes)
        given.file.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    else:
        parser.error("name a FILE, or a run with --run")


if __name__ == "__main__":
    main()
