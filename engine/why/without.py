"""Makes a run again without a fault, and finds the reactions to which the fault led."""

from __future__ import annotations

from collections import Counter

from engine.lately import Said
from engine.recording import Recorded
from engine.why.moment import Moment

AGAIN_MAX = 2_000
"""A run with at most this many steps is made again without a fault, to find the consequences of the fault."""
REACTIONS_MAX = 6
"""Of the reactions to a fault that come before a step or an outcome, the first ones are quoted, at most this many."""
WHAT = (
    "client",
    "consumer",
    "service",
    "participant",
    "broker",
    "partition",
    "partitions",
    "batch",
    "batches",
)
"""Two reactions to faults count as the same if their keys and these parameters are equal."""


def came_of(moment: Moment, fault: Said) -> list[Said]:
    """The sentences after ``fault`` by which the run reacts to faults, each kind once. Sentences that the run without
    the fault also has are left out."""
    return reactions(moment, fault, without(moment, fault.number))


def reactions(moment: Moment, fault: Said, other: Moment | None) -> list[Said]:
    others = Counter(
        _what(said) for said in (() if other is None else other.lately.came) if said.number > fault.number - 1
    )
    seen = {fault.key}
    newest = 0
    found = []
    for said in moment.lately.came:
        if said.number <= fault.number:
            continue
        if others[_what(said)] > 0:
            others[_what(said)] -= 1
        elif said.key not in seen and (said.number, said.key) != (newest, "client.requeued"):
            seen.add(said.key)
            newest = said.number
            found.append(said)
    return found


def without(moment: Moment, number: int) -> Moment | None:
    """The end of the run without the fault that makes step ``number``, and without later interventions; at the
    latest, its state after AGAIN_MAX steps. None if such a run cannot be made."""
    run = moment.simulation
    if run is None or run.number > AGAIN_MAX:
        return None
    if number not in moment.others:
        before = [one for one in run.interference.interventions if one["after"] < number - 1]
        other = type(run)(run.scenario, before)
        if number - 1 not in moment.intervened_after:
            other.interference.spared = number
        if isinstance(other.watch, Recorded):
            other.watch.lately.came_from = number  # Without this fault, the run may have no fault at all.
        while other.number < AGAIN_MAX and other.step() is not None:
            pass
        moment.others[number] = Moment.of(other)
    return moment.others[number]


def _what(said: Said) -> tuple[str, str]:
    return said.key, repr([said.params.get(name) for name in WHAT])
