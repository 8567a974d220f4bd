"""The note that pages show first in a step: the outcome, before the smaller events that led to it.

For example, a follower's fetch may raise the high watermark, so that consumers can read on: the step's own
sentence is about the fetch, and a note is about the outcome.
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
"""Sentences that open no beat, by rising weight."""
ALWAYS = ("log.never_ends", "log.never_ends_by", "log.never_ends_behind", "log.never_ends_behind_by")
"""The outcome of a log case's batch; there the step's own sentence is about the batch."""


def leading(step: Mapping[str, Any]) -> int | None:
    """The index of the note that comes first; None when the step's own sentence does."""
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
