"""The result of an append, and a batch as it is stored."""

from __future__ import annotations

from typing import NamedTuple

from engine.broker.append_rules import AppendRule, Arrival, Level
from engine.errors import Error
from engine.messages import RecordBatch


class Appended(NamedTuple):
    """The result of an append. The offsets are those of the first and the last record; -1 after a refusal.
    ``rule``: the append rule that decided. With a ``rule`` and the error ``Error.NONE`` the batch is a
    duplicate: the offsets are those of the stored batch, and ``log_append_time`` is its timestamp in ms
    (otherwise -1). ``arrival``: the values that the rules compared, or None. ``level``: how strictly the
    rules were applied."""

    error: Error
    base_offset: int
    last_offset: int
    rule: AppendRule | None = None
    arrival: Arrival | None = None
    level: Level = Level.NONE
    log_append_time: int = -1

    @property
    def is_duplicate(self) -> bool:
        return self.rule is not None and self.error is Error.NONE


def with_offset(batch: RecordBatch, base_offset: int, leader_epoch: int) -> RecordBatch:
    """A copy of the batch with the offset and the leader epoch that it gets in the log. The copy names each
    field, because ``dataclasses.replace`` takes several times as long."""
    return RecordBatch(
        batch.record_count,
        batch.last_offset_delta,
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        batch.last_sequence,
        batch.is_transactional,
        batch.is_control,
        batch.control_type,
        batch.coordinator_epoch,
        batch.max_timestamp,
        batch.size,
        batch.serials,
        base_offset,
        leader_epoch,
        batch.content,
    )
