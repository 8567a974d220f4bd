"""Kafka 2.8: producers that lost their numbers raise their epoch (KIP-360), offsets name their member (KIP-447)."""

from __future__ import annotations

from engine.profile import Profile

PROFILE = Profile(
    name="k28",
    version="2.8",
    idempotence=True,
    queued_producer_id_request=True,
    recovers_by_epoch=True,
    takes_epoch_bumps=True,
    retries_retriable_answers=False,
    registers_after_append=True,
    end_sends_everything=True,
    close_aborts=True,
    fatal_error_ends_calls=True,
    shows_fencing=True,
    expiry_from_creation=True,
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
    verifies_each_epoch=False,
)
