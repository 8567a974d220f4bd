"""Chooses the notes that pages show before or after a step's own sentence.

Before it comes the note about the outcome, ahead of the smaller events that led to the outcome. For example, a
follower's fetch may raise the high watermark, so that consumers can read on. The step's own sentence is about the
fetch, and a note is about the outcome.

After it comes the note without which the step's own sentence says too little. For example, a broker that starts
again has lost all but the newest batch of each producer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.view.openers import BY_KEY, MARKED
from engine.view.plumbing import PURPOSE_OF

OUTCOMES = (
    "coordinator.image_durable",
    "broker.produce_answered",
)
"""Sentences about an outcome that open no beat, ordered by rising weight."""
ALWAYS = (
    "log.never_ends",
    "log.never_ends_by",
    "log.never_ends_behind",
    "log.never_ends_behind_by",
    "log.holds",
    "log.holds_by",
    "broker.unknown_producer_accepted",
)
"""Notes that always come first, or after the step's own sentence if another note comes first. The first six are about
the outcome of a log case, whose step's own sentence is about a batch. The last one says why a leader appends a batch
whose sequence numbers it cannot check."""

BEFORE_ITS_STEP = {
    "coordinator.id_is_new": "coordinator.epoch_raised",
    "coordinator.epoch_goes_up": "coordinator.epoch_raised",
    "coordinator.epoch_given_again": "coordinator.epoch_raised",
    "coordinator.id_rotated": "coordinator.epoch_raised",
    "coordinator.fence_raises_epoch": "coordinator.fences_open_transaction",
    "coordinator.fence_keeps_epoch": "coordinator.fences_open_transaction",
    "coordinator.fence_raises_with_decision": "coordinator.fences_open_transaction",
    "markers.sent_before": "markers.sent",
    "coordinator.resumes_markers": "coordinator.loaded",
    "middleware.window_opens": "middleware.answer_counted",
    "log.after_marker": "log.batch_transactional",
}
"""Dict of key of a note → the key of the step's own sentence that the note precedes, because the note would be
overlooked after it. Such notes say which epoch InitProducerId led to, that a marker is sent again, what a new
coordinator found, that the middleware's window opens, or that a batch in a log came after its transaction had ended."""

REFUSED_BY_RULE = (
    "broker.stale_epoch_refused",
    "broker.unknown_producer_refused",
    "broker.new_epoch_refused",
    "broker.nothing_cached_refused",
    "broker.stale_sequence_refused",
    "broker.sequence_gap_refused",
    "broker.plain_batch_in_transaction_refused",
)
"""The sentences about a leader's refusal by one of its ordered checks."""
AFTER_ITS_STEP = {
    "broker.log_loaded_from_snapshot": (("fault.restarted",), "producer_count", 1),
    "broker.log_replayed": (("fault.restarted",), "producer_count", 1),
    "network.requests_lost": (("fault.answer_dropped",), "", 0),
    "network.responses_lost": (("fault.answer_dropped",), "", 0),
    "client.disconnected": (("fault.answer_dropped",), "count", 2),
    "client.control_lost": (("client.request_timed_out",), "", 0),
    "client.requeued": (("client.request_timed_out",), "", 0),
    "broker.last_stable_offset_advanced": (MARKED, "", 0),
    "markers.sent": (("markers.sent",), "", 0),
    "broker.epoch_unassigned": (("broker.appended_outdated",), "", 0),
    "broker.check_left_out": (REFUSED_BY_RULE, "", 0),
    "broker.lookup_left_out": (REFUSED_BY_RULE, "", 0),
}
"""Dict of key of a note → (keys of the step's own sentence, a numeric parameter of the note, the lowest value of the
parameter with which the note is shown). If the parameter is empty, the note is always shown. The most important note
comes first. These notes say that a broker that starts again has read the state of producers; that a connection that
breaks loses more than the response in the sentence; which request or batch timed out; that a marker ends its
transaction for readers; that markers go to a second broker, too; that a batch with a lower epoch does not count as
written after fencing; and that a check that the run switches off would have decided before."""


FOLLOWS_FROM = 3
"""A note that could open a beat with at least this weight is shown after a sentence that could open none, unless
another note comes first. Otherwise pages would show a beat's title without the sentence from which it is made."""


def following(step: Mapping[str, Any]) -> int | None:
    """The index of the note that comes after the step's own sentence; None when there is none."""
    for name, (keys, number, least) in AFTER_ITS_STEP.items():
        if step["key"] not in keys:
            continue
        for place, note in enumerate(step["notes"]):
            if note["key"] == name and (not number or note["params"][number] >= least):
                return place
    lead = leading(step)
    for place, note in enumerate(step["notes"]):
        if note["key"] in ALWAYS and place != lead:
            return place
    if lead is not None or step["key"] in PURPOSE_OF or _weight(step["key"]) > 0:
        return None
    weights = [_weight(note["key"]) for note in step["notes"]]
    heaviest = max(weights, default=0)
    return weights.index(heaviest) if heaviest >= FOLLOWS_FROM else None


def leading(step: Mapping[str, Any]) -> int | None:
    """The index of the note that comes first; None when the step's own sentence comes first."""
    keys = [note["key"] for note in step["notes"]]
    for place, key in enumerate(keys):
        if BEFORE_ITS_STEP.get(key) == step["key"]:
            return place
    if (always := next((place for place, key in enumerate(keys) if key in ALWAYS), None)) is not None:
        return always
    own = _weight(step["key"])
    if own == 0 and step["key"] not in PURPOSE_OF:
        return None
    weights = [_weight(key) for key in keys]
    heaviest = max(weights, default=0)
    return weights.index(heaviest) if heaviest > own else None


def _weight(key: str) -> float:
    if key in PURPOSE_OF:
        return 0
    if key in BY_KEY:
        return BY_KEY[key].weight
    return (OUTCOMES.index(key) + 1) / 2 if key in OUTCOMES else 0
