"""Kafka 3.9 with transaction version 0: leaders ask the coordinator before a transaction starts in a log (KIP-890,
first part).

A control request goes again after every retriable error, where 2.8 fails (``TransactionManager``, all its handlers).
TRANSACTION_ABORTABLE ends the transaction alone (Produce 11, TxnOffsetCommit 4, AddPartitionsToTxn 5 and their like),
an identity that is denied may be asked for again, and a wrong state is an IllegalStateException.
The question is left out wherever the producer id has a transaction open in the log, whatever its epoch
(``UnifiedLog.hasOngoingTransaction``); 4.1 looks at the epoch too (KAFKA-19690, ``verifies_each_epoch``).

Like 2.8 here, unlike it in Kafka 3.9:

- ``send()`` appends the record before it asks for the state (``KafkaProducer.doSend``), so a record whose call throws
  may still be sent.
- An answer names the new leader, and a batch goes there without backoff (KIP-951); the backoff of Metadata grows, and
  all grow with jitter (KIP-580).
"""

from __future__ import annotations

from dataclasses import replace

from engine.versions.k28 import PROFILE as K28

PROFILE = replace(
    K28,
    name="k39",
    version="3.9",
    verifies_partitions=True,
    retries_retriable_answers=True,
    knows_transaction_abortable=True,
    outlives_denied_identity=True,
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
