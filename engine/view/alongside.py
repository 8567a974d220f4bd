"""Compares two runs: which steps belong together, and from which step on each object differs.

Equal events of both runs stand beside each other, whenever they happen. While one run makes a step that the other
does not have, the other run stands still. A difference in time alone does not count: the sequences of values that a
part of the state takes are compared, and the runs differ in it from the first step on at which these sequences differ.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile, zip_longest
from math import inf
from typing import Any, NamedTuple

from engine.broker.append_rules import MACHINE
from engine.shapes.alongside import Alongside, Picture
from engine.shapes.plans import Readable, Words
from engine.view.although import words
from engine.view.arrivals import UNSAFE
from engine.view.cost import LATER_LEAST, RunOutcome
from engine.view.places import leaves

ALIGNED_MOST = 2_000
"""Of each run, at most this many steps are compared one by one."""
NAMES_APART = frozenset({"batch_id", "message_id"})
"""The parameters that number batches and messages. Two runs may give the same batch or message different numbers."""
SAME_EVENT = 2
SAME_NUMBERS = 4
"""The weight of a pair of steps. ``SAME_EVENT``: the weight if both steps are the same event. ``SAME_NUMBERS``: what
is added to it if all numbers in their parameters are equal. If only some of the numbers are equal, the corresponding
share is added."""
DECISION = 10 * (SAME_EVENT + SAME_NUMBERS)
"""The weight of a pair of steps in which a leader decides differently about the same batch: that of ten equal
events."""
CHOSEN = frozenset({"api_call", "fault"})
"""The kinds of steps whose times the scenario chooses."""
COUNTS = frozenset({"delivered_count", "stored", "duplicates", "lost", "failed", "reordered"})
"""The names of facts that are counts. Counts may grow at a different pace in each run, so a count that never falls
differs from the step on at which it exceeds its last value in the other run. If a count falls, too, the values at
which it turns are compared."""
BATCH = ("producer_id", "producer_epoch", "first_sequence")
"""The fields of an arrived batch that identify it in its partition."""
_ABSENT = object()
IDENTITY = frozenset({"producer_id", "producer_epoch"})
NUMBERS = IDENTITY | {"first_sequence", "coordinator_epoch"}
"""The names of facts that are only numbers of a producer, an epoch or a sequence. Two runs may hold the same records
under different numbers, so these facts are compared apart from all others (``numbers``)."""
IN_BATCH = NUMBERS | {"outcome", "serials", "control"}
LOG = frozenset({"high_watermark", "last_stable_offset", "log_end"})
LIFE = frozenset({"alive", "paused"})
NODES = frozenset({"initiator", "business", "middleware", "manager"})

Path = Sequence[str]
History = list[tuple[int, Any]]
"""(step, value) for each change of a value; step 0 for the value before the first step."""


class Decided(NamedTuple):
    """A leader's decision about a batch. ``error``: the error with which the leader refuses the batch; empty if it
    accepts the batch, None if the batch is a duplicate."""

    step: int
    by: str
    error: str | None


class Followed:
    """Collects the facts of one run that are compared: pass its first view, then its steps in order, as JSON."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.steps: list[Mapping[str, Any]] = []
        self.outcome = RunOutcome(view)
        self.decisions: dict[tuple[Any, ...], list[Decided]] = {}
        """Dict of (partition, serials of a batch) → the decisions of leaders about the batch, one for each time
        that it arrives. If no application sent the records: (partition, numbers of the batch). A record has the same
        serial in all runs of a scenario (``Application.serials``, ``World.new_serial``)."""
        self._batches: dict[Path, dict[str, Any]] = {}
        """Dict of (producer, batch) → the producer's view of the batch."""
        self._numbered: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        """Dict of (partition, producer id, epoch, first sequence) → the serials of the newest batch with these
        numbers."""
        self._leaders: dict[str, str] = {}
        self._histories: dict[tuple[str, str], History] = {}
        for name, partition in (view.get("partitions") or {}).items():
            self._leaders[name] = str(partition["leader"])
        for path, value in leaves((), view):
            self._changed(0, path, value)

    def take(self, step: Mapping[str, Any]) -> None:
        self.steps.append(step)
        self.outcome.take(step)
        for change in step["changes"]:
            for path, value in leaves(tuple(change["path"]), change.get("after")):
                self._changed(step["number"], path, value)
        self._decided(step)

    def _decided(self, step: Mapping[str, Any]) -> None:
        """Note the decisions of leaders about batches in this step. A leader decides by the checks of its log, or
        before them, if the batch may not be written in its transaction. A batch without sequence numbers is
        appended without checks."""
        number, decision = step["number"], step.get("decision")
        if decision is not None and decision["machine"] == MACHINE:
            by, partition, batch = decision["by"], decision["subject"], decision["arrived"]
            self._decides(partition, batch, Decided(number, by, _answer(step)))
        for change in step["changes"]:
            path, batch = change["path"], change.get("after")
            if len(path) == 6 and path[4] == "batches" and self._leaders.get(path[1]) == path[3] and batch:
                serials = tuple(batch.get("serials") or ())
                if serials and (batch.get("first_sequence") or 0) < 0:
                    self._note((path[1], serials), Decided(number, f"broker-{path[3]}", ""))
        for said in (step, *step["notes"]):
            if said["key"] in UNSAFE:
                params = said["params"]
                self._decides(params["partition"], params, Decided(number, params["broker"], params["error"]))

    def _decides(self, partition: str, batch: Mapping[str, Any], decided: Decided) -> None:
        if batch.get("first_sequence", -1) >= 0:
            numbers = (partition, *(batch[name] for name in BATCH))
            self._note((partition, self._numbered.get(numbers, numbers)), decided)

    def _note(self, batch: tuple[Any, ...], decided: Decided) -> None:
        self.decisions.setdefault(batch, []).append(decided)

    def _numbers(self, path: Path, name: str, value: Any) -> None:
        """Note a value in the producer's view of a batch. Once the batch has sequence numbers, also note the
        serials of its records."""
        batch = self._batches.setdefault(path, {})
        batch[name] = value
        if (batch.get("first_sequence") if batch.get("serials") else None) is not None:
            numbers = (batch["partition"], *(batch.get(one) for one in BATCH))
            self._numbered[numbers] = tuple(batch["serials"])

    def _changed(self, number: int, path: Path, value: Any) -> None:
        if path[0] == "clients" and len(path) == 5 and path[2] == "batches":
            self._numbers((path[1], path[3]), path[4], value)
        if path[0] == "partitions" and len(path) == 3 and path[2] == "leader":
            self._leaders[path[1]] = str(value)
        found = _fact(path, self._leaders)
        if found is None:
            return
        history = self._histories.setdefault(found, [])
        if not history or history[-1][1] != value:
            history.append((number, value))

    def facts(self) -> Mapping[tuple[str, str], History]:
        """Dict of (subject, name of the fact) → the history of its values. A subject is, for example, an actor or a
        partition."""
        return self._histories


def alongside(left: Followed, right: Followed) -> Alongside:
    """The comparison of two runs.

    - ``same``: the number of the last step up to which both runs are equal.
    - ``ends``: the number of steps of each run.
    - ``moments``: (step, step) of both runs that stand beside each other, after ``same``.
    - ``parts``: dict of subject → the step of each run from which on the subject differs. ``numbers``: the same dict
      for differences in numbers (NUMBERS).
    - ``changes``: dict of subject → the steps of each run after ``same`` that changed it.
    - ``later``: the subjects that change at different times.
    - ``lasting``: the subjects that differ at the ends.
    - ``crossed``: both runs make a call or a fault at the same time, but not in the same moment.
    - ``timed``, ``fault``: as in :class:`Alongside`.
    """
    same = _same(left.steps, right.steps)
    decided = decides(left, right)
    moments = _moments(left.steps, right.steps, same, decided)
    changes = _changes(left.facts(), right.facts(), same)
    found: Alongside = {
        "same": same,
        "ends": [len(left.steps), len(right.steps)],
        "moments": moments,
        "parts": _parts(left.facts(), right.facts()),
        "numbers": _parts(left.facts(), right.facts(), of_numbers=True),
        "changes": changes,
        "later": _later(left.steps, right.steps, changes),
        "lasting": _lasting(left.facts(), right.facts()),
        "crossed": _crossed(left.steps, right.steps, same, moments),
        "picture": _picture(left, right, is_decided_apart=decided is not None),
    }
    if (timed := _timed(left, right, same, moments)) is not None:
        found["timed"] = timed
    if (fault := _fault(left.steps, right.steps, same, moments)) is not None:
        found["fault"] = fault
    return found


def _picture(left: Followed, right: Followed, *, is_decided_apart: bool) -> Picture:
    """The picture that shows best how the ends of the runs differ. Without logs: the stage. With logs: the logs, if
    stored records or their batches differ, or if consumers see other records or see them at other times, or if a
    leader decides differently (``is_decided_apart``); otherwise the messages."""
    if not any(fact == "leader" for _, fact in left.facts()):
        return "stage"
    ends = [run.outcome.to_json() for run in (left, right)]
    reads = [
        {
            subject: history[-1][1]
            for (subject, fact), history in run.facts().items()
            if fact == "delivered_count"
        }
        for run in (left, right)
    ]
    same = reads[0] == reads[1] and ends[0]["batches"] == ends[1]["batches"] and not is_decided_apart
    return (
        "messages"
        if same
        and _logs_apart(left, right) == "records_same"
        and not _shown_apart(*(end["readable"] for end in ends))
        else "logs"
    )


def _shown_apart(left: Mapping[str, Readable], right: Mapping[str, Readable]) -> bool:
    """Whether more records stay hidden in one of the runs, or become readable much later there."""
    both = [(left[name], right[name]) for name in left.keys() & right.keys()]
    return any(
        one["hidden"] != other["hidden"] or abs((one["at"] or 0) - (other["at"] or 0)) >= LATER_LEAST
        for one, other in both
    )


def decides(left: Followed, right: Followed) -> list[int] | None:
    """The step of each of two runs of one scenario at which a leader decides differently about the same batch, for
    the first such batch (:class:`Alongside`); None if there is no such batch."""
    apart = _decided_apart(left, right)
    return None if apart is None else [decided.step for decided in apart]


def verdict(left: Followed, right: Followed) -> list[Words]:
    """The sentences that compare the ends of two runs of one scenario: whether their logs hold the same records, and
    the first batch about which a leader decides differently. Empty if one of the runs is not followed to its end, or
    neither has a partition with records that are not in aborted transactions."""
    if max(len(left.steps), len(right.steps)) >= ALIGNED_MOST:
        return []
    ends = [run.outcome.to_json() for run in (left, right)]
    if not any(end["readable"] for end in ends):
        return []
    found = [words(f"beside.{_logs_apart(left, right)}")]
    apart = _decided_apart(left, right)
    if apart is not None:
        found.append(_decision_apart(*apart))
    return found


def _logs_apart(left: Followed, right: Followed) -> str:
    """The difference between the logs at the ends of two runs, as a part of a key: in their records, only in the
    order, outcomes or numbers (NUMBERS) of the records, or no difference."""
    ours, theirs = left.outcome.logs(), right.outcome.logs()
    if ours == theirs:
        same = left.outcome.numbers() == right.outcome.numbers()
        return "records_same" if same else "numbers_differ"
    records = [{name: [serial for serial, _ in log] for name, log in logs.items()} for logs in (ours, theirs)]
    if records[0] == records[1]:
        return "outcomes_differ"
    in_order = [{name: Counter(log) for name, log in logs.items()} for logs in records]
    return "order_differs" if in_order[0] == in_order[1] else "records_differ"


def _decision_apart(left: Decided, right: Decided) -> Words:
    if None in (left.error, right.error):
        known, other = ("left", right) if left.error is None else ("right", left)
        return (
            words(f"beside.known_{known}_refused", broker=left.by, error=other.error)
            if other.error
            else words(f"beside.known_{known}", broker=left.by)
        )
    if left.error and right.error:
        return words("beside.other_reason", broker=left.by, left=left.error, right=right.error)
    refused, stored = (left, "right") if left.error else (right, "left")
    return words(f"beside.stored_{stored}", broker=left.by, error=refused.error)


def _decided_apart(left: Followed, right: Followed) -> tuple[Decided, Decided] | None:
    """The first pair of different decisions about the same batch, when it arrives for the same time, or None. A leader
    appends the batch, recognises a duplicate, or refuses the batch with an error."""
    apart = (
        pair
        for batch, decided in left.decisions.items()
        for pair in zip(decided, right.decisions.get(batch, ()), strict=False)
        if pair[0].error != pair[1].error
    )
    return min(apart, key=lambda pair: pair[0].step, default=None)


def _answer(step: Mapping[str, Any]) -> str | None:
    """The ``error`` of :class:`Decided` for the decision that the step shows."""
    if step["refusal"] is not None:
        return str(step["refusal"]["error"])
    return "" if step["decision"]["rows"][-1]["outcome"] == "decided" else None


def _timed(left: Followed, right: Followed, same: int, moments: Sequence[Sequence[int]]) -> list[int] | None:
    """The step of each run at the first virtual time at which both runs have a fact with different values. None if
    there is no such time before the shorter run ends."""
    times = [[0, *(step["at"] for step in run.steps)] for run in (left, right)]
    until = min(every[-1] for every in times)
    found: tuple[int, list[int | None]] | None = None
    ours, theirs = left.facts(), right.facts()
    for fact in ours.keys() & theirs.keys():
        # Dict of virtual time → (the last step at this time that changes the fact, its value then), for each run.
        histories = [
            {every[step]: (step, value) for step, value in facts[fact]}
            for every, facts in zip(times, (ours, theirs), strict=True)
        ]
        values: list[Any] = [_ABSENT, _ABSENT]
        for at in sorted(histories[0].keys() | histories[1].keys()):
            changed = [history.get(at) for history in histories]
            values = [old if new is None else new[1] for new, old in zip(changed, values, strict=True)]
            if at > until or (found is not None and at >= found[0]):
                break
            if _ABSENT not in values and values[0] != values[1]:
                found = at, [None if new is None else new[0] for new in changed]
                break
    if found is None:
        return None
    at, steps = found
    for side, (step, every) in enumerate(zip(steps, times, strict=True)):
        if step is None:
            beside = _beside(moments, same, 1 - side, steps[1 - side] or 0)
            steps[side] = beside if every[beside] == at else bisect_right(every, at) - 1
    return [step or 0 for step in steps]


def _beside(moments: Sequence[Sequence[int]], same: int, side: int, step: int) -> int:
    """The step of the other run at the first moment at which the run ``side`` (0 or 1) has come to ``step``."""
    return next((pair[1 - side] for pair in moments if pair[side] >= step), same) if step > same else step


def _fact(path: Path, leaders: Mapping[str, str]) -> tuple[str, str] | None:
    """(subject, name of the fact) at this path of the view; None if a comparison does not compare the value there.
    `compare-facts.ts` shows these facts."""
    match tuple(path):
        case ("partitions", name, ("leader" | "isr") as fact):
            return name, fact
        case ("partitions", name, "replicas", replica, fact) if fact in LOG:
            return (name, fact) if leaders.get(name) == replica else None
        case ("partitions", name, "replicas", replica, "batches", offset, fact) if fact in IN_BATCH:
            return (name, f"{fact} {offset}") if leaders.get(name) == replica else None
        case ("brokers", broker, fact) if fact in LIFE:
            return f"broker-{broker}", fact
        case ("brokers", _, "transactions", tid, fact) if fact == "state" or fact in IDENTITY:
            return tid, fact
        case ("brokers", _, "groups", group, "committed", partition, "offset"):
            return group, f"committed {partition}"
        case (("clients" | "consumers" | "services"), name, fact) if fact in LIFE or fact in COUNTS:
            return name, fact
        case ("clients", name, "transaction_manager", fact) if (
            fact in ("state", "last_error") or fact in IDENTITY
        ):
            return name, fact
        case ("verdicts", name, fact) if fact in COUNTS:
            return name, fact
        case ("database", "rows", serial, "copies"):
            return "database", f"copies {serial}"
        case ("middleware", "transactions", tid, "state"):
            return "middleware", f"state {tid}"
        case ("middleware", role, *rest) if role in NODES:
            return _of_node(role, rest)
        case ("middleware", "participants", name, *rest):
            return _of_node(name, rest)
    return None


def _is_number(fact: str) -> bool:
    return fact.partition(" ")[0] in NUMBERS


def _of_node(name: str, path: Path) -> tuple[str, str] | None:
    match tuple(path):
        case (fact,) if fact in LIFE:
            return name, fact
        case ("transactions", tid, "state"):
            return name, f"state {tid}"
    return None


def _same(left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]]) -> int:
    """The number of the last step up to which both runs are the same."""
    both = zip(map(_happening, left), map(_happening, right), strict=False)
    return sum(1 for _ in takewhile(lambda steps: steps[0] == steps[1], both))


def _happening(step: Mapping[str, Any]) -> list[Any]:
    refusal = step["refusal"]
    said = [step[name] for name in ("at", "actor", "kind", "key", "params", "messages")]
    return [*said, None if refusal is None else refusal["error"]]


def _moments(
    left: Sequence[Mapping[str, Any]],
    right: Sequence[Mapping[str, Any]],
    same: int,
    decided: list[int] | None,
) -> list[list[int]]:
    """[step of the left run, step of the right run] of each moment after the step ``same``. ``decided``: the result of
    ``decides``."""
    ours, theirs = left[same:ALIGNED_MOST], right[same:ALIGNED_MOST]
    moments: list[list[int]] = []
    at, beside = 0, 0
    since = left[same - 1]["at"] if same else 0
    begun = (since, since)
    for one, other in [*_pairs(ours, theirs, decided), (len(ours), len(theirs))]:
        # Steps of only one run follow each other in the order of their time since the last common event.
        alone = [(step["at"] - begun[0], 0) for step in ours[at:one]]
        alone += [(step["at"] - begun[1], 1) for step in theirs[beside:other]]
        for _, side in sorted(alone):
            at, beside = at + (side == 0), beside + (side == 1)
            moments.append([same + at, same + beside])
        if one < len(ours):
            begun = (ours[one]["at"], theirs[other]["at"])
            at, beside = one + 1, other + 1
            moments.append([same + at, same + beside])
    return moments


def _crossed(
    left: Sequence[Mapping[str, Any]],
    right: Sequence[Mapping[str, Any]],
    same: int,
    moments: Sequence[Sequence[int]],
) -> bool:
    """Whether a call or fault happens in both runs at the same time, but in two different moments."""
    alone: tuple[set[Any], set[Any]] = (set(), set())
    for before, now in pairwise([[same, same], *moments]):
        moved = [side for side in (0, 1) if now[side] != before[side]]
        if len(moved) == 1:
            side = moved[0]
            step = (left, right)[side][now[side] - 1]
            if step["kind"] in CHOSEN:
                alone[side].add((step["at"], _event(step)))
    return not alone[0].isdisjoint(alone[1])


def _fault(
    left: Sequence[Mapping[str, Any]],
    right: Sequence[Mapping[str, Any]],
    same: int,
    moments: Sequence[Sequence[int]],
) -> list[int | None] | None:
    """For each run, the step of its fault, for the first moment at which only one run has a step, and this step is a
    fault that the other run has less often or never. None without one."""
    known = [Counter(_event(step) for step in steps if step["kind"] == "fault") for steps in (left, right)]
    for before, now in pairwise([[same, same], *moments]):
        moved = [side for side in (0, 1) if now[side] != before[side]]
        if len(moved) == 1:
            (side,) = moved
            step = (left, right)[side][now[side] - 1]
            event = _event(step)
            if step["kind"] == "fault" and known[side][event] > known[1 - side][event]:
                return [now[one] if one == side else None for one in (0, 1)]
    return None


def _pairs(
    left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]], decided: list[int] | None
) -> list[tuple[int, int]]:
    """(left index, right index) of steps that are the same event. Both indices rise, and the pairs are chosen so that
    the sum of their weights is the highest. ``decided``: two further steps that may be a pair, the result of
    ``decides``."""
    places: dict[Any, list[int]] = {}
    for place, step in enumerate(right):
        places.setdefault(_event(step), []).append(place)
    # `ends`, `chains`: for each weight that a chain of pairs can have, the least place in the right run at which
    # such a chain ends. Both rise, because a heavier chain that ends sooner replaces the lighter ones.
    ends: list[int] = []
    chains: list[tuple[int, Any]] = []
    for place, step in enumerate(left):
        found: list[tuple[int, tuple[int, Any]]] = []
        alike = [(other, _weight(step, right[other])) for other in places.get(_event(step), ())]
        if decided is not None and step["number"] == decided[0]:
            alike = [(other, DECISION) for other, one in enumerate(right) if one["number"] == decided[1]]
        for other, weight in alike:
            before = bisect_left(ends, other) - 1
            heaviest, chain = chains[before] if before >= 0 else (0, None)
            found.append((other, (heaviest + weight, (place, other, chain))))
        for end, chain in found:
            _put(ends, chains, end, chain)
    chain = chains[-1][1] if chains else None
    pairs: list[tuple[int, int]] = []
    while chain is not None:
        place, other, chain = chain
        pairs.append((place, other))
    return pairs[::-1]


def _put(ends: list[int], chains: list[tuple[int, Any]], end: int, chain: tuple[int, Any]) -> None:
    at = bisect_left(ends, end)
    if (at > 0 and chains[at - 1][0] >= chain[0]) or (
        at < len(ends) and ends[at] == end and chains[at][0] >= chain[0]
    ):
        return
    last = at
    while last < len(ends) and chains[last][0] <= chain[0]:
        last += 1
    ends[at:last] = [end]
    chains[at:last] = [chain]


def _event(step: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values that are equal in two steps if they are the same event."""
    named = ((name, value) for name, value in step["params"].items() if isinstance(value, str))
    return (
        step["actor"],
        step["kind"],
        step["key"],
        tuple(sorted(one["guarantee"] for one in step["broken"])),
        *sorted(one for one in named if one[0] not in NAMES_APART),
    )


def _weight(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    numbers = [name for name, value in one["params"].items() if not isinstance(value, str)]
    if not numbers:
        return SAME_EVENT + SAME_NUMBERS
    equal: int = sum(one["params"][name] == other["params"].get(name) for name in numbers)
    return SAME_EVENT + SAME_NUMBERS * equal // len(numbers)


def _parts(
    left: Mapping[tuple[str, str], History],
    right: Mapping[tuple[str, str], History],
    of_numbers: bool = False,
) -> dict[str, list[int | None]]:
    """Dict of subject → the step of each run from which on the subject differs; None for a run without such a step.
    ``of_numbers``: only the facts in NUMBERS are compared; if False, only the others."""
    parts: dict[str, list[int | None]] = {}
    for subject, fact in dict.fromkeys([*left, *right]):
        if _is_number(fact) is not of_numbers:
            continue
        ours, theirs = left.get((subject, fact), []), right.get((subject, fact), [])
        apart = _counts_apart(ours, theirs) if fact in COUNTS else _behind_common(ours, theirs)
        if apart != [None, None]:
            parts[subject] = [_earlier(*both) for both in zip(parts.get(subject, apart), apart, strict=True)]
    return parts


def _changes(
    left: Mapping[tuple[str, str], History], right: Mapping[tuple[str, str], History], same: int
) -> dict[str, list[list[int]]]:
    """Dict of subject → the steps of each run after ``same`` that changed its facts, each step once for every changed
    fact. Numbers do not count, because a run whose epochs rise more often would otherwise be ahead."""
    changes: dict[str, list[list[int]]] = {}
    for side, facts in enumerate((left, right)):
        for (subject, fact), history in facts.items():
            if not _is_number(fact) and (later := [step for step, _ in history if step > same]):
                changes.setdefault(subject, [[], []])[side].extend(later)
    return {subject: [sorted(steps) for steps in both] for subject, both in changes.items()}


def _later(
    left: Sequence[Mapping[str, Any]],
    right: Sequence[Mapping[str, Any]],
    changes: Mapping[str, Sequence[Sequence[int]]],
) -> list[str]:
    since: dict[str, float] = {}
    for subject, (ours, theirs) in changes.items():
        times = [left[step - 1]["at"] for step in ours], [right[step - 1]["at"] for step in theirs]
        apart = [pair for pair in zip_longest(*times, fillvalue=inf) if pair[0] != pair[1]]
        if apart:
            since[subject] = min(apart[0])
    return sorted(since, key=lambda subject: since[subject])


def _lasting(left: Mapping[tuple[str, str], History], right: Mapping[tuple[str, str], History]) -> list[str]:
    """The subjects of which a fact, other than a number (NUMBERS), has different last values in the two runs. A fact
    that only one run has counts, too."""
    ends = [
        {found: history[-1][1] for found, history in facts.items() if not _is_number(found[1])}
        for facts in (left, right)
    ]
    apart = {found for found in ends[0].keys() | ends[1].keys() if ends[0].get(found) != ends[1].get(found)}
    return sorted({subject for subject, _ in apart})


def _behind_common(left: History, right: History) -> list[int | None]:
    common = sum(1 for _ in takewhile(lambda both: both[0][1] == both[1][1], zip(left, right, strict=False)))
    return [next((step for step, _ in history[common:]), None) for history in (left, right)]


def _counts_apart(left: History, right: History) -> list[int | None]:
    if all(one < other for history in (left, right) for (_, one), (_, other) in pairwise(history)):
        return _above(left, right)
    return _behind_common(_turns(left), _turns(right))


def _turns(history: History) -> History:
    """The first and the last entry of a count's history, and those at which it turns from rising to falling or back."""
    inner = zip(history, history[1:], history[2:], strict=False)
    turns = [at for before, at, after in inner if (before[1] < at[1]) != (at[1] < after[1])]
    return [*history[:1], *turns, *history[1:][-1:]]


def _above(left: History, right: History) -> list[int | None]:
    ends = [history[-1][1] if history else 0 for history in (left, right)]
    return [
        next((step for step, value in history if value > end), None)
        for history, end in zip((left, right), reversed(ends), strict=True)
    ]


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((step for step in (one, other) if step is not None), default=None)
