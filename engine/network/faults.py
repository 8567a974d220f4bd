"""Fault scripts: which messages a fault applies to, and how often (GEN-6).

Owns matching and counting. ``interference.py`` carries out the actions.
"""

from __future__ import annotations

from random import Random
from typing import Any

from engine.apis import partitions_of
from engine.messages import Envelope, ProduceRequest


class FaultRule:
    """One entry of the fault script: a matcher, an action, and how many matches are left. ``rate``: the
    probability with which the action applies to a match; then the number of matches has no limit. The
    matcher's ``nth`` is the number of the first match to which the action may apply, from 1."""

    __slots__ = ("action", "api", "entry", "index", "match", "path", "rate", "remaining", "seen", "struck")

    def __init__(self, index: int, entry: dict[str, Any]) -> None:
        self.index = index
        self.entry = entry
        self.action: str = entry["action"]
        self.match: dict[str, Any] = entry["match"] or {}
        self.api: str | None = self.match.get("api")
        self.rate: float | None = self.match.get("rate")
        self.seen = 0
        self.remaining: int = self.match.get("times") or 1
        self.struck: list[int] = []
        """For a rule with ``rate``: which matches it applied to, by number from 1."""
        self.path = ("faults", str(index))

    def view(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "at": self.entry["at"],
            "api": self.api,
            "response": bool(self.match.get("response")),
            "seen": self.seen,
            "remaining": self.remaining if self.rate is None else None,
        }

    def falls_on(self, envelope: Envelope, generator: Random) -> bool:
        """Count a match; True when the action applies to this message."""
        if self.remaining <= 0 or not self._matches(envelope):
            return False
        self.seen += 1
        if self.seen < (self.match.get("nth") or 1):
            return False
        if self.rate is not None:
            falls = generator.random() < self.rate
            if falls:
                self.struck.append(self.seen)
            return falls
        self.remaining -= 1
        return True

    def _matches(self, envelope: Envelope) -> bool:
        match = self.match
        body = envelope.body
        if body.api != self.api or envelope.is_response != match["response"]:  # type: ignore[attr-defined]
            return False
        if match["from"] is not None and match["from"] != envelope.source:
            return False
        if match["to"] is not None and match["to"] != envelope.destination:
            return False
        if match["partition"] is not None and match["partition"] not in partitions_of(body):
            return False
        if match["transactional_id"] is not None and match["transactional_id"] != getattr(
            body, "transactional_id", None
        ):
            return False
        return self._matches_batch(body)

    def _matches_batch(self, body: object) -> bool:
        sequence, serial = self.match["first_sequence"], self.match["serial"]
        if sequence is None and serial is None:
            return True
        if not isinstance(body, ProduceRequest):
            return False
        batches = body.batches.values()
        if sequence is not None and all(batch.base_sequence != sequence for batch in batches):
            return False
        return serial is None or any(serial in batch.serials for batch in batches)
