"""The result of a sweep as an example, for visitors who have run none: the heat map of a lesson, computed beforehand.

`samples/<name>.json` has the results of the lesson's own document on this engine; `tests/pipeline/test_sample_map.py`
runs cells of it again and writes the file anew when asked to.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from eosviz.pipeline.build_views import SAMPLES, samples
from eosviz.pipeline.sweep_figures import Look, panels_of

SHOWN = "when-does-a-retry-duplicate"
LOOK = Look("duplicated", "retries", "loss_rate", ("idempotence",), {})
"""Lost responses: how often they cause duplicates, without and with idempotence."""


@cache
def sample_map() -> dict[str, Any]:
    """Name, title and lesson of the sample, the number of runs that no rule refused, and its heat maps."""
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
