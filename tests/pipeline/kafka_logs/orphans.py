"""An open transaction of a producer id that no coordinator of the recorded incidents ever had."""

from __future__ import annotations

from engine.codec.record import Record
from engine.codec.record_batch import encode_batch

PRODUCER_ID = 99
LAST_COPIED_MS = 1_795_384_289_754
"""The newest record of the live copy."""


def orphan_batch(began_ms: int = LAST_COPIED_MS) -> bytes:
    """Behind the last batch of orders-0 of the live copy."""
    return encode_batch(
        [Record(15, began_ms, b"k", b"v")],
        base_offset=15,
        partition_leader_epoch=0,
        producer_id=PRODUCER_ID,
        producer_epoch=0,
        base_sequence=0,
        is_transactional=True,
    )
