"""The openers of beats: kinds of steps, each with its weight and title.

The title depends on the kind; `plan.py` replaces it when the scenario's author gives the beat a name. Each opener is
tried on the sentence of a step and on its notes; the opener with the highest weight opens the beat. Titles are in
``explain/catalogue/beats.toml`` under ``beat.<name>``. A test compares every key and every parameter with the
catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

HEAVY = 5.5
"""The weight from which on an opening is an event of its run: a plan lists it, and in a changed run it is marked if the
run without the intervention does not have it."""

NOTABLE = 7
RARE = 8
"""``RARE``: the weight from which on an opening is unusual. ``NOTABLE``: the weight from which on an opening shows that
a run is about more than its transaction."""
RESETS = 6
"""After an opening of this weight or more, an opener with ``once`` may open a beat with the same parameters again."""


@dataclass(frozen=True, slots=True)
class Opener:
    """A kind of step that opens a beat.

    - ``lands``: keys of sentences. The reader first sees the last step of the beat with one of them.
    - ``unless``: the title when the beat has no such step.
    - ``once``: the opener does not open two beats in succession with the same parameters, unless an opening of weight
      RESETS or more is between them.
    - ``when``: a parameter that must be present and not 0.
    """

    name: str
    weight: float
    keys: tuple[str, ...]
    params: tuple[str, ...] = ()
    lands: tuple[str, ...] = ()
    unless: str = ""
    once: bool = False
    when: str = ""
    subject: str = ""
    """A parameter that distinguishes openings of this opener, although the title does not contain it."""
    apis: frozenset[str] = frozenset()
    """The opener opens only for messages of these APIs; empty: for every step with one of its sentences."""
    step: str = ""
    """The opener opens only in steps of this kind; empty: in steps of every kind."""
    amid_unusual: float = 0
    """The weight in a run that has an opening of weight RARE, in which a usual step is less informative; 0: the same
    weight as in other runs."""
    single: float = 0
    """The weight in a run of one transaction, in which each part of the transaction is informative; 0: the same weight
    as in other runs. A run with an opening of weight NOTABLE that is no decision is about more than its transaction."""
    stretch: bool = False
    """Whether the title is about all steps of the beat together, so that the reader first sees the last step that
    stands out. Other titles are about the opening step."""
    size: str = ""
    """The parameter with the size of the event. A beat that holds several such events is about the largest one."""
    later: float = 0
    """The weight of the second and later openings of this opener; 0: half of ``weight``."""


UNTIMELY = (
    "broker.appended_outdated",
    "broker.appended_after_marker",
    "broker.appended_after_decision",
    "broker.appended_outside",
)
"""The sentences about a batch that a leader appends too late or outside its transaction."""
STORED = (
    "broker.appended",
    "broker.appended_and_waits",
    "broker.appended_unchecked",
    "broker.appended_unchecked_and_waits",
    "broker.appended_unanswered",
    "broker.appended_plain",
    "broker.appended_plain_and_waits",
    "broker.appended_plain_unanswered",
    *UNTIMELY,
)
REPORT_SUCCESS = ("client.acknowledged", "client.duplicate_is_success")
"""The sentences by which an idempotent client reports that a batch is stored, if it was still waiting for the
result."""
MARKED = ("broker.marker_appended", "broker.marker_appended_and_waits")
_DECIDED = ("coordinator.decision_stands", "coordinator.fence_stands")

PRODUCER = (
    Opener("identity", 5, ("client.producer_id_wanted",), ("client",),
        ("client.producer_id_received", "client.producer_id_negative"), "identity_asked"),
    Opener("identity_given", 4.5, ("client.producer_id_received", "client.producer_id_negative"), ("client",)),
    Opener("transactional_identity", 5, ("client.init_transactions",), ("client", "transactional_id"),
        ("client.transactional_id_ready",), "transactional_identity_asked"),
    Opener("collects", 2, ("client.record_starts_batch",), ("client",), ("client.record_starts_batch",
        "client.record_joins_batch"), once=True),
    Opener("full", 3, ("client.ready_full",), once=True),
    Opener("sends", 4, ("client.drained", "client.drained_plain", "client.drained_mixed"), ("client",), STORED,
        "sends_unstored", once=True),
    Opener("sends_again", 6, ("client.drained_again", "client.drained_plain_again"), ("client",), STORED,
        later=4.3),
    Opener("renumbered", 7, ("client.drained_renumbered", "client.drained_some_renumbered"), ("client",), STORED),
    Opener("success_at_once", 6, ("client.completed_unacknowledged",), once=True),
    Opener("memory_waits", 8, ("client.waits_for_memory",)),
    Opener("memory_back", 6, ("client.memory_granted",)),
    Opener("memory_over", 8, ("client.memory_wait_over",)),
    Opener("flush", 5, ("client.flush",), ("client",), ("client.flush_done",)),
    Opener("close", 6, ("client.close",), ("client",), ("client.closed",)),
    Opener("close_by_force", 8, ("client.force_close",), ("client",)),
    Opener("call_refused", 7, (
        "client.send_after_close", "client.send_in_error", "client.send_outside_transaction",
        "client.record_too_large",
        "client.call_to_crashed", "client.call_unknown", "client.call_needs_transactional_id",
        "client.call_after_close",
        "client.call_in_error", "client.send_before_init", "client.offsets_outside_transaction",
    ), ("client", "call")),
    Opener("muted", 5, ("client.muted",), ("client", "partitions"), STORED, once=True),
    Opener("leader_wanted", 6, ("client.leader_unknown",), ("client",), ("client.metadata_received",), once=True,
        amid_unusual=2.5),
    Opener("connects", 1, ("client.waits_not_connected",), ("client",), once=True),
    Opener("in_flight_full", 5, ("client.waits_in_flight_full",), ("client",), once=True),
    Opener("request_full", 5, ("client.stopped_request_full", "client.oversized_alone"), once=True),
    Opener("waits_for_id", 6, ("client.stopped_no_producer_id", "client.waits_producer_id",
        "client.waits_no_producer_id"), ("client",), once=True),
    Opener("waits_for_epoch", 6, ("client.stopped_older_epoch_in_flight",
        "client.waits_older_epoch_in_flight"), ("client",), once=True),
    Opener("waits_unresolved", 6, ("client.stopped_unresolved", "client.waits_unresolved"), ("client",), once=True),
    Opener("waits_for_earlier", 6, ("client.stopped_earlier_in_flight", "client.waits_earlier_in_flight"),
        ("client",), STORED, once=True),
    Opener("sends_nothing", 6, ("client.stopped_fatal_error", "client.waits_fatal_error"), ("client",), once=True),
    Opener("backoff", 2, ("client.waits_backoff",), once=True),
    Opener("gives_up_waiting", 6, ("client.request_timed_out",), ("client", "timeout")),
    Opener("must_retry", 6.4, ("client.control_retried", "client.control_retried_soon"), ("client", "api", "error"),
        once=True),
    Opener("puts_back", 5, ("client.requeued_refused",), ("client", "error")),
    Opener("reports_failure", 5, ("client.batch_failed", "client.batch_aborted"), ("client", "error")),
    Opener("expires_unsent", 9, ("client.batch_expired_unsent",)),
    Opener("expires_sent", 9, ("client.batch_expired_sent",)),
    Opener("stored_after_all", 7, ("client.late_success",)),
    Opener("epoch_raised", 8, ("client.epoch_bumped", "client.epoch_bumped_alone"), ("client", "after")),
    Opener("identity_renewed", 8, ("client.epoch_raised_by_coordinator",), ("client", "producer_id", "producer_epoch"),
        amid_unusual=4),
    Opener("epochs_used_up", 8, ("client.epoch_exhausted", "coordinator.epochs_used_up",
        "coordinator.no_epoch_left")),
    Opener("identity_dropped", 8, ("client.identity_reset", "client.unresolved_lost_reset"), ("client",)),
    Opener("numbering_restarts", 8, ("client.numbering_forgotten",), ("client", "partition")),
    Opener("unresolved", 7, ("client.sequence_unresolved",), ("partition",)),
    Opener("resolved", 6, ("client.unresolved_cleared",), ("partition",)),
    Opener("forgotten", 7, (
        "client.sequence_forgotten_bumps", "client.sequence_forgotten_fails", "client.sequence_history_deleted_bumps",
        "client.sequence_history_deleted_restarts",
    ), ("client",)),
    Opener("fatal", 6.6, ("client.fatal", "client.control_fatal", "client.unresolved_lost_fatal"), ("client",)),
    Opener("response_thrown", 8, ("client.illegal_transition",), ("client", "api")),
    Opener("identity_refused", 6, ("client.producer_id_refused",), ("client",), once=True),
    Opener("only_abort", 7, (
        "client.control_abortable", "client.control_abortable_bump", "client.unresolved_lost_abortable",
    )),
    Opener("call_times_out", 7, ("client.call_timed_out", "client.offsets_timed_out",
        "client.call_never_answered"), ("call",)),
)  # fmt: skip

PRODUCER_IDS = (
    Opener("block_claimed", 5, ("broker.block_node_read", "broker.first_block_wanted",
        "broker.next_block_wanted"), ("broker",), ("broker.block_claimed",), "block_wanted"),
    Opener("block_taken", 8, ("zookeeper.write_refused", "broker.block_lost_to_another")),
    Opener("write_between", 8, ("fault.competing_write",)),
    Opener("own_block", 8, ("broker.own_block_found",), ("broker",)),
    Opener("block_overwritten", 8, ("zookeeper.written_unchecked",)),
    Opener("ids_exhausted", 9, ("broker.producer_ids_exhausted", "broker.no_producer_id_left")),
    Opener("id_overflowed", 9, ("broker.producer_id_overflowed",)),
    Opener("block_used_up", 6, ("broker.block_used_up",), ("broker",)),
    Opener("no_id_yet", 7, ("allocation.no_id_yet",), ("broker",)),
    Opener("block_allocated", 6, ("quorum.block_allocated",), ("broker", "start", "end")),
    Opener("no_block_left", 9, ("quorum.no_block_left", "allocation.block_refused")),
    Opener("block_lost", 7, ("allocation.asks_for_block_again",), ("broker",)),
)  # fmt: skip

LEADER = (
    Opener("outdated_stored", 12, ("broker.appended_outdated",), ("broker", "producer_epoch", "newest")),
    Opener("stored_outside", 9.5, ("broker.appended_after_marker", "broker.appended_outside"),
        ("client", "partition")),
    Opener("stored_late", 9, ("broker.appended_after_decision",), ("client", "partition")),
    Opener("duplicate", 9, ("broker.duplicate_found",), ()),
    Opener("called_duplicate", 8, ("broker.stale_sequence_called_duplicate",)),
    Opener("unknown_accepted", 7, ("broker.unknown_producer_accepted",)),
    Opener("lower_epoch_accepted", 8, ("broker.lower_epoch_accepted",)),
    Opener("wraps", 8, ("broker.sequence_wrapped",)),
    Opener("old_epoch_refused", 9, ("broker.stale_epoch_refused",)),
    Opener("coordinator_refuses_epoch", 9, ("coordinator.stale_epoch",)),
    Opener("write_not_allowed", 9, (
        "broker.not_in_transaction", "broker.transaction_ended_meanwhile", "broker.not_the_first_batch",
        "broker.offsets_not_in_transaction",
    ), ("client",)),
    Opener("first_batch_missing", 8, ("broker.first_batch_missing",), ("partition",)),
    Opener("gap_refused", 8, ("broker.sequence_gap_refused",), ("first", "expected")),
    Opener("stale_refused", 8, ("broker.stale_sequence_refused",), ("first", "expected")),
    Opener("new_epoch_refused", 9, ("broker.new_epoch_refused",), ("first", "expected")),
    Opener("plain_refused", 8, ("broker.plain_batch_in_transaction_refused",), ("producer_id",)),
    Opener("unknown_refused", 8, ("broker.unknown_producer_refused",), ("producer_id",)),
    Opener("too_few_in_sync", 8, ("broker.too_few_in_sync",)),
    Opener("too_few_after_append", 8, ("broker.too_few_in_sync_after_append",)),
    Opener("old_coordinator_refused", 9, ("broker.stale_coordinator_refused",)),
    Opener("unreplicated", 7, ("broker.produce_timed_out",), ("broker",)),
    Opener("leadership_lost", 7, ("broker.leadership_lost_while_waiting",), ("broker",)),
    Opener("cuts_off", 9, ("broker.replica_truncated", "broker.replica_truncated_plain"), ("broker",)),
    Opener("producer_forgotten", 8, (
        "broker.producers_expired", "broker.producers_forgotten", "broker.producers_deleted_with_head",
    )),
    Opener("compacted", 7, ("broker.compacted", "broker.old_markers_compacted",
        "broker.old_tombstones_compacted"), ("partition",)),
    Opener("registers_anew", 7, ("broker.registers_anew",), ("broker",)),
    Opener("leader_changes", 8, ("controller.leader_elected", "controller.leader_moved"), ("leader", "partition")),
    Opener("no_leader", 9, ("controller.no_leader_left",), ("partition",)),
    Opener("session_ends", 7, ("controller.session_ended",), ("broker",)),
    Opener("broker_fenced", 8, ("quorum.broker_fenced",), ("broker",)),
    Opener("registration_refused", 7, ("quorum.registration_refused",), ("broker",)),
    Opener("broker_unfenced", 6, ("quorum.broker_unfenced", "lifecycle.begins_to_serve"), ("broker",)),
    Opener("stale_broker_epoch", 8, ("quorum.broker_epoch_stale",), ("broker",)),
    Opener("asks_to_stop", 6, ("fault.asked_to_stop", "lifecycle.asks_to_stop", "quorum.shutdown_begins")),
    Opener("lets_go", 6, ("quorum.shutdown_granted", "lifecycle.stops_as_asked"), ("broker",)),
    Opener("controller_changes", 8, ("fault.controller_failed", "quorum.controller_elected"), ("epoch",),
        ("quorum.controller_elected",), "controller_fails"),
    Opener("isr_smaller", 7, ("quorum.isr_shrunk",), ("partition",)),
    Opener("isr_refused", 8, (
        "quorum.partition_gone", "quorum.leader_epoch_old", "quorum.partition_epoch_old", "quorum.replica_ineligible",
        "broker.isr_change_taken_back", "broker.isr_change_waits",
    )),
    Opener("topic_created", 4, ("controller.topic_created",), ("topic",), once=True),
    Opener("topic_too_wide", 7, ("controller.topic_too_wide",), ("topic",), once=True),
)  # fmt: skip

TRANSACTIONS = (
    Opener("begins", 4.2, ("client.begin_transaction",), ("client",), STORED),
    Opener("registered", 4, ("coordinator.transaction_begins", "coordinator.transaction_begins_by_leader"),
        ("coordinator",), ("client.partitions_added",), once=True),
    Opener("positions_join", 5, ("client.send_offsets",), ("client",), ("client.offsets_pending",),
        "positions_wanted"),
    Opener("commits", 3, ("client.commit_transaction", "client.commit_transaction_waits"), ("client",), single=5.9),
    Opener("aborts", 4, ("client.abort_transaction", "client.abort_transaction_waits"), ("client",), single=5.9),
    Opener("abort_not_sent", 9, ("client.abort_not_sent",), ("client",)),
    Opener("commit_decided", 7, ("coordinator.decides_commit",), ("transactional_id",), _DECIDED,
        "commit_written"),
    Opener("abort_decided", 7, ("coordinator.decides_abort",), ("transactional_id",), _DECIDED, "abort_written"),
    Opener("nothing_aborted", 7, ("coordinator.aborts_nothing",), ("transactional_id",), _DECIDED),
    Opener("ended_already", 7, ("coordinator.done_already", "coordinator.done_already_raised"),
        ("transactional_id", "state")),
    Opener("other_transaction_meant", 9, ("coordinator.epoch_of_another_transaction",), ("transactional_id",)),
    Opener("goes_over", 8, ("client.goes_over", "client.goes_back"), ("client",)),
    Opener("fenced", 9, ("coordinator.fences_open_transaction",), ("transactional_id", "fenced")),
    Opener("times_out", 9, ("coordinator.transaction_timed_out",), ("transactional_id",)),
    Opener("epoch_up", 6, ("coordinator.epoch_goes_up",), ("transactional_id", "new_epoch"),
        ("client.transactional_id_ready",), "epoch_raised_for_id"),
    Opener("id_rotated", 7, ("coordinator.id_rotated",), ("transactional_id",)),
    Opener("coordinator_not_reached", 4, ("client.coordinator_not_reached",), ("client",), once=True),
    Opener("takes_over", 8.5, ("coordinator.begins_loading",), ("coordinator",), ("coordinator.loaded",
        "coordinator.resumes_markers")),
    Opener("resumes", 7, ("coordinator.resumes_markers",), ("coordinator", "state")),
    Opener("not_written", 8, (
        "coordinator.image_not_written", "coordinator.fence_not_written", "coordinator.completion_not_written",
    )),
    Opener("id_forgotten", 7, ("coordinator.id_expires",), ("transactional_id",)),
    Opener("commit_known", 6.5, ("client.transaction_committed", "client.transaction_committed_bump"), ("client",),
        amid_unusual=3.2),
    Opener("markers", 6.4, MARKED, (), MARKED, amid_unusual=5.2),
    Opener("markers_wait", 8, ("markers.parked",)),
    Opener("markers_resent", 8, ("markers.sent_before",), ("partitions",), (*MARKED,
        "broker.marker_finds_nothing_open")),
    Opener("markers_refused", 7, ("markers.refused_for_now",), ("broker", "error"), once=True),
    Opener("markers_unexpected", 7, ("markers.unexpected_answer",), (), once=True),
    Opener("markers_unanswered", 7, ("markers.disconnected", "markers.timed_out"), (), once=True),
    Opener("marker_sent_again", 7, ("broker.marker_finds_nothing_open",), (), once=True),
    Opener("markers_dropped", 8, (
        "markers.refused_for_good", "markers.given_up", "markers.cancelled", "markers.cannot_be_held",
        "markers.partition_gone",
    )),
    Opener("complete", 3.3, ("coordinator.all_markers_acknowledged",), ("transactional_id", "pending"), single=5.9),
    Opener("outcome_shows", 5.5, ("broker.last_stable_offset_advanced",)),
    Opener("readers_wait", 4.5, ("broker.readers_wait_for_transaction",), (),
        ("broker.readers_wait_for_transaction",), once=True),
    Opener("aborted_skipped", 5, ("consumer.skips_aborted",), once=True),
)  # fmt: skip

POSITIONS_VISIBLE = ("group.offset_becomes_visible", "group.offsets_visible_at_once")
"""The sentences by which offsets that a transaction committed take effect in a group."""
READERS = (
    Opener("reads", 2.5, ("consumer.delivers",), (), ("consumer.delivers",), once=True, subject="consumer"),
    Opener("reader_unanswered", 6, ("consumer.disconnected",), ("consumer", "broker"), step="timer"),
    Opener("repeat_left_out", 6, ("consumer.applies",), ("consumer",), when="repeats"),
    Opener("position_reset", 7, ("consumer.position_reset",), ("consumer",)),
    Opener("begins_at_end", 7, ("consumer.begins_at_end",), ("consumer",), once=True),
    Opener("positions_visible", 5, POSITIONS_VISIBLE, ("group",)),
    Opener("positions_dropped", 6, ("group.offset_dropped",), ("group",)),
    Opener("positions_unstable", 6, ("group.offsets_unstable",), ("group",), once=True),
    Opener("leaves_group", 7, ("group_session.poll_timed_out", "group_session.poll_timed_out_alone"),
        ("consumer", "group"), ("group.member_left",)),
    Opener("stops_heartbeats", 7, ("group_session.poll_timed_out_static",), ("consumer",)),
    Opener("consumer_closes", 7,
        ("group_session.closed", "group_session.closed_alone", "group_session.closed_static"),
        ("consumer",), ("group.member_left",)),
    Opener("commit_outside", 7, ("consumer.commits_outside_group",), ("consumer", "group")),
    Opener("commit_after_close", 7, ("consumer.commits_after_close",), ("consumer",)),
    Opener("round", 5, ("loop.polls",), ("round",), STORED, stretch=True),
    Opener("rewinds", 7, ("loop.rewinds",), ("application",)),
    Opener("begins_anew", 7, ("loop.restarts",), ("application",)),
    Opener("loop_gives_up", 8, ("loop.gives_up",), ("application",)),
    Opener("positions_committed", 5, ("loop.commits_positions",), ("application",)),
    Opener("changes_its_mind", 5, ("loop.changes_its_mind",), ("application",)),
)  # fmt: skip

DROPPED = ("fault.message_dropped", "fault.answer_dropped", "fault.answer_dropped_alone")
FAULTS = (
    Opener("message_lost", 9, DROPPED, ("api", "kind")),
    Opener("message_delayed", 8, ("fault.message_delayed",), ("api", "kind"), size="by"),
    Opener("message_overtaken", 8, ("fault.message_reordered",), ("api", "kind")),
    Opener("message_twice", 8, ("fault.message_duplicated",), ("api", "kind")),
    Opener("messages_held", 8, ("fault.messages_held",), ("actor",)),
    Opener("disconnected", 8, ("fault.disconnected",), ("source", "destination")),
    Opener("error_injected", 8, ("fault.error_injected", "fault.answer_replaced"), ("actor", "error")),
    Opener("crashes", 9, ("fault.crashed", "fault.client_crashed"), ("actor",)),
    Opener("stopped", 8, ("fault.stopped_cleanly", "fault.stopped"), ("actor",)),
    Opener("restarts", 8, ("fault.restarted",), ("actor",)),
    Opener("pauses", 8, ("fault.paused",), ("actor",)),
    Opener("resumes_moving", 8, ("fault.resumed",), ("actor",)),
    Opener("wakes_as_zombie", 9, ("fault.wakes_as_zombie",), ("actor",)),
    Opener("time_passes", 6, ("fault.clock_advanced",)),
    Opener("crafted", 8, ("fault.request_crafted", "fault.crafted_request"), ("broker",)),
    Opener("setting_changed", 7, ("fault.setting_changed",), ("setting",)),
    Opener("head_deleted", 8, ("fault.head_deleted",), ("partition",)),
    Opener("isr_shrinks", 8, ("fault.isr_shrunk",), ("replica",)),
    Opener("isr_restored", 7, ("fault.isr_restored",), ("partition",)),
    Opener("topic_deleted", 9, ("fault.topic_deleted",), ("topic",)),
    Opener("unreachable", 8, ("fault.endpoint_unavailable",), ("broker",)),
    Opener("reachable", 7, ("fault.endpoint_back",), ("broker",)),
    Opener("feature_level", 9, ("fault.feature_level_raised", "fault.feature_level_lowered"), ("after",)),
    Opener("impossible", 4, ("fault.impossible",), ("action",)),
)  # fmt: skip

TOOL = (
    Opener("tool_runs", 8, ("tool.begins",), ("name",), ("tool.ends",)),
    Opener("tool_finds", 8, ("tool.search_ends",), ("hanging",)),
    Opener("tool_finds_nothing", 6, ("tool.nothing_hangs",)),
    Opener("tool_aborts", 11, ("tool.abort_chosen",), ("partition",), MARKED, unless="tool_requests"),
    Opener("tool_aborted", 8, ("tool.abort_done",), ("partition",)),
    Opener("tool_fails", 8, ("tool.fails", "tool.no_open_transaction", "tool.api_missing")),
)  # fmt: skip

MIDDLEWARE = (
    Opener("opened", 5, ("initiator.starts",), ("initiator",), ("business.asks_to_prepare",)),
    Opener("asked", 6, ("middleware.asks_participants",), ("participants",)),
    Opener("not_asked", 9, ("network.lost",), ("destination",), apis=frozenset({"Prepare"})),
    Opener("all_agree", 7, ("middleware.all_voted_ok",), ("participants",)),
    Opener("cannot_do", 8, ("participant.cannot",), ("participant",)),
    Opener("votes_no", 6, ("middleware.refused", "middleware.refused_by_all"), ("sender",)),
    Opener("votes_missing", 9, ("middleware.votes_missing", "middleware.no_votes")),
    Opener("vote_late", 7, ("middleware.late_vote", "middleware.late_refusal"), ("sender",)),
    Opener("local_part", 6, ("business.runs_local",), ("business",), (
        "business.local_committed", "business.local_committed_untraceably",
    )),
    Opener("local_failed", 8, ("business.local_failed", "business.local_failed_untraceably"), ("business",)),
    Opener("confirmed", 3, ("business.confirms",), ("business",)),
    Opener("commit_goes_out", 8, ("middleware.decides_commit",)),
    Opener("rollback_goes_out", 8, ("middleware.decides_rollback",)),
    Opener("window_opens", 5, ("middleware.window_opens",), (), ("middleware.window_opens",)),
    Opener("window_closes", 8, ("middleware.window_closes",), ("ms",), when="ms"),
    Opener("all_committed", 6, ("middleware.all_committed",), ("participants",)),
    Opener("all_rolled_back", 6, ("middleware.all_rolled_back",), ("rolled_back", "participants")),
    Opener("answers_missing", 9, ("middleware.answers_missing",), ("missing",)),
    Opener("compensation", 7, ("middleware.compensation_acts",), ("strategy",),
        ("middleware.compensation_acts",)),
    Opener("person_needed", 8, ("middleware.needs_a_person",)),
    Opener("operator", 8, ("middleware.operator_names",)),
    Opener("finished_forward", 7, ("middleware.finished_forward",), ("sender",)),
    Opener("undone", 7, ("middleware.everything_undone", "middleware.manager_cancelled")),
    Opener("does_not_fit", 9, ("middleware.cannot_all_be_undone",)),
    Opener("other_outcome", 9, ("business.ends_otherwise",)),
    Opener("source_asked", 6, ("middleware.asks_source",)),
    Opener("source_committed", 6, ("middleware.source_committed",)),
    Opener("source_rolled_back", 6, ("middleware.source_rolled_back",)),
    Opener("source_unknown", 6, ("middleware.source_unknown",)),
    Opener("checks_used_up", 8, ("middleware.checks_used_up",)),
    Opener("middleware_forgets", 9.5, ("middleware.forgets",)),
    Opener("middleware_remembers", 8.5, ("middleware.remembers",)),
    Opener("source_forgets", 9.5, ("business.forgets",), ("business",)),
    Opener("done_twice", 9, ("participant.commits_again", "participant.undoes_again"), ("participant",)),
    Opener("nothing_twice", 8, (
        "participant.committed_already", "participant.rolled_back_already", "participant.reserved_already",
    ), ("participant",)),
    Opener("cannot_undo", 8, ("participant.cannot_undo",), ("participant",)),
    Opener("manager_cancels", 6, ("manager.cancels",), ("manager",)),
    Opener("ends", 4, ("business.ends_alike",), ("business", "result")),
)  # fmt: skip

ROWS_COMMITTED = (
    "local_transaction.commits", "local_transaction.commits_no_row", "local_transaction.inserts",
    "local_transaction.inserts_no_row",
)  # fmt: skip
DATABASE = (
    Opener("order_taken", 5, ("service.takes_order",), ("service", "record"), (*ROWS_COMMITTED, *STORED)),
    Opener("rows_round", 5, ("service.polls",), ("service", "round"), ROWS_COMMITTED, stretch=True),
    Opener("entries_taken", 6, ("service.takes_entries",), ("service", "records"), STORED,
        "entries_unsent"),
    Opener("outbox_empty", 3, ("service.finds_nothing",), ("service",), once=True),
    Opener("row_known", 8, ("local_transaction.row_exists",), ("records",)),
    Opener("rows_undone", 7, ("local_transaction.rolls_back",), ("service", "records")),
    Opener("entries_deleted", 6, ("service.deletes_entries",), ("service", "records"),
        ROWS_COMMITTED),
    Opener("offsets_in_database", 6, ("service.asks_offsets",), ("service",), ("service.restores_offsets",)),
    Opener("offsets_in_group", 5, ("service.commits_offsets",), ("service",)),
    Opener("auto_commit", 5.5, ("service.auto_commits",), ("consumer",)),
    Opener("commit_past", 8, ("service.commits_past",), ("records",)),
    Opener("commit_stays", 7, ("service.commit_stays",), ("partition", "offset")),
    Opener("commit_in_doubt", 8, ("service.in_doubt", "service.inserts_in_doubt"), ("service",)),
    Opener("database_lost", 7, ("service.connection_lost",), ("service",)),
    Opener("record_not_stored", 7, ("service.record_failed", "service.record_failed_open"), ("service",)),
)  # fmt: skip

LOGS = (
    Opener("log_producer", 3, (
        "log.batch_idempotent", "log.batch_transactional", "log.batch_without_sequence", "log.batch_emptied",
    ), ("producer_id", "partition")),
    Opener("log_plain", 3, ("log.batch_plain", "log.legacy"), ("partition",)),
    Opener("log_commit", 5, ("log.marker_commit",), ("producer_id",)),
    Opener("log_abort", 6, ("log.marker_abort",), ("producer_id",)),
    Opener("log_preview", 8, ("log.preview.readers", "log.preview.abort", "log.preview.abort_stays",
        "log.preview.commit", "log.preview.commit_stays", "log.preview.refused")),
    Opener("log_cut", 8, ("log.cut",)),
    Opener("log_never_ends", 9, ("log.never_ends",), ("producer_id", "partition", "offset")),
    Opener("log_never_ends_by", 9, ("log.never_ends_by",), ("transactional_id", "partition", "offset")),
    Opener("log_never_ends_behind", 7, ("log.never_ends_behind", "log.never_ends_behind_by"), ("producer_id",
        "partition")),
    Opener("log_holds", 7, ("log.holds",), ("producer_id", "partition", "offset"), size="lasted", later=6.5),
    Opener("log_holds_by", 7, ("log.holds_by",), ("transactional_id", "partition", "offset"), size="lasted",
        later=6.5),
    Opener("log_coordinator", 2, (
        "log.coordinator.empty", "log.coordinator.ongoing", "log.coordinator.preparecommit",
        "log.coordinator.prepareabort", "log.coordinator.prepareepochfence", "log.coordinator.dead",
    ), ("transactional_id", "state"), stretch=True),
    Opener("log_epoch_raised", 7, ("log.coordinator.epoch_raised",), ("transactional_id", "producer_epoch")),
    Opener("log_now", 9, ("log.now_held", "log.now_held_by"), ("partition", "offset")),
    Opener("log_now_free", 6, ("log.now_free", "log.now_damaged")),
)  # fmt: skip

OPENERS = (
    *PRODUCER,
    *PRODUCER_IDS,
    *LEADER,
    *TRANSACTIONS,
    *READERS,
    *FAULTS,
    *TOOL,
    *MIDDLEWARE,
    *DATABASE,
    *LOGS,
)

START = Opener("start", 5, (), stretch=True)
CYCLES = ("round", "begins", "opened")
"""The openers of the rounds of a long run, by priority: the rounds of an application come before its transactions."""
ROUNDS = {
    "round": Opener("rounds", 5, (), ("first", "last"), stretch=True),
    "begins": Opener("transactions", 5, (), ("first", "last"), stretch=True),
    "opened": Opener("transactions", 5, (), ("first", "last"), stretch=True),
}
TRANSACTION = Opener("transaction", 5, (), ("first",), stretch=True)
MANY_ROUNDS = Opener("many_rounds", 5, (), ("count",), stretch=True)
PART = Opener("part", 0, (), ("first", "last"), stretch=True)
"""The opener of each part of a beat that has too many lines."""
BEHIND = Opener("behind", 6, (), ("client",), once=True)
"""The opener for a record that is stored after the begin of another producer's open transaction."""
HANGS = Opener("hangs", 9, (), ("partitions", "owner"))
"""The opener for a transaction that hangs from this step on: later records of its partition wait until the transaction
is ended there."""
BEHIND_HANGING = replace(BEHIND, weight=8.3)
"""The opener for a record that is stored after the begin of a hanging transaction."""
LET_GO = Opener("let_go", 11, (), ("partitions",))
"""The opener for the step after which a partition is readable again, because its hanging transaction has
ended."""
FENCING_MARKER = Opener("fencing_marker", 4, (), ("transactional_id", "producer_epoch"))
"""The opener for the request with the marker that carries the epoch with which a coordinator fences a producer."""
COMMIT_KNOWN = next(opener for opener in TRANSACTIONS if opener.name == "commit_known")
COMMIT_LATE = Opener("commit_late", 7, (), ("client",))
"""Replaces COMMIT_KNOWN if consumers could get the records before the client learned of the commit."""
READ_AFTER_MARKER = Opener("read_after_marker", 4.5, (), (), ("consumer.delivers",))
"""The opener for the first records that a read_committed consumer gets after the last stable offset has
advanced."""
MEANWHILE = Opener("meanwhile", 4, (), ("client",), STORED, "meanwhile_unstored", once=True)
"""The opener for new batches that a client drains while batches of other partitions wait to be sent again."""
TAKEN_FOR_DUPLICATE = Opener("taken_for_duplicate", 9, ())
"""The opener for a batch that its leader takes for a duplicate, although it has not stored the batch before."""
DOUBT_ENDS = Opener("doubt_ends", 7, (), ("client",), once=True)
"""The opener for the result of a batch that was in doubt at its client."""
LEFT = Opener("left", 6, (), ("broker", "client"), STORED)
"""The opener for the first batch that a broker appends from a connection that has ended."""
REQUEST_AGAIN = Opener("request_again", 3, (), ("client", "api"), later=3)
"""The opener for a request that a client sends again, because the connection ended before the response. If an
intervention led to it, it counts like an opening of weight HEAVY."""
MUST_RETRY = next(opener for opener in PRODUCER if opener.name == "must_retry")
RETRIES = Opener("retries", 3, (), ("client", "api"))
"""The opener for a request that a client sends again after a refusal."""
TIMES_OUT = frozenset({"gives_up_waiting", "markers_unanswered", "reader_unanswered", "source_asked"})
"""The names of the openers for a request whose response did not come in time."""
IDENTITIES = Opener(
    "identities",
    5,
    (),
    (),
    ("client.producer_id_received", "client.producer_id_negative", "client.transactional_id_ready"),
    "identities_asked",
    stretch=True,
)
"""The opener for several producers that request an id before the first one has its response."""
OUTCOME = next(opener for opener in TRANSACTIONS if opener.name == "outcome_shows")
TAKEOVER = next(opener for opener in TRANSACTIONS if opener.name == "takes_over")
DECIDE = frozenset({"commit_decided", "abort_decided", "commit_known", "markers"})
"""The names of the openers of decisions. If records become readable within such a beat, its title is that of OUTCOME
instead."""
ENDED_BY_CALL = frozenset({"commits", "aborts"})
"""The names of the openers for the calls that end a transaction."""
COMPLETED = frozenset({"complete"})
GATHERED = frozenset({"pauses", "resumes_moving", "crashes", "restarts"})
"""The names of openers for events of several actors that make one beat if they happen at the same time."""
IDENTITY_NAMES = frozenset({"identity", "transactional_identity", "identities"})
DAMAGE = Opener("log_damage", 9, ())
"""The opener for every sentence that begins with `log.damage.`."""
REFUSED = Opener("refused", 7, (), ("actor", "error"))
"""The opener for a refusal that has no opener of its own."""
CALL_REFUSED = next(opener for opener in PRODUCER if opener.name == "call_refused")
IGNORED = Opener("ignored", 4, (), ("actor",), ("middleware.answer_not_expected",), once=True)
"""The opener for a response whose request is no longer in flight."""
NOT_NOW = Opener("not_now", 4, (), ("actor", "error"), once=True)
"""The opener for a refusal after which the same request is sent again."""
NOT_YET = replace(NOT_NOW, weight=6.6)
"""The opener for a refusal like NOT_NOW, of a request whose transaction begins before the client's previous one is
complete."""
BEGINS_EARLY = replace(
    next(opener for opener in TRANSACTIONS if opener.name == "begins"),
    weight=6.4,
    params=("client", "pending"),
    lands=(),
    later=6.4,
)
"""The opener for a transaction that begins before the client's previous one is complete."""
REGISTERED = next(opener for opener in TRANSACTIONS if opener.name == "registered")
ACCEPTED = replace(
    REGISTERED,
    weight=5.4,
    params=("coordinator", "transactional_id"),
    later=5.4,
)
"""The opener for the partitions that the coordinator refused and now adds."""
REPEATS = Opener("repeats", 9.5, (), ("client", "api", "actor", "error", "clients", "count", "ms"))
"""The opener for a stretch in which attempts fail again and again (``repeats.py``). The weight is that of the shortest
stretch; every doubling of its attempts adds 1."""
BROKEN = {
    "lost": Opener("broken_lost", 9, (), ("partition",)),
    "duplicated": Opener("broken_duplicated", 9, (), ("partition",)),
    "reordered": Opener("broken_reordered", 9, (), ("partition",)),
    "visible_early": Opener("broken_visible_early", 9, (), ("partition",)),
    "atomic": Opener("broken_atomic", 9, ()),
    "fenced": Opener("broken_fenced", 9, (), ("partition",)),
    "mixed": Opener("broken_mixed", 9, ()),
    "repeated": Opener("broken_repeated", 9, ()),
    "row_missing": Opener("broken_row_missing", 9.5, (), ("partition",)),
    "record_missing": Opener("broken_record_missing", 9.5, (), ("partition",)),
    "row_repeated": Opener("broken_row_repeated", 9, (), ("partition",)),
}
"""Dict of guarantee → the opener of a step that breaks it."""

BY_NAME = {opener.name: opener for opener in OPENERS}
BY_KEY = {key: opener for opener in OPENERS for key in opener.keys}
RETRIED = frozenset(
    {"CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR",
     "NOT_LEADER_OR_FOLLOWER", "UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "UNSTABLE_OFFSET_COMMIT"}
)  # fmt: skip
