"""Finds batches that a leader stores outside the transaction that the coordinator has for their producer.

- Their epoch is older: the coordinator has raised it, and the leader learns of the new epoch only from a marker or a
  batch with it.
- Their partition is not part of the transaction: no marker for them will come (KIP-890).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.view.beat_step import BeatStep
from engine.view.openers import OUTDATED_STORED, STORED, STORED_OUTSIDE


class WritesOutsideTransaction:
    """Takes the steps of a run in order."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], int] = {}
        """(broker, transactional id) to the producer id in the coordinator's state."""
        self._newest: dict[int, int] = {}
        """Producer id to the highest epoch that a coordinator has for it."""
        self._partitions: dict[int, list[str]] = {}
        """Producer id to the partitions of its transaction in the state that a coordinator changed last."""

    def take(self, taken: BeatStep, changes: Iterable[Mapping[str, Any]]) -> None:
        """Set the opener of a step that stores such a batch."""
        if taken.key in STORED and not taken.broken and "broker.lower_epoch_accepted" not in taken.said:
            params = taken.params
            arrived, producer_id = params.get("producer_epoch"), params.get("producer_id", -1)
            newest = self._newest.get(producer_id)
            if arrived is not None and newest is not None:
                if arrived < newest:
                    taken.opener = OUTDATED_STORED
                    taken.opener_params = {"broker": params["broker"], "arrived": arrived, "newest": newest}
                elif params["partition"] not in self._partitions.get(producer_id, ()):
                    taken.opener = STORED_OUTSIDE
                    taken.opener_params = {"client": params["client"], "partition": params["partition"]}
        for change in changes:
            self._note(change["path"], change.get("after"))

    def fork(self) -> WritesOutsideTransaction:
        fork = WritesOutsideTransaction()
        fork._ids = dict(self._ids)
        fork._newest = dict(self._newest)
        fork._partitions = dict(self._partitions)
        return fork

    def _note(self, path: list[str], after: Any) -> None:
        match path:
            case ["brokers", broker, "transactions", name, *field] if after is not None:
                state = {field[0]: after} if field else after
            case _:
                return
        producer_id = state.get("producer_id", self._ids.get((broker, name)))
        if producer_id is None:
            return
        self._ids[broker, name] = producer_id
        epoch = state.get("producer_epoch", -1)
        self._newest[producer_id] = max(epoch, self._newest.get(producer_id, epoch))
        if "partitions" in state:
            self._partitions[producer_id] = state["partitions"]
