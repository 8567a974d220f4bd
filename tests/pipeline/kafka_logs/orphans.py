"""An open transaction with a producer id that no coordinator of the recorded incidents knows."""

from __future__ import annotations

from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker

PRODUCER_ID = 99
LAST_COPIED_MS = 1_795_384_289_754
"""The timestamp of the newest record of the live copy."""


def orphan_batch(began_ms: int = LAST_COPIED_MS) -> bytes:
    """Return a batch to append to orders-0 of the live copy, followed by an administrator's marker that ends
    nothing.
    """
    return _batch(began_ms) + encode_marker(
        ControlType.ABORT,
        0,
        producer_id=PRODUCER_ID - 1,
        producer_epoch=0,
        timestamp=began_ms,
        base_offset=16,
        partition_leader_epoch=0,
    )


def _batch(began_ms: int) -> bytes:
    return encode_batch(
        [Record(15, began_ms, b"k", b"v")],
        base_offset=15,
        partition_leader_epoch=0,
        producer_id=PRODUCER_ID,
        producer_epoch=0,
        base_sequence=0,
        is_transactional=True,
    )
