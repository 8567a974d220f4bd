"""The steps that show an inaccurate or wrong statement of the sources (specification section 20, UIV-6).

Owns the mapping from a sentence to the entries of the register that it demonstrates. A step or note with that
sentence lists the entries beside its rules. If an entry applies to only one of several reasons for a
sentence, the code that emits the sentence names the entry. The text of an entry is in the catalogue, under
``requirement.CTR-n``.
"""

from __future__ import annotations

_ENTRIES: dict[str, tuple[str, ...]] = {
    "CTR-2": ("client.requeued", "client.requeued_refused"),
    "CTR-3": ("broker.internal_topic_absent", "controller.topic_created"),
    "CTR-4": ("zookeeper.write_refused", "zookeeper.written"),
    "CTR-5": ("broker.first_block_wanted",),
    "CTR-6": ("broker.producer_id_overflowed", "broker.next_block_wanted"),
    "CTR-7": ("broker.producer_ids_exhausted", "broker.producer_id_overflowed"),
    "CTR-8": ("broker.stale_sequence_refused", "broker.sequence_gap_refused"),
    "CTR-9": ("broker.sequence_gap_refused",),
    "CTR-10": ("broker.sequence_wrapped",),
    "CTR-11": ("broker.new_epoch_accepted", "coordinator.stale_epoch"),
    "CTR-12": ("broker.new_epoch_accepted",),
    "CTR-13": ("broker.unknown_producer_accepted", "broker.unknown_producer_refused"),
    "CTR-14": ("broker.nothing_cached_refused",),
    "CTR-16": ("broker.stale_sequence_refused",),
    "CTR-17": ("client.drained_again",),
    "CTR-18": ("client.metadata_requested", "client.control_sent"),
    "CTR-19": ("client.batch_expired_unsent", "client.ready_exhausted", "client.waits_backoff"),
    "CTR-20": ("client.waits_in_flight_full",),
    "CTR-21": ("coordinator.impossible_state",),
    "CTR-22": ("coordinator.fences_open_transaction",),
    "CTR-23": ("client.epoch_exhausted", "coordinator.id_rotated"),
    "CTR-24": ("coordinator.all_markers_acknowledged",),
    "CTR-27": ("client.send_in_error",),
    "CTR-29": ("coordinator.id_expires",),
    "CTR-30": ("broker.marker_appended", "broker.marker_appended_and_waits"),
    "CTR-31": ("broker.readers_wait_for_transaction",),
    "CTR-33": ("group.offset_becomes_visible", "group.offset_dropped"),
    "CTR-34": ("coordinator.epoch_raised",),
    "CTR-35": ("broker.producer_id_issued", "coordinator.id_rotated", "coordinator.tombstone_durable"),
    "CTR-37": ("client.stopped_unresolved", "client.waits_unresolved"),
    "CTR-39": ("middleware.refused", "middleware.votes_missing"),
    "CTR-42": ("client.transactional_sent", "client.transactional_sent_others_wait"),
    "CTR-44": ("broker.stale_epoch_refused", "coordinator.stale_epoch"),
    "CTR-46": ("loop.commits_positions", "loop.restarts"),
    "CTR-47": ("coordinator.image_durable",),
    "CTR-48": ("broker.block_claimed",),
}


def _by_sentence() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry, keys in _ENTRIES.items():
        for key in keys:
            found[key] = (*found.get(key, ()), entry)
    return found


ENTRIES_AT: dict[str, tuple[str, ...]] = _by_sentence()
"""Dict of key of a sentence → the register entries that it demonstrates."""
