"""An example of a sweep's result, for visitors who have run no sweep: the heat map of a lesson, computed in
advance.

`samples/<name>.json` contains the results of the lesson's document on this engine.
`tests/pipeline/test_sample_map.py` runs some of its cells again, and writes the file anew when asked to.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from eosviz.pipeline.build_views import SAMPLES, samples
from eosviz.pipeline.sweep_figures import Look, panels_of

SHOWN = "when-does-a-retry-duplicate"
LOOK = Look("duplicated", "retries", "loss_rate", ("idempotence",), {})
"""The heat map shows how often lost responses cause duplicates, without and with idempotence."""


@cache
def sample_map() -> dict[str, Any]:
    """The name, title and lesson of the sample, the number of its runs that no rule refused, and its heat
    maps."""
    sample = next(one for one in samples() if one["name"] == SHOWN)
    counted = json.loads(SAMPLES.joinpath(f"{SHOWN}.json").read_text(encoding="utf-8"))
    return {
        "name": SHOWN,
        "title": sample["title"],
        "lesson": sample["lesson"],
        "runs": sum(row["runs"] - row["refused"] for row in counted["rows"]),
        "panels": panels_of(counted["axes"], counted["rows"], LOOK),
        "look": LOOK,
    }
