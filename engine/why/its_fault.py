"""Finds the intervention that led to the outcome that an answer is about. To do so, it makes the run again without the
intervention, and compares the two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.coordinator.transaction_states import COMPLETE_ABORT, COMPLETE_COMMIT, PREPARE_ABORT
from engine.lately import Said
from engine.why.fencing import decision_of
from engine.why.focus import (
    APART,
    EARLY,
    HANGING,
    LOST,
    LSO,
    MIXED,
    REORDERED,
    STATE,
    TIMED_OUT,
    TORN,
    TWICE,
    UNENDED,
    UNFENCED,
    UNSEEN,
)
from engine.why.links import Json, Link, NotAsked, link
from engine.why.moment import Moment
from engine.why.outcomes import OVER
from engine.why.records import quoted
from engine.why.without import AGAIN_MAX, REACTIONS_MAX, reactions, without

BACK_MAX = 4
"""The cause of an outcome is looked for among the newest interventions, at most this many."""
_PASSING = frozenset(
    {
        "client.requeued",
        "client.drained_again",
        "client.drained_plain_again",
        "client.drained_renumbered",
        "client.drained_some_renumbered",
        "broker.duplicate_found",
    }
)
"""Keys of reactions that an answer leaves out, because they may be about other batches than the answer."""

_GUARANTEES = {
    LOST: ("lost",),
    TWICE: ("duplicated",),
    REORDERED: ("reordered",),
    EARLY: ("visible_early",),
    TORN: ("atomic",),
    UNFENCED: ("fenced",),
    HANGING: ("hanging",),
    MIXED: ("mixed", "repeated"),
    APART: ("row_missing", "record_missing", "row_repeated"),
}
"""Dict of question about a broken guarantee → the guarantees that it may be about."""
_OUTCOMES = frozenset({*_GUARANTEES, TIMED_OUT, LSO, UNSEEN, STATE, UNENDED})
"""The questions about an outcome. For other questions, no run is made again."""
_ABORTS = (
    "coordinator.decides_abort",
    "coordinator.transaction_timed_out",
    "coordinator.fences_open_transaction",
)

Answer = Callable[[Moment, str], Iterator[Link]]


def with_its_fault(
    moment: Moment, question: str, subject: str, chain: Sequence[Link], answer: Answer
) -> list[Link]:
    """The answer, with the intervention that led to the outcome, and at most REACTIONS_MAX reactions to it.
    Unchanged if the question is about no outcome (``_OUTCOMES``), or if no intervention led to it."""
    found = _fault(moment, question, subject, answer) if question in _OUTCOMES else None
    if found is None:
        return list(chain)
    fault, other, is_newest = found
    known = {(one.step, one.key) for one in chain}
    last = max((one.step or 0 for one in chain), default=0)
    added = [quoted(fault)]
    if is_newest:
        added.append(link("came.not_without", "GEN-8", step=fault.number))
    about = _names(moment, question, subject)
    came = [quoted(said) for said in reactions(moment, fault, other) if _fits(said, about)]
    if question in _GUARANTEES:
        came = [one for one in came if (one.step or 0) <= last and one.key not in _PASSING]
    else:
        came = [one for one in came if one.key not in _PASSING and not one.key.startswith("broker.")]
    added += came[:REACTIONS_MAX]
    added = [one for one in added if (one.step, one.key) not in known]
    return _in_order(chain, added) if question in _GUARANTEES else [*chain, *added]


def _in_order(chain: Sequence[Link], added: Sequence[Link]) -> list[Link]:
    """The chain with the links in ``added`` between its own links, so that the links about steps are in the order of
    these steps."""
    result = list(chain)
    for one in added:
        at = [place for place, other in enumerate(result) if other.step is not None]
        before = [place for place in at if (result[place].step or 0) <= (one.step or 0)]
        place = before[-1] + 1 if before else at[0] if at else min(1, len(result))
        result.insert(place, one)
    return result


def _fault(moment: Moment, question: str, subject: str, answer: Answer) -> tuple[Said, Moment, bool] | None:
    """Looks for the newest intervention, among the last BACK_MAX, without which the run does not come to the outcome;
    the later interventions are left out, too. Returns the intervention, the end of the run without it, and whether it
    is the last intervention. None if there is no such intervention, or if the run cannot be made again."""
    by_hand = [one for one in moment.lately.faults if one.number - 1 in moment.intervened_after]
    for place, fault in enumerate(reversed(by_hand[-BACK_MAX:])):
        other = without(moment, fault.number)
        if other is None or other.simulation is None or other.simulation.number >= AGAIN_MAX:
            return None
        if not _comes(moment, other, question, subject, fault, answer):
            return fault, other, place == 0
    return None


def _comes(moment: Moment, other: Moment, question: str, subject: str, fault: Said, answer: Answer) -> bool:
    if question in _GUARANTEES:
        return _breaks(other, question, subject, answer)
    if question == TIMED_OUT:
        return ("coordinator.transaction_timed_out", subject) in other.lately.said
    if question in (LSO, UNSEEN):
        partition = subject.split("/")[1] if question == UNSEEN else subject
        return not (moment.is_over and _is_held(moment, partition) and not _is_held(other, partition))
    mine, theirs = moment.entry_of(subject), other.entry_of(subject)
    if mine is None or theirs is None:
        return True
    if question == STATE:
        return _aborts(moment, other, subject, fault, mine[1]["state"], theirs[1]["state"])
    if mine[1]["state"] in OVER or theirs[1]["state"] not in OVER:
        return True
    ended = other.lately.transitions.get(("transaction_states", subject))
    return ended is None or (ended[0].at > moment.now and not moment.is_over)


def _aborts(
    moment: Moment, other: Moment, transactional_id: str, fault: Said, mine: str, theirs: str
) -> bool:
    """Whether the fault did not cause the abort of an id's transaction: the id is not aborted, its abort was decided
    before the fault, or the other run aborts it, too. ``mine`` and ``theirs``: the id's states in this run and in the
    other one."""
    decided = decision_of(moment, transactional_id)
    if mine not in (PREPARE_ABORT, COMPLETE_ABORT) or decided is None or decided.number < fault.number:
        return True
    if moment.is_over and theirs == COMPLETE_COMMIT:
        return False
    return any((key, transactional_id) in other.lately.said for key in _ABORTS)


def _breaks(other: Moment, question: str, subject: str, answer: Answer) -> bool:
    guarantees = other.part("guarantees")
    if not any(guarantees.get(name, {"count": 0})["count"] for name in _GUARANTEES[question]):
        return False
    try:
        return bool(list(answer(other, subject)))
    except NotAsked:
        return False


def _is_held(moment: Moment, partition: str) -> bool:
    replica = moment.leading(partition) if partition in moment.part("partitions") else None
    return replica is not None and bool(replica["last_stable_offset"] < replica["high_watermark"])


def _names(moment: Moment, question: str, subject: str) -> Json:
    """What an answer is about, as far as it is known: dict of ``client``, ``partition`` or ``transactional_id`` → its
    name."""
    if question in (HANGING, LSO):
        return {"partition": subject}
    if question == UNSEEN:
        return {"partition": subject.split("/")[1]}
    if question in (STATE, TIMED_OUT, UNENDED):
        return {"transactional_id": subject}
    record = moment.part("records").get(subject)
    return {} if record is None else {"partition": record["partition"], "client": record["producer"]}


def _fits(said: Said, about: Json) -> bool:
    return all(said.params.get(name, value) == value for name, value in about.items())
