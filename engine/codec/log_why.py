"""Explains why read_committed consumers stop at the LSO, for the steps of a log case at which a transaction
is open. The answer uses the logs alone; if the transaction does not end in the case, a note says what a log
cannot show.

Consecutive steps share one answer while the same transaction is the first open one.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.codec.internal_records import InternalRecords
from engine.codec.lane import Lane, exact
from engine.codec.log_sentences import sentence
from engine.codec.segment import BatchRow
from engine.coordinator.transaction_states import RESTING
from engine.topic_partition import is_internal
from engine.why.links import Link, partition_subject, transaction_subject

STRETCHES_MAX = 1000
"""A case has at most this many answers, for its last steps. The steps before them have none."""

HELD_FROM = 500
"""A transaction that ends is worth a note if it holds the last stable offset for at least so many ms while others'
records come: a consumer's fetch waits that long for data anyway (`fetch.max.wait.ms`)."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """A marker: its offset, its producer epoch, and its result."""

    offset: int
    epoch: int
    result: str


@dataclass(frozen=True, slots=True)
class Begun:
    """A transaction and the step that stores its first batch."""

    partition: str
    producer_id: int
    epoch: int
    first_offset: int
    step: int
    time: int
    """The batch's time in milliseconds since 1970; -1 when no time is plausible."""
    after: Ended | None = None
    """The newest marker of the same producer id in the partition before the batch."""


@dataclass(slots=True)
class _Stretch:
    begun: Begun
    first: int
    since: int
    """The time of the first step in milliseconds since 1970; -1 when no time is plausible."""
    last: int | None = None
    """The number of the last step with this answer; None: the answer holds until the end of the case."""
    waiting: int = 0
    """The number of records that other producers appended in these steps."""
    until: int = -1
    """The time of the batch after the step ``last``, in milliseconds since 1970; -1 if there is none."""
    end: int = -1
    """The first offset of the batch after the step ``last``; -1 if there is none."""


class Stretches:
    """Finds, for each partition, the stretches of steps with the same first open transaction."""

    def __init__(self) -> None:
        self._now: dict[str, _Stretch] = {}
        self._stretches: deque[_Stretch] = deque(maxlen=STRETCHES_MAX)

    def look(
        self, lane: Lane, begun: dict[tuple[str, int], Begun], step: int, row: BatchRow, time: int
    ) -> None:
        """Let a batch that was appended to the lane extend, end or begin a stretch. Called after each batch.
        `step`: the number of the batch's step. `time`: the batch's time in milliseconds since 1970."""
        stable, now = lane.log.last_stable_offset, self._now.get(lane.partition)
        is_held = stable in lane.log.producers.open_transactions
        if now is not None and is_held and now.begun.first_offset == stable:
            is_others = row.header.producer_id != now.begun.producer_id and not row.header.is_control
            now.waiting += row.header.record_count if is_others and not row.damage else 0
            return
        if now is not None:
            now.last, now.until, now.end = step - 1, time, row.header.base_offset
            del self._now[lane.partition]
        holder = begun.get((lane.partition, stable)) if is_held else None
        if holder is not None:
            self._now[lane.partition] = _Stretch(holder, step, time)
            self._stretches.append(self._now[lane.partition])

    def holds(self, internal: InternalRecords) -> Iterator[tuple[int, Json]]:
        """(Step, note) for each transaction that held back records of other producers for HELD_FROM or longer, and
        then ended. A producer sets the time of its batch before the leader stores it, so `lasted` is an upper bound."""
        for one in self._stretches:
            lasted = one.until - one.since
            is_read = one.since >= 0 and not is_internal(one.begun.partition)
            if not is_read or one.last is None or one.waiting == 0 or lasted < HELD_FROM:
                continue
            yield one.first, about(
                "log.holds", one.begun, internal, "LOG-8", partition=one.begun.partition,
                offset=one.begun.first_offset, end=one.end, lasted=lasted, waiting=one.waiting,
            )  # fmt: skip

    def to_json(self, internal: InternalRecords) -> list[Json]:
        """The stretches in the order in which they begin. `offset`: the offset at which consumers stop."""
        return [
            {
                "partition": one.begun.partition,
                "first": one.first,
                "last": one.last,
                "offset": one.begun.first_offset,
                "links": [link.to_json() for link in _links(one, internal)],
            }
            for one in self._stretches
        ]


def about(key: str, one: Begun, internal: InternalRecords, *rules: str, **params: Any) -> Json:
    """The sentence `key` about a transaction, with the transactional id if it is known."""
    known = internal.of_producer.get(one.producer_id)
    of: Json = {"producer_id": exact(one.producer_id), "producer_epoch": one.epoch, **params}
    if known is None:
        return sentence(key, *rules, **of)
    return sentence(f"{key}_by", *rules, transactional_id=known.transactional_id, **of)


def after_marker(one: Begun, internal: InternalRecords, *, at_the_end: bool = True) -> list[Json]:
    """At most one sentence: the transaction's first batch follows a marker of the same producer id and epoch.
    There is none if the coordinator's log shows an open transaction, to which the batch may belong. ``at_the_end``:
    the sentence also says what the coordinator's log shows at the end of the files."""
    if one.after is None or one.after.epoch != one.epoch:
        return []
    params: Json = {"offset": one.first_offset, "marker_offset": one.after.offset, "result": one.after.result}
    known = internal.of_producer.get(one.producer_id)
    if known is not None and known.state not in RESTING:
        return []
    if known is None or not at_the_end:
        return [sentence("log.after_marker", "MRK-6", **params)]
    params |= {"transactional_id": known.transactional_id, "state": known.state}
    return [sentence("log.after_marker_late", "MRK-6", "TXC-3", **params)]


def _links(stretch: _Stretch, internal: InternalRecords) -> Iterator[Link]:
    one = stretch.begun
    partition = partition_subject(one.partition)
    yield Link(
        key="log.why.stops",
        params={"partition": one.partition, "offset": one.first_offset},
        rules=("LOG-8", "CON-3"),
        subject=partition,
    )
    late = after_marker(one, internal)
    yield Link(
        key="log.why.begins",
        params={
            "partition": one.partition,
            "offset": one.first_offset,
            "producer_id": exact(one.producer_id),
            "producer_epoch": one.epoch,
            "at": one.time if one.time >= 0 else None,
        },
        rules=("MSG-2",),
        step=one.step,
        answers=not late,
    )
    for said in late:
        rules = tuple(said["rules"])
        yield Link(key=said["key"], params=said["params"], rules=rules, step=one.step, answers=True)
    if stretch.last is not None:
        yield Link(
            key="log.why.ends", params={"step": stretch.last + 1}, rules=("MSG-3",), step=stretch.last + 1
        )
        return
    yield Link(key="log.why.never_ends", params={"producer_id": exact(one.producer_id)}, rules=("MSG-3",))
    known = internal.of_producer.get(one.producer_id)
    if known is not None:
        params = {"transactional_id": known.transactional_id, "state": known.state, "place": known.place}
        yield Link(
            key="log.why.known",
            params=params,
            rules=("TXC-3",),
            subject=transaction_subject(known.transactional_id),
            step=known.step,
        )
    elif internal.has_coordinator:
        yield Link(key="log.now_unknown", params={"producer_id": exact(one.producer_id)}, rules=("TXC-3",))
    else:
        yield Link(key="log.now_no_coordinator", rules=("TXC-3",))
    yield Link(key="log.why.application_log")
