"""Finds the Produce requests in transit whose client has already forgotten their batches, and the records in them.

A client forgets a batch when it reports the result. If the request is late, it is still in transit then, and only the
steps before say which records it carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.view.losses import ARRIVED, LOST

Json = Mapping[str, Any]
MOST = 1000
"""At most this many requests are listed, the first ones."""


class Forgotten:
    """Collects the records of requests in transit: pass the run's steps in order, as JSON."""

    def __init__(self) -> None:
        self._batches: dict[tuple[str, str], list[str]] = {}
        """Dict of (client, correlation id) → the batches of a Produce request."""
        self._in_transit: dict[int, tuple[str, str]] = {}
        """Dict of message → (client, correlation id), for the Produce requests in transit."""
        self._records: dict[str, dict[str, list[int]]] = {}

    def take(self, step: Json) -> None:
        for change in step["changes"]:
            match change["path"]:
                case ["clients", client, "requests", number] if "after" in change:
                    self._batches[client, number] = change["after"]["batches"]
                case ["network", "messages", _] if "after" in change:
                    self._send(change["after"])
                case ["clients", client, "batches", batch] if "after" not in change:
                    self._forget(client, batch, change["before"])
        for message in step["messages"]:
            if message["event"] in ARRIVED | LOST and message["id"] in self._in_transit:
                request = self._in_transit.pop(message["id"])
                if request not in self._in_transit.values():
                    self._batches.pop(request, None)

    def _send(self, message: Json) -> None:
        if message["api"] == "Produce" and not message["is_response"]:
            self._in_transit[message["id"]] = (message["from"], str(message["correlation_id"]))

    def _forget(self, client: str, name: str, batch: Json) -> None:
        for number, request in self._in_transit.items():
            if request[0] != client or name not in self._batches.get(request, ()):
                continue
            if str(number) in self._records or len(self._records) < MOST:
                carried = self._records.setdefault(str(number), {})
                carried[batch["partition"]] = batch["serials"]

    def to_json(self) -> dict[str, dict[str, list[int]]]:
        """Dict of id of a message → partition → serials."""
        return {number: dict(carried) for number, carried in self._records.items()}
