"""Events that must happen in some run, because otherwise the invariants are not really tested; and the sentences that
show that an event happened.

A row names the keys of sentences; its event has happened when one of them was said. Notes are heard only in runs that
are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sometimes:
    what: str
    keys: tuple[str, ...]
    rare: bool = False
    """Whether the event is only expected in searches of millions of steps."""


def _row(what: str, *keys: str) -> Sometimes:
    return Sometimes(what, keys)


def _rare(what: str, *keys: str) -> Sometimes:
    return Sometimes(what, keys, rare=True)


RARE_FROM_STEPS = 3_000_000


ABORT_HIDDEN = "search.abort_hidden"

SOMETIMES: tuple[Sometimes, ...] = (
    _row("a duplicate was rejected", "broker.duplicate_found"),
    _row("a gap was refused", "broker.sequence_gap_refused"),
    _row("a zombie's record was refused", "broker.stale_epoch_refused"),
    _row("a zombie was refused by its coordinator", "coordinator.stale_epoch"),
    _row("a twin ended an open transaction", "coordinator.fences_open_transaction"),
    _row("a late transaction was aborted", "coordinator.transaction_timed_out"),
    _row("a coordinator moved", "coordinator.loaded"),
    _rare("a coordinator moved between Prepare and Complete", "coordinator.resumes_markers"),
    _row("a marker was sent again", "markers.sent_again", "markers.refused_for_now"),
    _rare("a marker met a connection that ended", "markers.disconnected"),
    _rare("a marker waited for a leader", "markers.parked"),
    _rare("a stale coordinator was refused", "broker.stale_coordinator_refused"),
    _row("an abort was hidden from a reader", ABORT_HIDDEN),
    _row("an aborted record was skipped", "consumer.skips_aborted"),
    _row("readers waited for a transaction", "broker.readers_wait_for_transaction"),
    _row("a leader moved", "controller.leader_moved"),
    _row("a leader died", "controller.leader_elected"),
    _rare("a partition had no leader left", "controller.no_leader_left"),
    _row("a broker was a zombie", "fault.wakes_as_zombie", "broker.registers_anew"),
    _row("a log was cut", "broker.replica_truncated"),
    _row("a log was replayed without a snapshot", "broker.log_replayed"),
    _rare("a clean stop left a snapshot", "broker.log_loaded_from_snapshot"),
    _row("a log was compacted", "broker.compacted"),
    _row("a log's head was deleted", "fault.head_deleted"),
    _row(
        "a replica fell out of the in-sync replicas",
        "fault.isr_shrunk",
        "controller.isr_shrunk",
        "quorum.isr_shrunk",
    ),
    _row("a replica came back in sync", "controller.isr_expanded", "quorum.isr_grown"),
    _rare("too few replicas were in sync", "broker.too_few_in_sync", "broker.too_few_in_sync_after_append"),
    _row("a client was denied a right", "broker.topic_denied", "broker.transaction_denied"),
    _rare("markers were denied", "broker.markers_denied"),
    _rare("a decision could not be written", "coordinator.image_not_written"),
    _row("an id expired", "coordinator.id_expires"),
    _row(
        "a client had to wait for markers",
        "coordinator.init_waits_for_markers",
        "coordinator.init_meets_transition",
    ),
    _row("an application raised its epoch", "client.epoch_bumped", "client.epoch_bumped_alone"),
    _rare("a client lost its number", "client.identity_reset"),
    _row("a batch expired in flight", "client.batch_expired_sent"),
    _row("a batch expired unsent", "client.batch_expired_unsent"),
    _rare("a sequence stayed unresolved", "client.sequence_unresolved"),
    _row("a producer came to its end", "client.fatal", "client.control_fatal"),
    _row("a commit timed out", "client.call_timed_out"),
    _row("a running producer was set otherwise", "fault.setting_changed"),
    _row("a loop started again", "loop.restarts"),
    _row("a loop went back to the group's offsets", "loop.rewinds"),
    _row("a loop changed its mind", "loop.changes_its_mind"),
    _row("an offset became visible with its outputs", "group.offset_becomes_visible"),
    _row("an offset was dropped with its outputs", "group.offset_dropped"),
    _row("offsets of a group were loaded", "group.loaded"),
    _rare("offsets were not stable yet", "group.offsets_unstable"),
    _row("a crafted request was answered", "fault.crafted_request_answered"),
    _row("producers were forgotten", "fault.producers_expired"),
    _row("a vote was missing", "middleware.votes_missing"),
    _row("an answer was missing", "middleware.answers_missing"),
    _row("a source was asked", "middleware.asks_source"),
    _rare("a commit came twice", "participant.committed_already"),
    _row("a compensation acted", "middleware.compensation_acts"),
    _row(
        "an operator rolled back",
        "middleware.operator_names",
        "middleware.asks_named_again",
        "middleware.operator_not_needed",
    ),
    _rare("a person was needed", "middleware.needs_a_person"),
)
