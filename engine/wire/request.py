"""A request as its bytes say it."""

from __future__ import annotations

from typing import Any

from engine.value import value


@value
class WireRequest:
    """One request of a client."""

    api: str
    """Kafka's name of it."""
    key: int
    version: int
    correlation_id: int
    client: str
    body: Any
    """The engine's message that it stands for."""
