"""The table of the steps that only carry data or metadata for other steps, with their purposes. Adjacent steps of
this kind become one line of a beat, which counts them and names their purposes (``beat.line.<purpose>`` in the
catalogue)."""

from __future__ import annotations

PURPOSES_MAX = 3
"""A line names at most this many purposes."""

_PURPOSES: dict[str, tuple[str, ...]] = {
    "coordinator": (
        "client.coordinator_unknown", "client.coordinator_found", "client.control_lookup",
        "broker.coordinator_found", "broker.internal_topic_absent", "client.coordinator_not_reached",
        "group_session.looks_up", "group_session.coordinator_found", "controller.topic_creation_begins",
        "controller.topic_known", "broker.asks_coordinator", "broker.has_coordinator_add", "broker.asks_again",
        "coordinator.partitions_belong",
    ),
    "batching": (
        "client.record_starts_batch", "client.record_joins_batch", "client.waits_linger", "client.ready_linger",
        "client.ready_full", "client.ready_flush", "client.ready_closed", "client.ready_exhausted",
        "client.ready_completing", "client.completing_flushes", "client.drained", "client.drained_plain",
        "client.drained_plain_again",
        "client.drained_mixed", "client.partition_new", "client.partition_left_to_leader",
    ),
    "sending": (
        "client.sent", "client.control_sent", "client.transactional_sent", "client.transactional_sent_others_wait",
        "client.drained_again", "client.ready_again",
        "client.drained_renumbered", "client.drained_some_renumbered",
    ),
    "waiting": (
        "client.waits_control", "client.sleeps", "client.waits_backoff", "client.waits_not_connected",
        "client.waits_producer_id", "client.waits_linger_again",
        "client.waits_muted", "client.waits_in_flight_full", "client.waits_no_leader", "client.control_retried",
        "client.control_retried_soon", "client.connects",
        "client.call_resumed", "client.waits_partition_not_added",
        "client.waits_earlier_in_flight", "client.waits_unresolved",
        "client.waits_older_epoch_in_flight", "client.waits_no_producer_id", "client.waits_fatal_error",
        "client.producer_id_retried", "loop.pauses", "network.request_waits",
    ),
    "answers": (
        "client.acknowledged", "client.acknowledged_plain", "client.answer_unexpected",
        "network.delivered", "client.answer_for_aborted", "client.success_for_aborted",
    ),
    "metadata": (
        "client.metadata_requested", "client.metadata_received", "client.metadata_unchanged", "client.metadata_read",
        "client.metadata_requested_alone",
        "client.metadata_wanted", "broker.metadata_answered", "broker.metadata_without_topics", "client.leader_unknown",
        "consumer.metadata_requested",
        "consumer.metadata_received", "consumer.metadata_unchanged", "lifecycle.metadata_read",
    ),
    "registration": (
        "lifecycle.asks_to_register", "lifecycle.asks_to_register_again", "lifecycle.registers_later",
        "lifecycle.has_broker_epoch", "lifecycle.not_unfenced_yet", "lifecycle.sends_heartbeat",
        "lifecycle.heartbeats_again", "lifecycle.heartbeat_answered", "lifecycle.may_not_stop_yet",
        "lifecycle.late_answer", "quorum.broker_registered", "quorum.registration_amended",
        "quorum.broker_not_caught_up", "quorum.heartbeat_noted", "quorum.shutdown_waits",
        "quorum.fenced_broker_may_stop",
    ),
    "replication": (
        "broker.replica_fetched", "broker.high_watermark_advanced", "broker.replica_learned_high_watermark",
        "broker.log_start_follows", "broker.high_watermark_follows_isr", "broker.asks_isr_back",
        "broker.writes_isr_back", "broker.writes_isr_again",
        "controller.isr_expanded", "broker.asks_isr_smaller", "broker.asks_isr_again", "broker.isr_change_committed",
        "broker.isr_answer_old", "quorum.isr_grown",
    ),
    "reading": (
        "consumer.fetches", "consumer.moves_on", "broker.fetch_answered", "broker.fetch_answered_empty",
        "consumer.fetch_refused", "consumer.fetch_repeated", "consumer.buffers", "consumer.disconnected",
        "consumer.answer_unexpected",
    ),
    "positions": (
        "group_session.asks_committed", "group.offsets_told", "consumer.begins_at", "consumer.resumes_at",
        "consumer.asks_end", "consumer.end_refused", "broker.end_returned", "broker.end_returned_stable",
        "group_session.commits", "group_session.retry", "group_session.look_up", "consumer.left_group",
        "consumer.left_group_at_close",
    ),
    "tool": (
        "broker.producers_described", "broker.transaction_described", "broker.transaction_described_over",
        "broker.transactions_listed", "broker.no_transaction_listed", "broker.coordinates_nothing",
        "tool.broker_found", "tool.every_broker_found", "tool.partitions_to_search", "tool.no_partition_to_search",
        "tool.producers_shown",
        "tool.transactions_shown", "tool.description_shown", "tool.description_shown_over",
    ),
    "database": (
        "service.writes_rows", "service.rows_held", "service.row_existed", "service.commits", "service.committed_rows",
        "service.worker_inserts", "service.worker_done", "service.worker_found_row",
        "service.asks_outbox", "service.rolled_back_rows", "service.rolls_back", "service.restores_offsets",
        "database.tells_offsets", "database.has_no_offsets", "database.tells_outbox", "database.outbox_is_empty",
        "local_transaction.opens", "local_transaction.opens_to_delete",
    ),
    "ids": (
        "zookeeper.read", "zookeeper.read_empty", "zookeeper.written", "zookeeper.first_written",
        "broker.first_block_wanted", "broker.next_block_wanted", "broker.late_zookeeper_reply",
        "allocation.asks_for_block", "allocation.asks_for_block_later", "allocation.block_received",
    ),
}  # fmt: skip

PURPOSE_OF = {key: purpose for purpose, keys in _PURPOSES.items() for key in keys}
REPEATED = "repeated"
"""The purpose of every step in a stretch of repeats (``repeats.py``)."""
PURPOSES = (*_PURPOSES, REPEATED)
