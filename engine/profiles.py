"""The three generations of Kafka that a run may follow (spec section 0, table *Profiles*).

One row per aspect; code asks the profile, never its name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one generation does. Every field is one row of the spec's table or a measured difference."""

    name: str
    version: str
    idempotence: bool
    """Idempotent and transactional producers exist (not in 0.10)."""
    queued_producer_id_request: bool
    """PID fetched by a queued, non-blocking request (PID-11); else a blocking loop (PID-12)."""
    epoch_bump: bool
    """Lost sequences are recovered by raising the epoch (TXM-15, TXM-16); else the PID is reset."""
    expiry_from_creation: bool
    """A batch expires by its age alone, in flight or not (ACC-21 second rule)."""
    expire_muted: bool
    """A muted partition's batches expire too (ACC-19)."""
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
    coordinator_answers_fenced: bool
    """Stale epoch at the coordinator: PRODUCER_FENCED; else INVALID_PRODUCER_EPOCH (CTR-44)."""
    retention_drops_producers: bool
    """Raising the log start forgets producers whose newest batch lies below it (LOG-11)."""
    drain_resumes_after_stop: bool
    """After an early drain stop the next pass starts after the blocked partition (ACC-15)."""
    offsets_name_member: bool
    """TxnOffsetCommit says which member of which generation commits (KIP-447)."""
    waits_for_stable_offsets: bool
    """A consumer that asks where its group stands waits for open transactions to decide (KIP-447)."""
    offsets_block_without_limit: bool
    """``sendOffsetsToTransaction`` waits as long as it takes; else ``max_block_ms`` at most (TXM-5)."""
    drops_stray_snapshots: bool
    """A log that is opened forgets producer snapshots between segment starts (KAFKA-9393)."""
    truncation_sets_high_watermark: bool
    """Cutting a log tells its transactions the high watermark again; else the next fetch does (LOG-8)."""
    validates_by_origin: bool
    """Validation level follows the append's origin (SEQ-9); else the topic's name and caller."""
    rolls_before_validation: bool
    """A full segment is closed before an append is validated, and so for a duplicate too (``Log.append``)."""
    one_batch_per_append: bool
    """A leader's append of several batches is refused with INVALID_RECORD (``LogValidator``, since 2.4)."""
    verifies_partitions: bool
    """A leader asks the coordinator before it appends the first batch of a transaction (KIP-890, since 3.6)."""


K010 = Profile(
    name="k010",
    version="0.10",
    idempotence=False,
    queued_producer_id_request=False,
    epoch_bump=False,
    expiry_from_creation=False,
    expire_muted=False,
    accepts_unknown_producer=False,
    unknown_when_cache_empty=True,
    indexes_empty_abort=True,
    marker_counts_as_activity=False,
    end_txn_accepts_newer_epoch=True,
    failed_fence_keeps_epoch=False,
    stale_epoch_is_fatal=True,
    marker_storage_error_retries=False,
    coordinator_answers_fenced=False,
    retention_drops_producers=True,
    drain_resumes_after_stop=False,
    offsets_name_member=False,
    waits_for_stable_offsets=False,
    offsets_block_without_limit=True,
    drops_stray_snapshots=False,
    truncation_sets_high_watermark=False,
    validates_by_origin=False,
    rolls_before_validation=False,
    one_batch_per_append=False,
    verifies_partitions=False,
)

K20 = Profile(
    name="k20",
    version="2.0",
    idempotence=True,
    queued_producer_id_request=False,
    epoch_bump=False,
    expiry_from_creation=False,
    expire_muted=False,
    accepts_unknown_producer=False,
    unknown_when_cache_empty=True,
    indexes_empty_abort=True,
    marker_counts_as_activity=False,
    end_txn_accepts_newer_epoch=True,
    failed_fence_keeps_epoch=False,
    stale_epoch_is_fatal=True,
    marker_storage_error_retries=False,
    coordinator_answers_fenced=False,
    retention_drops_producers=True,
    drain_resumes_after_stop=False,
    offsets_name_member=False,
    waits_for_stable_offsets=False,
    offsets_block_without_limit=True,
    drops_stray_snapshots=False,
    truncation_sets_high_watermark=False,
    validates_by_origin=False,
    rolls_before_validation=False,
    one_batch_per_append=False,
    verifies_partitions=False,
)

K28 = Profile(
    name="k28",
    version="2.8",
    idempotence=True,
    queued_producer_id_request=True,
    epoch_bump=True,
    expiry_from_creation=True,
    expire_muted=True,
    accepts_unknown_producer=True,
    unknown_when_cache_empty=False,
    indexes_empty_abort=False,
    marker_counts_as_activity=True,
    end_txn_accepts_newer_epoch=False,
    failed_fence_keeps_epoch=True,
    stale_epoch_is_fatal=False,
    marker_storage_error_retries=True,
    coordinator_answers_fenced=True,
    retention_drops_producers=False,
    drain_resumes_after_stop=True,
    offsets_name_member=True,
    waits_for_stable_offsets=True,
    offsets_block_without_limit=False,
    drops_stray_snapshots=True,
    truncation_sets_high_watermark=True,
    validates_by_origin=True,
    rolls_before_validation=True,
    one_batch_per_append=True,
    verifies_partitions=False,
)

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (K010, K20, K28)}
