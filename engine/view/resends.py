"""Finds the appends of resent batches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.view.openers import REPORT_SUCCESS, STORED

Sentences = Sequence[tuple[str, Mapping[str, Any]]]
Batch = tuple[Any, Any]
"""(client, id of its batch)."""

RESULTS = frozenset(
    {
        *REPORT_SUCCESS,
        "client.late_success",
        "client.batch_failed",
        "client.batch_aborted",
        "client.batch_expired_sent",
        "client.batch_expired_unsent",
    }
)
"""The sentences by which a client settles the result of a batch."""
_REQUEUED = ("client.requeued", "client.requeued_refused")
_DRAINED = "client.drained"
_RECORDS = re.compile(r"r\d+(?:–r\d+)?")
"""Matches the names of records in the sentence of a drain."""


class Resends:
    """Takes the sentences of a run's steps in order."""

    def __init__(self) -> None:
        self._queued: dict[Batch, str] = {}
        """Dict of batch that waits to be sent again → its partition."""
        self._sent: dict[Batch, str] = {}
        """Dict of batch that was sent again and that no leader has processed yet → its partition, in the order of
        sending."""
        self._records: dict[Batch, str] = {}
        """Dict of batch → the first name of its records."""

    def take(self, sentences: Sentences) -> tuple[Batch, ...]:
        """Take the sentences of a step. Returns the resent batches that a leader appends in this step, not those that
        it takes for duplicates."""
        found: list[Batch] = []
        for key, params in sentences:
            client = params.get("client")
            batch = client, params.get("batch_id", params.get("batch"))
            if key in _REQUEUED:
                self._sent.pop(batch, None)
                self._queued[batch] = params["partition"]
                self._records[batch] = params["batch"][0]
            elif key in RESULTS:
                self._sent.pop(batch, None)
                self._queued.pop(batch, None)
            elif key.startswith(_DRAINED):
                for again in self.drained(params):
                    self._sent[again] = self._queued.pop(again)
            elif key in STORED or key == "broker.duplicate_found":
                arrived = _first(self._sent, client, params["partition"])
                if arrived is not None:
                    del self._sent[arrived]
                    found += [arrived] if key in STORED else []
        return tuple(found)

    def waiting(self, client: Any) -> list[Batch]:
        """The batches of the client that wait to be sent again."""
        return [batch for batch in self._queued if batch[0] == client]

    def drained(self, params: Mapping[str, Any]) -> list[Batch]:
        """The batches of a drain that have waited to be sent again. ``params``: the parameters of the drain's
        sentence."""
        drained = _RECORDS.findall(str(params["batches"]))
        return [batch for batch in self.waiting(params["client"]) if self._records[batch] in drained]

    def fork(self) -> Resends:
        fork = Resends()
        fork._queued, fork._sent, fork._records = (
            dict(self._queued),
            dict(self._sent),
            dict(self._records),
        )
        return fork


def _first(batches: Mapping[Batch, str], client: Any, partition: str) -> Batch | None:
    return next((batch for batch, to in batches.items() if (batch[0], to) == (client, partition)), None)
