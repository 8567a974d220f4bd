"""The offsets of one group at its coordinator: the visible offsets, which OffsetFetch returns, and the offsets
that wait for their append or for the outcome of a transaction.

Owns the cache of visible offsets, the commits whose append has not ended, and the pending offsets of
transactions by producer id (OFS-3 to OFS-5). Every change of a pending offset is a row of ``group_states``.
This module knows no requests and no logs. Source: Kafka's ``GroupMetadata``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.coordinator.group_states import (
    ABORTED,
    APPEND_FAILED,
    APPEND_OK,
    COMMITTED,
    FORGET,
    PENDING_OFFSET,
    PLACE,
    REQUESTED,
    SHOW,
    STAGE,
    Situation,
    state_of,
)
from engine.machine import Row
from engine.messages import CommittedOffset


class PlacedOffset(NamedTuple):
    """A committed offset. ``position``: the base offset of its batch in the offsets log; None: the append of
    the batch has not ended."""

    offset: CommittedOffset
    position: int | None


class GroupMembers(NamedTuple):
    """The members of a group, as its log holds them (``GroupMetadataValue``). ``members``: dict of member id
    → static instance id or None."""

    generation: int
    members: dict[str, str | None]
    state: str = "Stable"


class Moved(NamedTuple):
    """The change that a row made to the offset of one topic-partition."""

    partition: str
    row: Row
    offset: int
    position: int | None

    @property
    def failed(self) -> bool:
        """Whether a COMMIT marker came before the append of the pending offset had ended, which is an
        internal error in Kafka (OFS-4)."""
        return bool(self.row.reply)


class Group:
    """The offsets of one group. ``members``: dict of member id → static instance id or None; empty: no member
    has joined."""

    __slots__ = ("generation", "members", "name", "pending", "staged", "visible")

    def __init__(self, name: str) -> None:
        self.name = name
        self.generation = 0
        self.members: dict[str, str | None] = {}
        self.visible: dict[str, PlacedOffset] = {}
        self.staged: dict[str, CommittedOffset] = {}
        """Commits outside transactions whose append has not ended, by topic-partition."""
        self.pending: dict[int, dict[str, PlacedOffset]] = {}
        """Dict of producer id → topic-partition → pending offset of the producer's open transaction."""

    # -- commits outside transactions ------------------------------------------------------------------

    def stage(self, offsets: Mapping[str, CommittedOffset]) -> None:
        """Note a commit outside transactions, which becomes visible once its record is replicated."""
        self.staged.update(offsets)

    def placed(self, partition: str, offset: CommittedOffset, position: int) -> None:
        """Make a commit outside transactions visible after its record was appended, unless the visible
        offset's record has a higher position in the log (``onOffsetCommitAppend``)."""
        known = self.visible.get(partition)
        if partition in self.staged and (
            known is None or known.position is None or known.position < position
        ):
            self.visible[partition] = PlacedOffset(offset, position)
        self.failed(partition, offset)

    def failed(self, partition: str, offset: CommittedOffset) -> None:
        """Remove a staged commit: the append of its record has failed, or :meth:`placed` has handled it. A later
        commit of the same partition stays staged."""
        if self.staged.get(partition) == offset:
            del self.staged[partition]

    # -- commits inside transactions -------------------------------------------------------------------

    def stage_pending(self, producer_id: int, offsets: Mapping[str, CommittedOffset]) -> list[Moved]:
        """Note a commit inside a transaction, whose append begins (OFS-3)."""
        return [self._move(producer_id, name, REQUESTED, offset) for name, offset in offsets.items()]

    def place_pending(
        self, producer_id: int, offsets: Mapping[str, CommittedOffset], position: int
    ) -> list[Moved]:
        """Note that the records of a transaction's commit were appended, in the batch at ``position``
        (OFS-3)."""
        return [
            self._move(producer_id, name, APPEND_OK, offset, position) for name, offset in offsets.items()
        ]

    def fail_pending(self, producer_id: int, partitions: Iterable[str]) -> list[Moved]:
        """Drop the offsets of a transaction's commit whose records were not appended (OFS-3)."""
        return [self._move(producer_id, name, APPEND_FAILED) for name in partitions]

    def end(self, producer_id: int, committed: bool) -> list[Moved]:
        """Commit or drop the producer's pending offsets after its transaction's marker was appended to the
        offsets log (OFS-4)."""
        on = COMMITTED if committed else ABORTED
        return [self._move(producer_id, name, on) for name in list(self.pending.get(producer_id, ()))]

    def _move(
        self,
        producer_id: int,
        partition: str,
        on: str,
        offset: CommittedOffset | None = None,
        position: int | None = None,
    ) -> Moved:
        known = self.pending.get(producer_id, {}).get(partition)
        row = PENDING_OFFSET.take(state_of(known), on, self._situation(partition, known, offset))
        for effect in _EFFECTS[row.number]:
            effect(self, producer_id, partition, offset, position)
        shown = known.offset if offset is None and known is not None else offset
        at = known.position if position is None and known is not None else position
        return Moved(partition, row, -1 if shown is None else shown.offset, at)

    def _situation(
        self, partition: str, known: PlacedOffset | None, offset: CommittedOffset | None
    ) -> Situation:
        same = known is not None and known.offset == offset
        newer = known is not None and self._is_newer(partition, known.position)
        return Situation(same, newer)

    def _is_newer(self, partition: str, position: int | None) -> bool:
        """Whether the record at ``position`` comes after the visible offset's record in the log (OFS-4)."""
        visible = self.visible.get(partition)
        if visible is None or visible.position is None:
            return True
        return position is not None and visible.position < position

    def _stage(
        self, producer_id: int, partition: str, offset: CommittedOffset | None, position: object
    ) -> None:
        if offset is not None:
            self.pending.setdefault(producer_id, {})[partition] = PlacedOffset(offset, None)

    def _place(
        self, producer_id: int, partition: str, offset: CommittedOffset | None, position: int | None
    ) -> None:
        known = self.pending[producer_id][partition]
        self.pending[producer_id][partition] = PlacedOffset(known.offset, position)

    def _forget(self, producer_id: int, partition: str, offset: object, position: object) -> None:
        of_producer = self.pending[producer_id]
        del of_producer[partition]
        if not of_producer:
            del self.pending[producer_id]

    def _show(self, producer_id: int, partition: str, offset: object, position: object) -> None:
        self.visible[partition] = self.pending[producer_id][partition]

    # -- asking ----------------------------------------------------------------------------------------

    def is_unstable(self, partition: str) -> bool:
        """True while a commit that has not taken effect, inside or outside a transaction, may still change
        the offset of this partition (KIP-447)."""
        return partition in self.staged or any(partition in wanted for wanted in self.pending.values())

    def committed(self, partition: str) -> int:
        """The visible offset, -1 when there is none (CON-9)."""
        known = self.visible.get(partition)
        return -1 if known is None else known.offset.offset


_EFFECTS = PENDING_OFFSET.bind(
    {STAGE: Group._stage, PLACE: Group._place, FORGET: Group._forget, SHOW: Group._show}
)
