"""The records of ``__consumer_offsets``: makes a commit into a batch, and reads the groups from a log
(OFS-5).

The key of a record is (group, topic-partition), and its value the committed offset; a record with the value
None removes the offset. The members of a group are a record, too, whose key is the group's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.coordinator.group_offsets import Group, GroupMembers, PlacedOffset
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, BatchContent, CommittedOffset, RecordBatch

BATCH_OVERHEAD = 61
_RECORD_OVERHEAD = 7
_KEY_BYTES = 2 + 2 + 2 + 4
_VALUE_BYTES = 2 + 8 + 4 + 2 + 8
"""The bytes of version, offset, leader epoch, length of the metadata, and commit time (``OffsetCommitValue``
version 3)."""


def batch_of(
    group_id: str,
    offsets: Mapping[str, CommittedOffset],
    now: int,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
) -> RecordBatch:
    """The batch of one commit. With a producer id it belongs to that producer's transaction (OFS-2)."""
    size = BATCH_OVERHEAD
    for partition, offset in offsets.items():
        names = len(group_id.encode()) + len(partition.encode()) + len(offset.metadata.encode())
        size += _RECORD_OVERHEAD + _KEY_BYTES + _VALUE_BYTES + names
    return RecordBatch(
        record_count=len(offsets),
        last_offset_delta=len(offsets) - 1,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=producer_id != NO_PRODUCER_ID,
        max_timestamp=now,
        size=size,
        content=BatchContent(
            keys=tuple((group_id, partition) for partition in offsets), values=tuple(offsets.values())
        ),
    )


def members_batch(group_id: str, found: GroupMembers) -> RecordBatch:
    """The batch with the record of a group's members and generation: in the initial state, and after a member
    left."""
    size = BATCH_OVERHEAD + _RECORD_OVERHEAD + len(group_id.encode())
    size += sum(
        len(name.encode()) + len((instance or "").encode()) for name, instance in found.members.items()
    )
    return RecordBatch(
        record_count=1,
        last_offset_delta=0,
        size=size,
        content=BatchContent(keys=(group_id,), values=(found,)),
    )


def loaded_groups(batches: Iterable[RecordBatch]) -> dict[str, Group]:
    """Dict of group id → group, read from a log: with its visible offsets, and the offsets of transactions
    without a marker (OFS-5)."""
    groups: dict[str, Group] = {}
    for batch in batches:
        if batch.is_control:
            for group in groups.values():
                group.end(batch.producer_id, batch.control_type == "COMMIT")
            continue
        content = batch.content
        if content is None:
            continue
        for key, value in zip(content.keys, content.values, strict=True):
            if isinstance(value, GroupMembers):
                group = groups.setdefault(str(key), Group(str(key)))
                group.generation, group.members = value.generation, dict(value.members)
            if not isinstance(key, tuple):
                continue
            name, partition = key
            group = groups.setdefault(name, Group(name))
            if isinstance(value, CommittedOffset):
                _take(group, batch, partition, value)
            elif batch.is_transactional:
                group.pending.get(batch.producer_id, {}).pop(partition, None)
            else:
                group.visible.pop(partition, None)
    return groups


def _take(group: Group, batch: RecordBatch, partition: str, value: CommittedOffset) -> None:
    if batch.is_transactional:
        offsets = {partition: value}
        group.stage_pending(batch.producer_id, offsets)
        group.place_pending(batch.producer_id, offsets, batch.base_offset)
    else:
        group.visible[partition] = PlacedOffset(value, batch.base_offset)
