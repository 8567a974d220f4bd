"""A request as its bytes say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.value import value

Answers = Sequence[Any]
"""The engine's answers to the bodies of one request, in their order."""


@value
class WireRequest:
    """One request of a client."""

    api: str
    """Kafka's name of it."""
    key: int
    version: int
    correlation_id: int
    client: str
    bodies: tuple[Any, ...]
    """The engine's messages that it stands for: one, but for a Fetch one a partition."""
