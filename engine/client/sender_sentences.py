"""What the Sender says of a batch: which sentence tells why one is ready, or why it may not leave.

Owns these tables and nothing else.
"""

from __future__ import annotations

from engine.client.accumulator import CLOSED, COMPLETING, EXHAUSTED, FLUSH, FULL, LINGER
from engine.client.batch import Batch

READY = {
    FULL: "client.ready_full",
    LINGER: "client.ready_linger",
    EXHAUSTED: "client.ready_exhausted",
    CLOSED: "client.ready_closed",
    FLUSH: "client.ready_flush",
    COMPLETING: "client.ready_completing",
}
STOPS = {
    "fatal_error": ("client.stopped_fatal_error", "client.waits_fatal_error"),
    "partition_not_added": ("client.stopped_partition_not_added", "client.waits_partition_not_added"),
    "no_producer_id": ("client.stopped_no_producer_id", "client.waits_no_producer_id"),
    "older_epoch_in_flight": ("client.stopped_older_epoch_in_flight", "client.waits_older_epoch_in_flight"),
    "unresolved": ("client.stopped_unresolved", "client.waits_unresolved"),
    "earlier_in_flight": ("client.stopped_earlier_in_flight", "client.waits_earlier_in_flight"),
    "request_full": ("client.stopped_request_full", "client.waits_request_full"),
}
"""Reason of the stop test to the note when other batches left, and to the sentence when none did."""
SCOPES = {"node": "client.stop_ends_node", "partition": "client.stop_skips_partition"}


def numbers(batch: Batch) -> str:
    """First and last sequence, or the only one."""
    first, last = batch.base_sequence, batch.last_sequence
    return str(first) if first == last else f"{first}–{last}"
