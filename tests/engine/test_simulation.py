"""The kernel's promises, held on every scenario of the library."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

from engine.errors import Refused
from engine.explain import catalogue
from engine.recording import ABSENT, canonical, place, pruned
from engine.scenario import library
from engine.simulation import Simulation


def runs():
    for entry in library():
        for variant in entry.variants or (None,):
            scenario = entry.scenario(variant)
            if "expect_refused" not in scenario.document:
                yield pytest.param(scenario, id=f"{entry.id}{'' if variant is None else '-' + variant}")


RUNS = list(runs())


@pytest.mark.parametrize("scenario", RUNS)
def test_folding_the_changes_gives_the_engines_own_view(scenario):
    """Forward at every n, then all the way back to the first view."""
    simulation = Simulation(scenario)
    first = json.loads(canonical(simulation.view()))
    folded = json.loads(canonical(first))
    steps = []
    while len(steps) < 400 and (step := simulation.step()) is not None:
        steps.append(step)
        for path, _, after in step.changes:
            place(folded, path, after)
        if len(steps) <= 60 or len(steps) % 20 == 0:
            assert pruned(folded) == pruned(simulation.view()), f"after step {step.number} ({step.key})"
    assert pruned(folded) == pruned(simulation.view())
    for step in reversed(steps):
        for path, before, _ in reversed(step.changes):
            place(folded, path, before)
    assert pruned(folded) == pruned(first)
    assert ABSENT is not None


@pytest.mark.parametrize("scenario", RUNS)
def test_watching_changes_nothing(scenario):
    """Bare, judged and recorded runs make the same steps and end at the same time."""
    made = []
    for level in ("bare", "judged", "recorded"):
        simulation = Simulation(scenario, watching=level)
        simulation.run()
        made.append((simulation.number, simulation.now, simulation.finished, simulation.kinds))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("scenario", RUNS)
def test_every_sentence_is_in_the_catalogue_with_its_parameters(scenario):
    simulation = Simulation(scenario)
    known = catalogue()
    while (step := simulation.step()) is not None:
        shown = step.to_json()
        said = [(shown["key"], shown["params"])] + [(note["key"], note["params"]) for note in shown["notes"]]
        if shown["refusal"]:
            said.append((shown["refusal"]["next"], shown["refusal"]["next_params"]))
        if shown["decision"]:
            said += [(row["key"], row["params"]) for row in shown["decision"]["rows"]]
        for key, params in said:
            assert key in known, key
            for language in ("en", "zh-Hans"):
                assert known[key].slots(language) <= set(params), (key, language)
        assert shown["rules"], f"{shown['key']} names no requirement"


def test_a_fork_goes_on_alone():
    scenario = library()[2].scenario()
    simulation = Simulation(scenario)
    simulation.run(steps=20)
    fork = simulation.fork()
    assert fork.digest() == simulation.digest()
    fork.run()
    assert fork.number > simulation.number == 20
    simulation.run()
    assert fork.digest() == simulation.digest()


def test_interventions_replay_to_the_same_steps():
    scenario = library()[2].scenario()
    first = Simulation(scenario)
    while not first.world.network.under_way:
        first.step()
    done = first.intervene({"action": "drop_message", "message": min(first.world.network.under_way)})
    first.run()
    second = Simulation(scenario, [done])
    second.run()
    assert second.digest() == first.digest()
    assert second.number == first.number


def test_an_impossible_intervention_is_refused_and_changes_nothing():
    simulation = Simulation(library()[2].scenario())
    before = simulation.digest()
    with pytest.raises(Refused):
        simulation.intervene({"action": "drop_message", "message": 4711})
    with pytest.raises(Refused):
        simulation.intervene({"action": "crash", "actor": "broker-77"})
    assert simulation.digest() == before
    assert simulation.step().number == 1


def test_two_hash_seeds_give_the_same_bytes():
    """GEN-1: the whole library, step by step, under different PYTHONHASHSEEDs."""
    program = (
        "import sys, hashlib\n"
        "from engine.__main__ import main\n"
        "from engine.scenario import library\n"
        "import io\n"
        "digest = hashlib.sha256()\n"
        "for entry in library():\n"
        "    out = io.StringIO(); main(['run', entry.id, '--jsonl'], out, out)\n"
        "    digest.update(out.getvalue().encode())\n"
        "print(digest.hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == len(hashlib.sha256().hexdigest())
