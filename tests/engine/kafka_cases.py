"""Cases with the results of Kafka's own classes, by topic: the first ones, and those in `handed_on`, which the engine
was not built with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[1] / "oracles" / "vectors"


def cases_of(topic: str) -> Iterator[dict[str, Any]]:
    """Yield every case of a topic."""
    for folder in (VECTORS, VECTORS / "handed_on"):
        path = folder / f"{topic}.json"
        if path.exists():
            yield from json.loads(path.read_text(encoding="utf-8"))["vectors"]
