"""The behaviour of a version of Kafka: a field for each aspect (spec section 0, table *Profiles*). A role
reads these fields when it is built. Each version has a file in ``versions/``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import Error
from engine.messages import RAISING_VERSION

ZOOKEEPER, QUORUM = "zookeeper", "quorum"
"""The values of ``Profile.keeper``: what keeps the decisions of a cluster's controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The behaviour of one version of Kafka. The text of a field says what is true of a version in which the
    field is True; after *else* it says what is true in the others."""

    name: str
    version: str
    idempotence: bool
    """Idempotent and transactional producers exist (not in 0.10)."""
    queued_producer_id_request: bool
    """InitProducerId is queued and does not block (PID-11); else a blocking loop sends it (PID-12)."""
    recovers_by_epoch: bool
    """A producer recovers lost sequences by raising the epoch (TXM-15, TXM-16); else by dropping its producer id."""
    takes_epoch_bumps: bool
    """A coordinator raises the epoch of an identity that InitProducerId names (TXC-9, KIP-360)."""
    retries_retriable_answers: bool
    """A control request is repeated after every error that Kafka calls retriable; else only after those that
    its handler names (TXM-13)."""
    registers_after_append: bool
    """``send()`` adds the partition to the transaction after it has appended the record (TXM-8); else it adds the
    partition before."""
    checks_after_append: bool
    """``send()`` checks the producer's state after it has appended the record, so a record whose call throws stays in
    the accumulator (TXM-5, ``KafkaProducer.doSend``); else it checks the state before."""
    end_sends_everything: bool
    """The end of a transaction makes every batch sendable, and an abort or an abortable error drops batches
    that were never sent (ACC-10, ACC-22); else the end begins a flush that never finishes, and only an abort
    drops batches."""
    close_aborts: bool
    """``close()`` aborts an open transaction (SND-14)."""
    fatal_error_ends_calls: bool
    """A fatal error ends the call that waits for the coordinator (TXM-9)."""
    shows_fencing: bool
    """The application of a fenced producer gets the fencing error itself; else a KafkaException that wraps it
    (CTR-27)."""
    expiry_from_creation: bool
    """A batch expires by its age alone, also in flight and in a muted partition (ACC-19, ACC-21 second rule)."""
    accepts_unknown_producer: bool
    """A producer id without an entry may start at any sequence (SEQ-15); else the answer is
    UNKNOWN_PRODUCER_ID (SEQ-14)."""
    unknown_when_cache_empty: bool
    """If the log has cached no batch of the producer's present epoch, a batch of this epoch with a first
    sequence other than 0 gets UNKNOWN_PRODUCER_ID; else OUT_OF_ORDER_SEQUENCE_NUMBER (CTR-14)."""
    indexes_empty_abort: bool
    """An ABORT marker without an open transaction gets a line in the index of aborted transactions (LOG-9)."""
    marker_counts_as_activity: bool
    """A marker updates the last timestamp of the producer's entry in the log (LOG-12)."""
    end_txn_accepts_newer_epoch: bool
    """The first check of EndTxn refuses only lower epochs (TXC-14); else it refuses every other epoch."""
    failed_fence_keeps_epoch: bool
    """After a fence whose append failed, the next fence keeps the raised epoch (TXC-11)."""
    stale_epoch_is_fatal: bool
    """INVALID_PRODUCER_EPOCH in response to a Produce ends the producer (SND-9)."""
    marker_storage_error_retries: bool
    """A marker that gets KAFKA_STORAGE_ERROR is sent again; else the error is an internal one (MRK-8)."""
    newer_completion_stays: bool
    """The answer to a marker of an older election cancels the completion of that election only (KAFKA-16352,
    since 3.8); else it cancels whichever completion the id has now (MRK-9)."""
    coordinator_answers_fenced: bool
    """The coordinator answers a stale epoch with PRODUCER_FENCED; else with INVALID_PRODUCER_EPOCH (CTR-44)."""
    retention_drops_producers: bool
    """When the log start rises, producers whose newest batch is below it are forgotten (LOG-11)."""
    drain_resumes_after_stop: bool
    """After a drain that stopped early, the next pass starts after the blocked partition (ACC-15)."""
    offsets_name_member: bool
    """TxnOffsetCommit names the committing member and its generation (KIP-447)."""
    waits_for_stable_offsets: bool
    """A consumer's OffsetFetch gets UNSTABLE_OFFSET_COMMIT until the transactions with pending offsets are
    decided (KIP-447)."""
    offsets_block_without_limit: bool
    """``sendOffsetsToTransaction`` waits without limit; else at most ``max_block_ms`` (TXM-5)."""
    drops_stray_snapshots: bool
    """A log that is opened deletes each producer snapshot that is not at the start of a segment, unless it is
    behind the last of these starts (KAFKA-9393)."""
    truncation_sets_high_watermark: bool
    """A truncation sets the high watermark of the log's transactions at once; else the next fetch does (LOG-8)."""
    validates_by_origin: bool
    """The origin of an append decides how strictly it is validated (SEQ-9); else the topic's name and the
    caller do."""
    rolls_before_validation: bool
    """A full segment is closed before an append is validated, so even a duplicate closes it (``Log.append``)."""
    one_batch_per_append: bool
    """A leader refuses an append of several batches with INVALID_RECORD (``LogValidator``, since 2.4)."""
    watermark_needs_min_isr: bool
    """The high watermark stays while fewer replicas are in sync than ``min.insync.replicas`` (KAFKA-15583,
    since 3.7); else it rises with the replicas that are in sync."""
    verifies_partitions: bool
    """A leader asks the coordinator before it appends the first batch of a transaction (KIP-890, since 3.6)."""
    verifies_each_epoch: bool
    """A transaction that an earlier epoch left open in the log does not make verification unnecessary
    (``UnifiedLog.hasOngoingTransaction``, since 4.0)."""
    refuses_lower_epoch_unasked: bool
    """A leader refuses a write with an epoch below the one in its log before it asks the coordinator (KAFKA-18042,
    since 4.1)."""
    knows_transaction_abortable: bool
    """Brokers answer TRANSACTION_ABORTABLE, and clients understand it (KIP-890, since 3.8); else
    INVALID_TXN_STATE takes its place."""
    outlives_denied_identity: bool
    """If an identity is denied, the waiting requests fail, and the client may request another (KAFKA-13668,
    since 3.6); else the denial is fatal."""
    failed_send_fails_transaction: bool
    """A transaction in which ``send()`` failed, because the record is too large or no memory came free, can only be
    aborted (KAFKA-9279, since 3.2); else it may be committed without the record."""
    wrong_state_is_fatal: bool
    """A change of state that the client's own table does not allow is an IllegalStateException: in a call it
    changes nothing, in the Sender's thread it is fatal (KAFKA-14831, since 3.6). Else it is a KafkaException,
    and the Sender's thread continues."""
    late_call_must_repeat: bool
    """After a call that timed out only the same call is allowed, until it has returned (KAFKA-13412, since 3.1.1)."""
    late_failure_counts: bool
    """A second failure of a finished batch takes its sequence numbers back and changes the state (KAFKA-14830)."""
    knows_batches_by_number: bool
    """The batches in flight of a partition are identified by first sequence number alone, so a finished batch
    can be mistaken for another one that has its number now (2.3 to 3.0.1 and 3.1.0,
    ``TopicPartitionEntry.inflightBatchesBySequence``)."""
    overdue_is_timed_out: bool
    """The batches of an overdue request get REQUEST_TIMED_OUT (KAFKA-14317, since 3.5); else
    NETWORK_EXCEPTION, as when a connection ends."""
    idempotent_by_default: bool
    """A producer without settings of its own is idempotent, with acks=all and retries without limit (KIP-679, since
    3.0)."""
    refuses_many_in_flight: bool
    """More requests in flight than idempotence permits are refused unless idempotence is switched off (KAFKA-17927,
    since 4.0); else they turn off idempotence that is on only by default."""
    producers_expire_in_a_day: bool
    """A log forgets an idle producer after ``producer.id.expiration.ms``, which is a day (KIP-854, since
    3.4); else after the time after which an idle transactional id is forgotten."""
    any_write_suffices: bool
    """Write on any topic replaces IdempotentWrite on the cluster when a producer requests its id, and Produce
    needs neither (KIP-679; in Kafka since 2.8, here since 3.9: ``engine/README.md``)."""
    retry_backoff_grows: bool
    """A batch that is resent waits twice as long each time, up to a second (KIP-580, since 3.7)."""
    waits_before_identity: bool
    """While a change of the id is being written, AddPartitionsToTxn is refused before identities are
    compared, because the change may bring the identity that the request names (KAFKA-18660, since 4.0); else
    they are compared first."""
    unknown_mapping_is_fatal: bool
    """INVALID_PRODUCER_ID_MAPPING ends the producer, because the id may have belonged to another producer
    meanwhile (KAFKA-18019, since 4.0); else the transaction can be aborted and the epoch raised."""
    describes_producers: bool
    """Brokers describe the producers that a log remembers (KIP-664; KAFKA-12238, since 2.8)."""
    describes_transactions: bool
    """Coordinators list and describe transactional ids (KIP-664; KAFKA-12267 and KAFKA-12369, since 3.0)."""
    rebootstraps: bool
    """A client that can reach none of the brokers that it knows starts again from ``bootstrap.servers`` (KIP-899,
    the default since 4.0); else it tries only the brokers that it knows."""
    commit_may_raise_epoch: bool
    """After a commit, InitProducerId may raise the epoch for the next transaction. In this way a client
    changes to transaction version 2 (``TransactionManager``, since 4.0)."""
    transaction_version: int
    """The highest level of the cluster's feature ``transaction.version`` that this version supports
    (KIP-1022). From level 1 on, the coordinator also logs the client's transaction version; at level 2 each
    transaction has an epoch of its own (KIP-890, second part, since 4.0). The level is a setting of the
    cluster. A client uses level 2 when both it and the cluster's level allow that."""

    asks_controller_for_isr: bool
    """A leader sends a request to the controller to change the in-sync replicas (AlterIsr, KIP-497, since
    2.7); else it writes them to ZooKeeper itself."""
    quorum_controller: bool
    """Controllers keep every decision in a log that brokers follow (KRaft); else ZooKeeper keeps them."""

    @property
    def keeper(self) -> str:
        """``quorum`` or ``zookeeper``: what keeps the controller's decisions."""
        return QUORUM if self.quorum_controller else ZOOKEEPER

    @property
    def epoch_for_each_transaction(self) -> bool:
        """Whether the decision about a transaction raises the epoch, and leaders add its partitions (level 2,
        KIP-890)."""
        return self.transaction_version >= RAISING_VERSION

    def at_level(self, level: int) -> Profile:
        """This version in a cluster with ``level`` of ``transaction.version``: the lower of the two levels
        applies."""
        return replace(self, transaction_version=min(level, self.transaction_version))

    @property
    def errors(self) -> tuple[Error, ...]:
        """The errors that this version has, without NONE."""
        return tuple(
            error for error in Error if error is not Error.NONE and age(error.since) <= age(self.version)
        )


def holds(profile: object, only_if: str | None, unless: str | None) -> bool:
    """Whether a version has a row of a machine, a rule or a line of pseudocode: the profile's field
    ``only_if`` is true, and ``unless`` is false. An empty name or None sets no condition."""
    return (not only_if or bool(getattr(profile, only_if))) and (not unless or not getattr(profile, unless))


def age(version: str) -> tuple[int, ...]:
    """``2.8`` → (2, 8), so that versions can be compared by age: the older one is the lesser."""
    return tuple(int(number) for number in version.split("."))


def spoken_with(client: Profile, cluster: Profile) -> Profile:
    """The behaviour of a client of one version with brokers of another (KIP-35)."""
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
