"""A request read from bytes."""

from __future__ import annotations

from typing import Any

from engine.value import value

ABORTABLE_FROM = {"Produce": 11, "TxnOffsetCommit": 4}
"""Dict of API → version of its request from which the answer may be TRANSACTION_ABORTABLE (KIP-890)."""


@value
class WireRequest:
    """One request of a client."""

    api: str
    """Kafka's name of the API."""
    key: int
    version: int
    correlation_id: int
    client: str
    body: Any
    """The engine's message of this request."""

    @property
    def knows_abortable(self) -> bool:
        """Whether the response may have TRANSACTION_ABORTABLE. Older clients get INVALID_TXN_STATE in its place."""
        first = ABORTABLE_FROM.get(self.api)
        return first is not None and self.version >= first
