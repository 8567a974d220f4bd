"""Benchmark `memory`: the memory that the longest run of the library takes while it is recorded: the world and what
watches it, without the steps, which are dropped as they are made.
"""

import tracemalloc

from benchmarks.report import print_figure, remark
from engine.scenario.shelf import LibraryEntry, library
from engine.simulation import Simulation


def main() -> None:
    name, steps, scenario_entry, variant = max(
        (_length(found, variant) for found in library() for variant in (found.variants or (None,))),
        key=lambda run: run[1],
    )
    scenario = scenario_entry.scenario(variant)
    tracemalloc.start()
    simulation = Simulation(scenario, watching="recorded")
    while simulation.step() is not None:
        pass
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    remark(f"the longest run is {name}")
    print_figure("longest_scenario_steps", steps, "steps")
    print_figure("longest_scenario_memory_held", held / 1e6, "MB")
    print_figure("longest_scenario_memory_most", most / 1e6, "MB")


def _length(found: LibraryEntry, variant: str | None) -> tuple[str, int, LibraryEntry, str | None]:
    name = f"{found.id}/{variant}" if variant else found.id
    scenario = found.scenario(variant)
    if "expect_refused" in scenario.document:
        return name, 0, found, variant
    simulation = Simulation(scenario, watching="bare")
    simulation.run()
    return name, simulation.number, found, variant


if __name__ == "__main__":
    main()
