"""The mechanisms of Kafka that a scenario can turn off, one at a time (GEN-9).

A comparison runs the same scripts with one switch changed. Every switch that is not at its default is shown
to the learner (UIV-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The switches of a scenario. The defaults are Kafka's own behaviour."""

    duplicate_lookup: bool = True
    """The broker searches the cached batches for a duplicate (SEQ-11)."""
    sequence_check: bool = True
    """The broker refuses gaps and stale numbers (SEQ-14, SEQ-15)."""
    epoch_check: bool = True
    """The broker refuses lower producer epochs (SEQ-12)."""
    coordinator_epoch_check: bool = True
    """The broker refuses markers of an older coordinator (MRK-5)."""
    duplicate_cache_size: int = 5
    """The number of batches that the broker remembers for each producer and partition (CFG-4)."""
    ordered_reinsertion: bool = True
    """A retried batch that has a sequence is inserted in the order of sequences (ORD-2); else at the front of the
    queue."""
    head_retry_rule: bool = True
    """Only a partition's oldest batch that is not completed may be resent (ORD-5, last test)."""
    drain_stop_scope: str = "node"
    """If the head of a partition's queue may not be drained: ``node`` ends the drain for the broker, ``partition``
    leaves out only this partition (CTR-15)."""
    partition_verification: bool = True
    """A leader verifies with the coordinator before it stores the first batch of a transaction
    (``transaction.partition.verification.enable``, since 3.6). False: it does not, like brokers before 3.6; for
    a client of transaction version 2 it still asks the coordinator to add the partition."""
    marker_retry: bool = True
    """A coordinator sends a marker again that got a retriable error (MRK-10); else it gives the marker up."""
    transaction_log_acks_all: bool = True
    in_flight_cap: bool = True
    """With idempotence, at most five requests may be in flight (CFG-2)."""
    stale_sequence_is_duplicate: bool = False
    """A stale sequence outside the cache is answered with DUPLICATE_SEQUENCE_NUMBER (SEQ-18)."""
    epoch_before_verification: bool = False
    """A leader compares the epoch of a verified batch before it asks whether the verification still holds, so a late
    batch is refused with INVALID_PRODUCER_EPOCH and not with INVALID_TXN_STATE (KAFKA-19690, fixed after 4.1.0)."""
    numbers_in_doubt_kept: bool = True
    """If a batch expires in a retry, its sequence numbers become unresolved (TXM-14). False: later batches get them,
    which was a defect of several client libraries."""
    abort_sent: bool = True
    """To abort a transaction that has partitions or offsets, a client sends EndTxn (TXM-10). False: it ends the
    transaction on its own side only, which was a defect of client libraries, and the coordinator keeps it open."""
    zookeeper_version_check: bool = True
    """A broker claims a block of producer ids only if the version of ZooKeeper's node is still the one that it
    read (PID-3)."""
    offsets_in_transaction: bool = True
    idempotent_handlers: bool = True
    back_check: bool = True
    stored_message_id: bool = True
    durable_prepared_messages: bool = True


def altered(given: Mapping[str, Any]) -> dict[str, Any]:
    """The switches in ``given`` whose value differs from Kafka's own behaviour."""
    standard = Switches()
    return {name: value for name, value in given.items() if value != getattr(standard, name)}
