"""The drawn end of a log whose consumers wait: the contents of its cells, and the texts below them."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from eosviz.replays.log_drawing import drawn, ends_of

Json = dict[str, Any]
PARTITION: Json = {"last_stable_offset": 4, "high_watermark": 7, "log_start": 0}


def batch(base: int, last: int, producer: int = 1000, first: int = 0, **more: Any) -> Json:
    sequences = {"first_sequence": first, "last_sequence": first + last - base}
    whose = {"producer_id": producer, "producer_epoch": 0, "control": None, "outcome": "open"}
    return {
        "base_offset": base,
        "last_offset": last,
        "record_count": last - base + 1,
        **whose,
        **sequences,
        **more,
    }


def cells(*batches: Json) -> list[str]:
    changes = [
        {"path": ["partitions", "t-0", "replicas", "1", "batches", str(one["base_offset"])], "after": one}
        for one in batches
    ]
    end = ends_of([{"changes": changes}], {"t-0": 4}, {"1000": 0})["t-0"]
    picture = drawn(PARTITION, end, {})
    assert picture is not None
    with translation.override("en"):
        return [render_to_string("replays/held_cell.html", {"cell": cell}) for cell in picture["wait"]]


def test_a_cell_has_its_sequence_numbers_and_its_offsets_stand_under_it() -> None:
    open_batch, plain = cells(batch(4, 5, first=2), batch(6, 6, producer=-1, first=-1))
    assert "<b>1000·0</b><i>2–3</i>" in open_batch and "<small>4–5</small>" in open_batch
    assert "<b>1 record</b>" in plain and "<small>6</small>" in plain
