"""Finds the link of a chain that answers the question in one sentence. The other links say what led to this fact, and
what can change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.view.openers import UNTIMELY
from engine.why.fencing import DECIDES
from engine.why.focus import (
    AGAIN,
    CAME,
    EARLY,
    FAULT,
    FENCED,
    GONE,
    HERE,
    LAG,
    LOST,
    LSO,
    MIXED,
    REORDERED,
    STATE,
    STORED,
    TIMED_OUT,
    TORN,
    TWICE,
    UNENDED,
    UNSEEN,
    UNSENT,
)
from engine.why.guarantees import GAVE_UP
from engine.why.links import Link

_ANSWERING: dict[str, tuple[str, ...]] = {
    LSO: (
        "why.open.",
        "why.lso.moved",
        "why.coordinator.not_included",
        "why.coordinator.over_elsewhere",
        "why.transaction.nobody_owns",
        "why.lso.first_offset",
        "why.lso.before_log_start",
        "why.lso.marker_not_replicated",
        "why.lso.high_watermark_waits",
        "why.lso.not_recomputed",
        "why.lso.free",
    ),
    LAG: (
        "why.open.",
        "why.lag.wall",
        "why.lag.only_markers",
        "why.lag.markers",
        "why.lag.aborted",
        "why.reader",
        "why.message",
    ),
    UNSEEN: ("why.open.",),
    UNSENT: (
        "client.waits_",
        "why.client.waits_",
        "why.batch.behind",
        "why.batch.leaves_next",
        "why.batch.in_flight",
    ),
    UNENDED: (
        "why.transaction.",
        "why.marker.missing",
        "why.coordinator.writes",
        "why.coordinator.stalled",
        "why.client.down",
        "why.client.paused",
        "why.client.none",
        "why.client.error",
        "why.application.silent",
        "why.coordinator.undecided",
    ),
    FENCED: ("why.fence.behind", "why.fence.asks", "why.fence.nobody_behind"),
    STORED: (
        *UNTIMELY,
        "why.stored.first",
        "why.stored.any_first",
        "why.stored.new_epoch",
        "why.stored.next",
        "why.stored.no_number",
        "coordinator.",
    ),
    AGAIN: ("why.again.same_numbers",),
    GONE: (
        "why.gone.answer",
        "why.gone.request",
        "why.open.",
        "why.two_phase.not_again",
        "why.two_phase.until_",
    ),
    LOST: (
        "fault.message_dropped",
        "why.lost.only_on_old_leader",
        "why.lost.mistaken",
        "why.lost.not_sent_again",
    ),
    TWICE: ("why.twice.no_number", "why.twice.other_", "why.twice.same_numbers"),
    REORDERED: ("why.order.no_number", "why.order.unchecked"),
    EARLY: ("why.broken.switches",),
    TORN: ("why.broken.switches",),
    MIXED: GAVE_UP,
    TIMED_OUT: ("why.timeout.clock",),
    CAME: (
        "why.came.broken",
        "client.batch_failed",
        "client.batch_expired",
        "client.batch_aborted",
        "client.fatal",
        "client.call_timed_out",
        "coordinator.transaction_timed_out",
        "middleware.needs_a_person",
        "broker.duplicate_found",
        "why.two_phase.not_again",
    ),
}
"""Dict of question → beginnings of the keys of sentences, in order of priority. The first beginning that
occurs in the chain determines the link that answers."""

_SAID_BEFORE = (HERE, STORED, FAULT, GONE)
"""The questions whose chain begins with the sentence of the step that they are about. This sentence is no answer, so
the second link answers, unless ``_ANSWERING`` finds another one."""


def answered(question: str, chain: Sequence[Link]) -> tuple[Link, ...]:
    """The chain, with ``answers`` set in the link that answers the question."""
    at = _place(question, chain)
    return tuple(replace(link, answers=True) if place == at else link for place, link in enumerate(chain))


def _place(question: str, chain: Sequence[Link]) -> int:
    for key in _ANSWERING.get(question, ()):
        for place, link in enumerate(chain):
            if link.key.startswith(key):
                return place
    if question == STATE:
        return _reason(chain)
    if question == HERE and _begins_earlier(chain):
        return 0
    return 1 if question in _SAID_BEFORE and len(chain) > 1 else 0


def _begins_earlier(chain: Sequence[Link]) -> bool:
    """Whether the first link is about an earlier step than another link. Then it is not the sentence of the step that
    the chain is about."""
    first = chain[0].step if chain else None
    return first is not None and any(one.step is not None and one.step > first for one in chain)


def _reason(chain: Sequence[Link]) -> int:
    """The index of the link in ``chain`` that says why the object is in its state."""
    for place, link in enumerate(chain):
        if link.key in DECIDES:
            return place
    # The chain of a transactional id begins with two links, for the state in force and for the newest transition.
    behind = 2 if len(chain) > 1 and chain[1].key.startswith("why.coordinator.") else 1
    return behind if len(chain) > behind and not chain[behind].key.startswith("why.state.") else 0
