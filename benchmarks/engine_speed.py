"""Benchmark `engine`: the engine's steps per second, bare, judged and recorded, on SC-28, SC-44 and the generated
run, and the mix of their kinds of steps.
"""

import time

from benchmarks.generated import generated_scenario
from benchmarks.report import print_figure, remark
from engine.scenario.document import Scenario
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.interpreter import prepare_to_serve

CPU_SECONDS_AT_LEAST = 2.0
ROUNDS = 3
GOALS = {"bare": 50_000, "judged": None, "recorded": 15_000}


def main() -> None:
    scenarios = {"sc28": _library("SC-28"), "sc44": _library("SC-44"), "generated": generated_scenario()}
    prepare_to_serve()
    for name, scenario in scenarios.items():
        for watching, goal in GOALS.items():
            speed = max(steps_per_second(scenario, watching) for _ in range(ROUNDS))
            print_figure(f"engine_{name}_{watching}", speed, "steps/s", goal)
        simulation = Simulation(scenario, watching="bare")
        simulation.run()
        remark(f"{name}: {simulation.number} steps, {simulation.finished}")
        for kind, count in sorted(simulation.kinds.items()):
            print_figure(f"engine_{name}_mix_{kind}", count / simulation.number, "share")


def _library(identifier: str) -> Scenario:
    found = entry(identifier)
    return found.scenario(found.variants[0] if found.variants else None)


def steps_per_second(scenario: Scenario, watching: str) -> float:
    """Make whole runs one after the other until they have taken `CPU_SECONDS_AT_LEAST`, and return the steps per
    second. Building the world is not counted; making the content of each step is.

    Seconds are processor time of this process, so that other work of the machine matters less.
    """
    steps, spent = 0, 0.0
    while spent < CPU_SECONDS_AT_LEAST:
        simulation = Simulation(scenario, watching=watching)
        begin = time.process_time()
        if watching == "recorded":
            while simulation.step() is not None:
                steps += 1
        else:
            steps += simulation.run()
        spent += time.process_time() - begin
    return steps / spent


if __name__ == "__main__":
    main()
