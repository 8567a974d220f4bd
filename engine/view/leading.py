"""The note of a step that pages show first: its outcome, before the lesser events that led to it.

A follower's fetch may move the high watermark and with it open a partition to its readers: the step's own sentence
is the fetch, and the note says what matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.view.openers import BY_KEY
from engine.view.plumbing import PURPOSE_OF

OUTCOMES = (
    "coordinator.image_durable",
    "broker.produce_answered",
)
"""Sentences that begin no beat, the weightier last."""
ALWAYS = ("log.never_ends", "log.never_ends_by", "log.never_ends_behind", "log.never_ends_behind_by")
"""The outcome of a log case's batch; the step's own sentence is about the batch."""


def leading(step: Mapping[str, Any]) -> int | None:
    """Its place among the step's notes; None where the step's own sentence comes first."""
    keys = [note["key"] for note in step["notes"]]
    if (always := next((place for place, key in enumerate(keys) if key in ALWAYS), None)) is not None:
        return always
    own = _weight(step["key"])
    if own == 0 and step["key"] not in PURPOSE_OF:
        return None
    weights = [_weight(key) for key in keys]
    heaviest = max(weights, default=0)
    return weights.index(heaviest) if heaviest > own else None


def _weight(key: str) -> float:
    if key in PURPOSE_OF:
        return 0
    if key in BY_KEY:
        return BY_KEY[key].weight
    return (OUTCOMES.index(key) + 1) / 2 if key in OUTCOMES else 0
