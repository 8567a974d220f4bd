"""The example heat map that the page of sweeps shows before there is a sweep agrees with the engine."""

from __future__ import annotations

import json
import os
from typing import Any

from eosviz.pipeline.build_views import SAMPLES
from eosviz.pipeline.sample_map import SHOWN, sample_map
from eosviz.pipeline.sweep_document import SweepDocument, read_sweep
from eosviz.pipeline.sweep_runs import Player

FILE = SAMPLES / f"{SHOWN}.json"
CELLS_COMPARED = 2


def document() -> SweepDocument:
    return read_sweep(SAMPLES.joinpath(f"{SHOWN}.toml").read_text(encoding="utf-8"))


def counted(sweep: SweepDocument, cell: int) -> dict[str, Any]:
    """Return one row of the table, from runs that are made now."""
    player = Player(sweep)
    runs = [player.play(run) for run in range(sweep.runs) if sweep.place_of(run)[0] == cell]
    return {
        "cell": cell,
        "settings": runs[0]["settings"],
        "runs": len(runs),
        "refused": sum(run["outcome"] == "refused" for run in runs),
        "rule": next((run["rule"] for run in runs if run.get("rule")), None),
        "runs_duplicated": sum(run.get("broken_duplicated") is not None for run in runs),
    }


def test_the_example_is_what_its_runs_come_to() -> None:
    """`REWRITE=1` makes all rows again."""
    sweep = document()
    cells = range(len(sweep.cells))
    if os.environ.get("REWRITE"):
        rows = [counted(sweep, cell) for cell in cells]
        axes = [{"name": axis.name, "values": list(axis.values)} for axis in sweep.axes]
        lines = ",\n".join(json.dumps(row) for row in rows)
        FILE.write_text(f'{{"axes": {json.dumps(axes)},\n"rows": [\n{lines}\n]}}\n', encoding="utf-8")
    held = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    assert [row["cell"] for row in held] == list(cells)
    for cell in cells[:: max(1, len(cells) // CELLS_COMPARED)]:
        assert held[cell] == counted(sweep, cell)


def test_it_shows_that_idempotence_helps() -> None:
    without, having = sample_map()["panels"]
    shares = [[mark.shown or 0 for _, marks in panel.rows for mark in marks] for panel in (without, having)]
    assert max(shares[0]) > 0.9
    assert max(shares[1]) < 0.5
