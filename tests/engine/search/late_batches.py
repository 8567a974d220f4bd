"""Notices batches that are stored after the marker that should have decided them (KIP-890), which Kafka before 3.6
does.
"""

from __future__ import annotations

from engine import events


class LateBatches:
    """Takes the facts of a run. ``any``: a leader or a follower has stored such a batch."""

    def __init__(self) -> None:
        self.any = False
        self._given_up: set[int] = set()
        """Serials of records that were reported as failed, although a copy may still be under way."""
        self._marked: dict[tuple[str, int], int] = {}
        """(partition, producer id) → epoch of its newest marker."""

    def take(self, fact: object) -> None:
        if isinstance(fact, events.RecordsFinished):
            if fact.error is not None:
                self._given_up.update(fact.serials)
        elif isinstance(fact, events.LogAppended):
            place = (fact.partition, fact.producer_id)
            if fact.control_type is not None:
                self._marked[place] = fact.producer_epoch
            elif fact.is_transactional and fact.producer_epoch <= self._marked.get(place, -1):
                self.any |= not self._given_up.isdisjoint(fact.serials)
