"""Kafka 3.9 with transaction version 0: leaders ask the coordinator before a transaction starts in a log
(KIP-890, first part).

A control request is repeated after every retriable error; in 2.8 it fails after some of them
(``TransactionManager``, all its handlers). TRANSACTION_ABORTABLE ends only the transaction (Produce 11,
TxnOffsetCommit 4, AddPartitionsToTxn 5 and similar versions), a producer whose identity was denied may request one
again, and a wrong state is an IllegalStateException. The leader does not ask if the producer id has an open
transaction in the log, whatever its epoch (``UnifiedLog.hasOngoingTransaction``); 4.1 also compares the epoch
(``verifies_each_epoch``).

This profile differs from Kafka 3.9 in two ways:

- In Kafka 3.9 an answer names the new leader, and a batch goes there without backoff (KIP-951). Here neither
  happens, as in 2.8.
- In Kafka 3.9 all backoffs grow, with jitter (KIP-580). Here only the backoff of batches grows, without jitter
  (``retry_backoff_grows``).
"""

from __future__ import annotations

from dataclasses import replace

from engine.versions.k28 import PROFILE as K28

PROFILE = replace(
    K28,
    name="k39",
    version="3.9",
    checks_after_append=True,
    watermark_needs_min_isr=True,
    verifies_partitions=True,
    retries_retriable_answers=True,
    knows_transaction_abortable=True,
    outlives_denied_identity=True,
    failed_send_fails_transaction=True,
    wrong_state_is_fatal=True,
    late_call_must_repeat=True,
    late_failure_counts=False,
    newer_completion_stays=True,
    knows_batches_by_number=False,
    overdue_is_timed_out=True,
    idempotent_by_default=True,
    producers_expire_in_a_day=True,
    any_write_suffices=True,
    retry_backoff_grows=True,
    describes_transactions=True,
    quorum_controller=True,
)
