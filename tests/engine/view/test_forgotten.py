"""A late Produce request keeps the names of its records when its client has forgotten the batch."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.view.run_ahead import plan_ahead


@pytest.mark.parametrize(
    ("name", "interventions", "records"),
    [
        ("SC-101/k28", [], {"9": {"t-0": [2]}}),
        ("SC-101/k28", [{"action": "drop_message", "message": 9, "after": 39}], None),
        ("SC-44/k28", [], None),
    ],
)
def test_only_requests_that_outlive_their_batch_are_listed(
    name: str, interventions: list[dict[str, Any]], records: dict[str, dict[str, list[int]]] | None
) -> None:
    scenario, _, variant = name.partition("/")
    plan = plan_ahead(entry(scenario).scenario(variant), interventions)
    assert plan.get("forgotten") == records
