"""Runs the cases about sequence arithmetic (SEQ-3, SEQ-4) on the brokers' own functions."""

from __future__ import annotations

from typing import Any

from engine.broker.sequence import decrement, increment
from engine.vectors.outcome import Failure


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Increment and decrement the case's sequence. Returns the first difference from Kafka, or None."""
    given, expected = case["input"], case["expected"]
    got = {
        "increment": increment(given["seq"], given["by"]),
        "decrement": decrement(given["seq"], given["by"]),
    }
    for name, value in expected.items():
        if got[name] != value:
            return Failure(name, value, got[name])
    return None
