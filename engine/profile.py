"""The behaviour of a version of Kafka: a field for each aspect (spec section 0, table *Profiles*).

A role reads these fields when it is built, and never afterwards. Each version has a file in ``versions/``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import Error
from engine.messages import RAISING_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The behaviour of one generation. Every field is one row of the spec's table or a measured difference."""

    name: str
    version: str
    idempotence: bool
    """Idempotent and transactional producers exist (not in 0.10)."""
    queued_producer_id_request: bool
    """PID fetched by a queued, non-blocking request (PID-11); else a blocking loop (PID-12)."""
    recovers_by_epoch: bool
    """Lost sequences are recovered by raising the epoch (TXM-15, TXM-16); else the PID is reset."""
    takes_epoch_bumps: bool
    """A coordinator raises the epoch of an identity that InitProducerId names (TXC-9, KIP-360)."""
    retries_retriable_answers: bool
    """A control request goes again after every error that Kafka calls retriable; else after those that its handler
    names (TXM-13)."""
    registers_after_append: bool
    """``send()`` adds the partition to the transaction after it appended the record (TXM-8); else before."""
    end_sends_everything: bool
    """The end of a transaction sends every batch, and an abort or an abortable error drops batches that were never
    sent (ACC-10, ACC-22); else the end begins a flush that never finishes, and only an abort drops batches."""
    close_aborts: bool
    """``close()`` aborts an open transaction (SND-14)."""
    fatal_error_ends_calls: bool
    """A fatal error ends the call that waits for the coordinator (TXM-9)."""
    shows_fencing: bool
    """A fenced application gets the fencing error itself; else a KafkaException around it (CTR-27)."""
    expiry_from_creation: bool
    """A batch expires by its age alone, in flight or not, in a muted partition, too (ACC-19, ACC-21 second rule)."""
    accepts_unknown_producer: bool
    """A PID without an entry may start at any sequence (SEQ-15); else UNKNOWN_PRODUCER_ID (SEQ-14)."""
    unknown_when_cache_empty: bool
    """Same epoch, nothing cached, first sequence not 0: UNKNOWN_PRODUCER_ID; else OUT_OF_ORDER (CTR-14)."""
    indexes_empty_abort: bool
    """An ABORT marker where nothing is open is indexed as aborted (LOG-9)."""
    marker_counts_as_activity: bool
    """A marker sets the entry's last timestamp (LOG-12)."""
    end_txn_accepts_newer_epoch: bool
    """EndTxn's entry check refuses only lower epochs (TXC-14)."""
    failed_fence_keeps_epoch: bool
    """After a failed fence append the next fence keeps the raised epoch (TXC-11)."""
    stale_epoch_is_fatal: bool
    """INVALID_PRODUCER_EPOCH on produce ends the producer (SND-9)."""
    marker_storage_error_retries: bool
    """KAFKA_STORAGE_ERROR for a marker is retried; else an internal error (MRK-8)."""
    newer_completion_stays: bool
    """The answer to a marker of an older election cancels the completion of that election alone (KAFKA-16352, since
    3.8); else whichever completion the id has now (MRK-9)."""
    coordinator_answers_fenced: bool
    """Stale epoch at the coordinator: PRODUCER_FENCED; else INVALID_PRODUCER_EPOCH (CTR-44)."""
    retention_drops_producers: bool
    """Raising the log start forgets producers whose newest batch is below it (LOG-11)."""
    drain_resumes_after_stop: bool
    """After an early drain stop the next pass starts after the blocked partition (ACC-15)."""
    offsets_name_member: bool
    """TxnOffsetCommit names the committing member and its generation (KIP-447)."""
    waits_for_stable_offsets: bool
    """OffsetFetch of a consumer waits until open transactions are decided (KIP-447)."""
    offsets_block_without_limit: bool
    """``sendOffsetsToTransaction`` waits as long as it takes; else ``max_block_ms`` at most (TXM-5)."""
    drops_stray_snapshots: bool
    """A log that is opened forgets producer snapshots between segment starts (KAFKA-9393)."""
    truncation_sets_high_watermark: bool
    """A truncation sets the high watermark of the log's transactions at once; else the next fetch does (LOG-8)."""
    validates_by_origin: bool
    """Validation level follows the append's origin (SEQ-9); else the topic's name and caller."""
    rolls_before_validation: bool
    """A full segment is closed before an append is validated, and so for a duplicate too (``Log.append``)."""
    one_batch_per_append: bool
    """A leader's append of several batches is refused with INVALID_RECORD (``LogValidator``, since 2.4)."""
    verifies_partitions: bool
    """A leader asks the coordinator before it appends the first batch of a transaction (KIP-890, since 3.6)."""
    verifies_each_epoch: bool
    """A transaction that an earlier epoch left open in the log does not replace a verification (KAFKA-19690)."""
    knows_transaction_abortable: bool
    """TRANSACTION_ABORTABLE is answered and understood (KIP-890, since 3.8); else INVALID_TXN_STATE."""
    outlives_denied_identity: bool
    """A denied identity fails waiting requests, and the client may ask again (KAFKA-13668, since 3.6); else it is
    fatal."""
    wrong_state_is_fatal: bool
    """A change of state that the client's own table does not allow is an IllegalStateException: in a call it
    changes nothing, in the Sender's thread it is fatal (KAFKA-14831, since 3.6). Else it is a KafkaException,
    and the Sender's thread continues."""
    late_call_must_repeat: bool
    """After a call that timed out only the same call is allowed, until it has returned (KAFKA-13412, since 3.1.1)."""
    late_failure_counts: bool
    """A second failure of a finished batch takes its sequence numbers back and changes the state (KAFKA-14830)."""
    knows_batches_by_number: bool
    """The batches in flight of a partition are kept by first sequence number alone, so a finished batch can be mistaken
    for another that has its number now (2.4 to 2.8, ``TopicPartitionEntry.inflightBatchesBySequence``)."""
    overdue_is_timed_out: bool
    """A request that is overdue fails its batches with REQUEST_TIMED_OUT (KAFKA-14317, since 3.5); else with
    NETWORK_EXCEPTION, as when a connection ends."""
    idempotent_by_default: bool
    """A producer without settings of its own is idempotent, with acks=all and retries without limit (KIP-679, since
    3.0)."""
    producers_expire_in_a_day: bool
    """An idle producer leaves the log's memory after ``producer.id.expiration.ms``, a day (KIP-854, since 3.4); else
    after as long as a transactional id."""
    any_write_suffices: bool
    """Write on any topic replaces IdempotentWrite on the cluster when a producer asks for its id, and Produce asks for
    neither (KIP-679; in Kafka since 2.8, here since 3.9: ``engine/README.md``)."""
    retry_backoff_grows: bool
    """A batch that goes again waits twice as long each time, up to a second (KIP-580, since 3.7)."""
    waits_before_identity: bool
    """While a change of the id is being written, AddPartitionsToTxn is refused before identities are compared: the
    change may bring the identity that the request names (KAFKA-18660, since 4.0); else they are compared first."""
    unknown_mapping_is_fatal: bool
    """INVALID_PRODUCER_ID_MAPPING ends the producer, because the id may have been another's meanwhile (KAFKA-18019,
    since 4.0); else the transaction can be aborted and the epoch raised."""
    describes_transactions: bool
    """Brokers list and describe transactional ids, and the producers that a log remembers (KIP-664, since 3.0)."""
    commit_may_raise_epoch: bool
    """A commit may be followed by InitProducerId, which raises the epoch for the next transaction: so a client goes
    over to transaction version 2 (``TransactionManager``, since 4.0)."""
    transaction_version: int
    """The highest level of the cluster's feature ``transaction.version`` that this version supports
    (KIP-1022): level 1 logs the previous and next identities, too; level 2 has an epoch for each transaction
    (KIP-890, second part, since 4.0). The level is a setting of the cluster. A client uses level 2 when both
    it and the cluster's level allow that."""

    asks_controller_for_isr: bool
    """A leader asks the controller for other in-sync replicas (AlterIsr, KIP-497, since 2.7); else it writes them to
    ZooKeeper itself."""
    quorum_controller: bool
    """Controllers keep every decision in a log that brokers follow (KRaft); else ZooKeeper keeps them."""

    @property
    def epoch_for_each_transaction(self) -> bool:
        """The decision about a transaction raises the epoch, and leaders add its partitions (level 2, KIP-890)."""
        return self.transaction_version >= RAISING_VERSION

    def at_level(self, level: int) -> Profile:
        """This version in a cluster that is at a level of ``transaction.version``."""
        return replace(self, transaction_version=min(level, self.transaction_version))

    @property
    def errors(self) -> tuple[Error, ...]:
        """The errors that this version has, NONE aside."""
        return tuple(
            error for error in Error if error is not Error.NONE and age(error.since) <= age(self.version)
        )


def holds(profile: object, only_if: str | None, unless: str | None) -> bool:
    """Whether a version has a row of a machine, a rule or a line of pseudocode: the field or property of the profile
    that ``only_if`` names is true, and that of ``unless`` false. An empty name or None sets no condition."""
    return (not only_if or bool(getattr(profile, only_if))) and (not unless or not getattr(profile, unless))


def age(version: str) -> tuple[int, ...]:
    """``2.8`` → (2, 8): the older version is the lesser."""
    return tuple(int(number) for number in version.split("."))


def spoken_with(client: Profile, cluster: Profile) -> Profile:
    """The behaviour of a client of one version with brokers of another: both agree on request versions (KIP-35),
    so it lacks what the older side does not support."""
    if client is cluster:
        return client
    return replace(
        client,
        idempotence=client.idempotence and cluster.idempotence,
        takes_epoch_bumps=cluster.takes_epoch_bumps,
        knows_transaction_abortable=client.knows_transaction_abortable
        and cluster.knows_transaction_abortable,
        offsets_name_member=client.offsets_name_member and cluster.offsets_name_member,
        waits_for_stable_offsets=client.waits_for_stable_offsets and cluster.waits_for_stable_offsets,
        transaction_version=min(client.transaction_version, cluster.transaction_version),
    )
