"""Finds the transaction version with which a log was written, as far as its bytes show the cluster's level of
``transaction.version``.

Source: KIP-890, KIP-1022. From level 1 on, ``TransactionLog`` writes version 1 of its values, which contains
the version that the client used. A client of version 2 ends every transaction with a raised epoch, so its
COMMIT marker has a higher epoch than the data. An ABORT marker with a higher epoch proves nothing, because a
fence raises the epoch, too.
"""

from dataclasses import dataclass
from typing import Any

from engine.codec.transaction_log_record import TransactionLogValue, TransactionStatus

RAISING = 2
"""The transaction version from which every end raises the epoch."""
BY_CLIENTS = frozenset(
    (TransactionStatus.ONGOING, TransactionStatus.PREPARE_COMMIT, TransactionStatus.COMPLETE_COMMIT)
)
"""States that only requests of clients lead to. An abort is not among them, because the coordinator can abort
by itself, with the cluster's version."""


@dataclass(slots=True)
class WrittenBy:
    """The evidence that was found so far. Each kind of evidence has the first place that shows it."""

    value_version: int = -1
    """The highest version of a value of `__transaction_state`; -1: no value was read."""
    value_place: str = ""
    client_place: str = ""
    """The place of a value whose client has transaction version 2."""
    level_place: str = ""
    """The place of an abort's value with version 2. The coordinator may have caused the abort, so the
    cluster's level is 2."""
    marker_place: str = ""
    """The place of a COMMIT marker with a higher epoch than its data."""

    def take_value(self, value: TransactionLogValue, place: str) -> None:
        """Take the value of a record of the transaction log."""
        if value.version > self.value_version:
            self.value_version, self.value_place = value.version, place
        if value.client_transaction_version >= RAISING:
            if value.status in BY_CLIENTS:
                self.client_place = self.client_place or place
            else:
                self.level_place = self.level_place or place

    def take_commit(self, place: str) -> None:
        """Take a COMMIT marker with a higher epoch than its data."""
        self.marker_place = self.marker_place or place

    def merge(self, other: "WrittenBy") -> None:
        """Add the evidence of other partitions. The higher version of a value wins. If both sides have a place
        for the same evidence, the one whose name sorts first stays, so that the order of the partitions does
        not matter."""
        if other.value_version > self.value_version:
            self.value_version, self.value_place = other.value_version, other.value_place
        elif other.value_version == self.value_version:
            self.value_place = _first(self.value_place, other.value_place)
        self.client_place = _first(self.client_place, other.client_place)
        self.level_place = _first(self.level_place, other.level_place)
        self.marker_place = _first(self.marker_place, other.marker_place)

    def sentence(self) -> tuple[str, dict[str, Any]]:
        """The key of the sentence in `engine/explain/catalogue/log.toml`, and its parameters."""
        if self.client_place:
            return "log.written.client_2", {"place": self.client_place}
        if self.marker_place:
            return "log.written.marker_2", {"place": self.marker_place}
        if self.level_place:
            return "log.written.level_2", {"place": self.level_place}
        if self.value_version > 0:
            return "log.written.value_1", {"place": self.value_place}
        if self.value_version == 0:
            return "log.written.value_0", {"place": self.value_place}
        return "log.written.unknown", {}


def _first(one: str, other: str) -> str:
    return min(one, other) if one and other else one or other
