"""Kafka 2.0: producers that lost their numbers ask for another producer id."""

from __future__ import annotations

from engine.profile import Profile

PROFILE = Profile(
    name="k20",
    version="2.0",
    idempotence=True,
    queued_producer_id_request=False,
    recovers_by_epoch=False,
    takes_epoch_bumps=False,
    retries_retriable_answers=False,
    registers_after_append=False,
    end_sends_everything=False,
    close_aborts=False,
    fatal_error_ends_calls=False,
    shows_fencing=False,
    expiry_from_creation=False,
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
    verifies_each_epoch=False,
)
