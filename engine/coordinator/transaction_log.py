"""The records of ``__transaction_state``: makes an image into a batch, and reads the newest images from a log
(TXC-22, TXC-23)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from engine.coordinator.transaction_metadata import Image
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, BatchContent, RecordBatch, Unsaid
from engine.topic_partition import topic_of
from engine.value import value

BATCH_OVERHEAD = 61
"""Bytes of an empty record batch (MSG-2)."""
_RECORD_OVERHEAD = 7
_VALUE_BYTES = 2 + 8 + 2 + 4 + 1 + 4 + 8 + 8
"""The bytes of version, producer id, epoch, timeout, state, number of topics, last update and start
(``TransactionLog``)."""


@value
class LoggedTransaction:
    """The value of a record: the fields of a transactional id that survive a change of coordinator (TXC-2)."""

    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    partitions: tuple[str, ...]
    last_update_ms: int
    start_ms: int
    value_version: int = 0
    """The version of the value's format: 1, which has tagged fields, from level 1 of ``transaction.version`` on;
    else 0 (``transactionLogValueVersion``)."""
    client_version: int = 0
    """The transaction version of the last request that changed the id; only value version 1 holds it."""
    unsaid: ClassVar[Unsaid] = {"value_version": 0, "client_version": 0}


def batch_of(transactional_id: str, image: Image | None, now: int, level: int = 0) -> RecordBatch:
    """The batch with one record: an image, or the tombstone that forgets the id (TXC-21). ``level``: the
    level of ``transaction.version``."""
    value = None
    size = BATCH_OVERHEAD + _RECORD_OVERHEAD + 4 + len(transactional_id.encode())
    if image is not None:
        value = LoggedTransaction(
            state=image.state,
            producer_id=image.producer_id,
            producer_epoch=image.producer_epoch,
            timeout_ms=image.timeout_ms,
            partitions=tuple(sorted(image.partitions)),
            last_update_ms=image.last_update_ms,
            start_ms=image.start_ms,
            value_version=1 if level else 0,
            client_version=image.client_version if level else 0,
        )
        topics = {topic_of(partition) for partition in image.partitions}
        size += _VALUE_BYTES + sum(6 + len(topic) for topic in topics) + 4 * len(image.partitions)
    return RecordBatch(
        record_count=1,
        last_offset_delta=0,
        max_timestamp=now,
        size=size,
        content=BatchContent(keys=(transactional_id,), values=(value,)),
    )


def newest_images(batches: Iterable[RecordBatch]) -> dict[str, Image]:
    """Dict of transactional id → its newest image. A tombstone removes the id (TXC-22)."""
    found: dict[str, Image] = {}
    for batch in batches:
        content = batch.content
        if content is None:
            continue
        for key, logged in zip(content.keys, content.values, strict=True):
            if logged is None:
                found.pop(str(key), None)
            elif isinstance(logged, LoggedTransaction):
                found[str(key)] = _image(logged)
    return found


def _image(value: LoggedTransaction) -> Image:
    """The image from a record. The log does not hold the last producer id and the last epoch."""
    return Image(
        state=value.state,
        producer_id=value.producer_id,
        last_producer_id=NO_PRODUCER_ID,
        producer_epoch=value.producer_epoch,
        last_producer_epoch=NO_PRODUCER_EPOCH,
        timeout_ms=value.timeout_ms,
        partitions=frozenset(value.partitions),
        start_ms=value.start_ms,
        last_update_ms=value.last_update_ms,
        client_version=value.client_version,
    )
