"""Finds the moral of a changed run: one sentence that says, from the consequences of the change, why a guarantee broke
or held.

It is determined from the ends of the changed run and of the scenario's own run (docs/frame.md, *Plan*).
"""

from __future__ import annotations

from engine.middleware.middleware_states import RESTING
from engine.shapes.plans import Outcome, Words
from engine.view.although import words

BROKEN = (
    "lost",
    "duplicated",
    "reordered",
    "visible_early",
    "atomic",
    "fenced",
    "hanging",
    "row_missing",
    "record_missing",
    "row_repeated",
    "mixed",
    "repeated",
)
"""The guarantees by importance. If a change breaks several of them, the moral is about the first one."""
SIGNS = {
    "broker.duplicate_found": "duplicate",
    "markers.sent_again": "marker",
    "coordinator.done_already": "done_already",
    "coordinator.done_already_raised": "done_already",
    "coordinator.partitions_known": "done_already",
    "coordinator.resumes_markers": "coordinator",
    "controller.leader_elected": "leader",
}
"""Dict of key of a sentence → the sign that it gives. For a run that keeps its guarantees, the first sign in this order
gives the moral."""
APART_LEAST = 500
"""A smaller difference, in ms, between the periods for which nodes differ is not mentioned."""
_ENDS = (
    "records", "stored", "outcomes", "failed", "committed", "aborted", "nodes", "ends", "awaited", "reserved", "rows",
    "down",
)  # fmt: skip
"""The fields of an outcome that say what a run leaves behind. If all of them are equal, two runs end alike."""


def moral_of(written: Outcome, now: Outcome, changes: int = 1) -> Words:
    """The moral. ``written``: the end of the scenario's own run. ``now``: the end of the changed run. ``changes``: the
    number of interventions."""
    before, after = written.get("broken", {}), now.get("broken", {})
    more = {name: after.get(name, 0) - before.get(name, 0) for name in BROKEN}
    for name in BROKEN:
        if more[name] > 0:
            return words(f"moral.broke_{name}")
    if any(by < 0 for by in more.values()):
        is_open = now.get("open") or left_open(written, now)
        return words("moral.left_open" if is_open else "moral.mended")
    held = _held(written, now)
    return words("moral.nothing_of_all" if held == "nothing" and changes > 1 else f"moral.{held}")


def left_open(written: Outcome, now: Outcome) -> list[str]:
    """The transactions that end in the scenario's own run, and not in the changed one."""
    ends = now.get("ends", {})
    in_middleware = [
        tid for tid, end in written.get("ends", {}).items() if end in RESTING and ends.get(tid) not in RESTING
    ]
    return [*in_middleware, *left_open_in_kafka(written, now)]


def left_open_in_kafka(written: Outcome, now: Outcome) -> list[str]:
    """The transactional ids whose transaction is open at the end of the changed run only."""
    return [tid for tid in now.get("open", ()) if tid not in written.get("open", ())]


def longer_apart(written: Outcome, now: Outcome) -> list[str]:
    """The transactions of the middleware whose nodes differ for much longer than in the scenario's own run."""
    known = written.get("apart", {})
    found = []
    for tid, ms in now.get("apart", {}).items():
        before = known.get(tid, 0)
        if before is not None and (ms is None or ms - before >= APART_LEAST):
            found.append(tid)
    return found


def _held(written: Outcome, now: Outcome) -> str:
    """The reason why no further guarantee broke, as the last part of the key ``moral.<reason>``."""
    if left_open(written, now):
        return "left_open"
    if now.get("committed", 0) < written.get("committed", 0) and now.get("aborted", 0) > written.get(
        "aborted", 0
    ):
        return "aborted"
    if now["failed"] > written["failed"]:
        return "failed"
    known, found = written.get("signs", {}), now.get("signs", {})
    for sign in dict.fromkeys(SIGNS.values()):
        if found.get(sign, 0) > known.get(sign, 0):
            outdated = now.get("uncounted", 0) > written.get("uncounted", 0)
            return "marker_outdated" if sign == "marker" and outdated else sign
    if _retries(now) > _retries(written):
        return "retried"
    if all(now[name] == written[name] for name in ("time", "messages", "records", "nodes")):
        return "nothing"
    if any(now.get(name) != written.get(name) for name in _ENDS):
        return "otherwise"
    if now.get("markers", 0) > written.get("markers", 0):
        return "marker_twice"
    if longer_apart(written, now):
        return "apart"
    return "later" if now["time"] > written["time"] else "alike"


def _retries(outcome: Outcome) -> int:
    return outcome["retries"] + outcome.get("questions_repeated", 0) + outcome.get("marker_retries", 0)
