"""The counters of a run that an operator's dashboard would show: retries, duplicates, refusals, losses.

They are counted from finished steps (keys of sentences, fates of messages, refusals), so roles do not count.
"""

from __future__ import annotations

from engine.step import Step

COUNTED: dict[str, str] = {
    "broker.duplicate_found": "duplicates_answered",
    "client.requeued": "retries",
    "client.requeued_refused": "retries",
    "client.requeued_out_of_order": "retries",
    "client.control_retried": "retries",
    "client.control_retried_soon": "retries",
    "client.control_lookup": "retries",
    "client.producer_id_retried": "retries",
    "client.batch_expired_unsent": "batches_expired",
    "client.batch_expired_sent": "batches_expired",
    "client.epoch_bumped": "epochs_bumped",
    "client.epoch_bumped_alone": "epochs_bumped",
    "broker.asks_again": "questions_repeated",
    "markers.sent_again": "marker_retries",
}
"""Dict of key of a sentence → the counter that it increases."""
FATES: dict[str, str] = {
    "dropped": "messages_lost",
    "lost": "messages_lost",
    "duplicated": "messages_repeated",
}
"""Dict of fate of a message → the counter that it increases."""
REFUSALS = "refusals"
RETRIES = ("retries", "questions_repeated", "marker_retries")
"""The counters of resends: batches of producers, questions of leaders to a coordinator, and markers of
coordinators."""


class Counters:
    """``counters`` of the view: dict of name of a counter → its value. A counter that is still 0 is left out."""

    __slots__ = ("counts", "path")

    def __init__(self) -> None:
        self.path = ("counters",)
        self.counts: dict[str, int] = {}

    def view(self) -> dict[str, int] | None:
        return dict(self.counts) or None

    def count(self, step: Step) -> bool:
        """Count one step; True when a counter increased."""
        found = [COUNTED[step.key]] if step.key in COUNTED else []
        if step.notes:
            found += [COUNTED[note["key"]] for note in step.notes if note["key"] in COUNTED]
        if step.messages:
            found += [FATES[fate["event"]] for fate in step.messages if fate["event"] in FATES]
        if step.refusal is not None:
            found.append(REFUSALS)
        for name in found:
            self.counts[name] = self.counts.get(name, 0) + 1
        return bool(found)
