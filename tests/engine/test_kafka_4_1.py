"""Kafka 3.9 and 4.1 in scenarios: late requests, a level that changes, every EndTxn of version 2, a denied identity.

The library does not offer these documents yet (``profiles.INCOMPLETE``), so they are played in a process of their own,
where their versions may be named.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LIBRARY = Path(__file__).parents[2] / "engine" / "scenario" / "library"
DOCUMENTS = sorted(path for number in (91, 92, 93, 94) for path in LIBRARY.glob(f"sc-{number}-*.toml"))
PLAYS = """
import json
import sys
from pathlib import Path

from engine import profiles

profiles.PROFILES.update(k39=profiles.K39, k41=profiles.K41)

from engine.client import client_states
from engine.coordinator import transaction_states
from engine.machine import deciding_rows
from engine.scenario.document import load, parse
from engine.scenario.expectations import told, unmet
from engine.simulation import Simulation

found, wrong, runs = {}, [], 0
with deciding_rows() as rows:
    for name in sys.argv[1:]:
        source = parse(Path(name).read_text(encoding="utf-8"), name)
        for variant in [one["name"] for one in source["variants"]]:
            simulation = Simulation(load(source, variant))
            steps = []
            while (step := simulation.step()) is not None:
                steps.append(step.to_json())
            runs += 1
            wrong += [f"{source['id']}/{variant}: {one}" for one in unmet(simulation, told(steps))]
        found.update(rows)
unnamed = (*transaction_states.NOT_OFFERED, *client_states.UNNAMED)
missing = [row.name(row.machine) for row in unnamed if id(row) not in found]
print(json.dumps({"runs": runs, "wrong": wrong, "missing": missing}))
"""


@pytest.fixture(scope="module")
def played() -> Any:
    ran = subprocess.run(
        [sys.executable, "-c", PLAYS, *map(str, DOCUMENTS)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_every_run_is_as_its_document_expects(played: Any) -> None:
    assert played["wrong"] == []
    assert played["runs"] == 17


def test_every_row_of_version_2_decides_in_one_of_them(played: Any) -> None:
    """Refusals that only the released cases have are those of `vectors/endtxn_tv2_ga.json`."""
    assert [name for name in played["missing"] if "--> refused" not in name] == []
