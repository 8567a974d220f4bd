"""Makes a scenario of a case of real logs. The calls of its clients write records of the same producers, and
the same markers, at the same offsets.

The files show which producer wrote how many records where, and which markers end its transactions. The
scenario has the simplest calls that write such a log. Each transaction is ended by its own producer, whatever
ended it in the cluster. An open transaction stays open, and the run ends before its timeout. If a scenario
cannot be made, `NoScenarioError` says why.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eosviz.pipeline.kafka_logs.words import words

BATCHES_MAX = 200
"""A scenario has at most this many batches, because a learner steps through them. The engine could handle
more."""
RECORDS_MAX = 2_000
"""A batch of a scenario has at most this many records."""
TOPICS_MAX, PARTITIONS_MAX, PRODUCERS_MAX = 16, 64, 16
"""The limits of a scenario (docs/scenarios.md): topics, partitions of one topic, and producers."""
SLOT_MS = 500
"""The time between two calls that make a client send requests, in ms of virtual time. It is long enough for
all effects of a call."""
TIMEOUT_MS = 900_000
"""The transaction timeout of every transactional producer, in ms: Kafka's default of
`transaction.max.timeout.ms`. No transaction times out during the run."""
BATCH_BYTES = 12_000
"""The values of one batch have together at most this many bytes, so that up to 500 records fit into
`batch.size`. If a batch has more records, the producer sends them as several batches."""
_PARTITION = re.compile(r"([a-zA-Z0-9._-]+)-(\d{1,2})")
_INTERNAL = "__"
_ENDS = {"COMMIT": "commit_transaction", "ABORT": "abort_transaction"}

Json = dict[str, Any]


class NoScenarioError(Exception):
    """No scenario can be made of the case. `says`: the sentence that says why, and where if there is a
    place."""

    def __init__(self, reason: str, /, **params: Any) -> None:
        super().__init__(f"{reason} {params}")
        self.says = words(f"scenario.not.{reason}", **params)


class Stored(NamedTuple):
    """A stored batch of a log."""

    partition: str
    first_offset: int
    last_offset: int
    producer_id: int
    """The producer's id; -1 if the batch has none."""
    epoch: int
    transactional: bool
    control: str | None
    """COMMIT or ABORT for a marker; `?` for a marker whose type a dump does not show; None for data."""


@dataclass(eq=False)
class _Transaction:
    """One transaction of a producer, in all partitions to which it wrote."""

    producer_id: int
    epoch: int
    open_in: dict[str, int] = field(default_factory=dict)
    """Dict of partition that has no marker of the transaction yet → the transaction's first offset there."""
    ended: str | None = None
    """The type of the transaction's markers, COMMIT or ABORT; None before the first marker."""


@dataclass(eq=False)
class _Call:
    """A call that sends a batch or, if `is_end`, ends a transaction."""

    place: int
    """The position of `batch` in the sequence of the case's batches, which are sorted by time."""
    batch: Stored
    transaction: _Transaction | None = None
    is_end: bool = False
    waits_for: int = 0
    """The number of calls that must come before this one and are not placed yet."""
    before: list["_Call"] = field(default_factory=list)
    """The calls that must come after this one."""


def stored_batches(steps: Iterable[Mapping[str, Any]]) -> list[Stored]:
    """The batches that the steps of a case add to lanes (docs/frame.md), in order. Kafka's internal topics
    are left out. Raises NoScenarioError if a batch is damaged."""
    found = []
    for step in steps:
        for change in step["changes"]:
            path = change["path"]
            if len(path) == 6 and path[4] == "batches" and not path[1].startswith(_INTERNAL):
                found.append(_stored(path[1], change["after"]))
    return found


def lanes_of(view: Mapping[str, Any]) -> dict[str, list[Stored]]:
    """Dict of partition → the batches of its leader's log in a view, by offset. Partitions that are empty or
    internal to Kafka are left out. Raises NoScenarioError if a batch is damaged."""
    lanes = {}
    for name, lane in view["partitions"].items():
        leading = lane.get("replicas", {}).get(str(lane["leader"]), {})
        # A view does not contain empty logs.
        batches = leading.get("batches", {}).values()
        if batches and not name.startswith(_INTERNAL):
            lanes[name] = sorted(
                (_stored(name, one) for one in batches), key=lambda batch: batch.first_offset
            )
    return lanes


def _stored(partition: str, batch: Mapping[str, Any]) -> Stored:
    if batch.get("damaged"):
        raise NoScenarioError("damaged", partition=partition, offset=batch["base_offset"])
    return Stored(
        partition,
        batch["base_offset"],
        batch["last_offset"],
        int(batch["producer_id"]),
        batch["producer_epoch"],
        batch["transactional"],
        batch["control"],
    )


def differs_at(case: Sequence[Stored], played: Mapping[str, Sequence[Stored]]) -> tuple[str, int] | None:
    """The first partition and offset at which the played logs differ from the case; None if they do not
    differ. Producer ids may have other values in the played logs, if each id of the case always corresponds
    to the same one."""
    lanes: dict[str, list[Stored]] = defaultdict(list)
    for batch in case:
        lanes[batch.partition].append(batch)
    known: dict[int, int] = {}
    for name, batches in sorted(lanes.items()):
        here, there = _by_offset(batches), _by_offset(played.get(name, ()))
        for offset in sorted(here.keys() | there.keys()):
            one, other = here.get(offset), there.get(offset)
            if one is None or other is None or one[1:] != other[1:]:
                return name, offset
            if known.setdefault(one[0], other[0]) != other[0]:
                return name, offset
    return None


def _by_offset(batches: Iterable[Stored]) -> dict[int, tuple[int, bool, str | None]]:
    return {
        offset: (batch.producer_id, batch.transactional, batch.control)
        for batch in batches
        for offset in range(batch.first_offset, batch.last_offset + 1)
    }


def scenario_of(
    batches: Sequence[Stored], identifier: str, title: Mapping[str, str], named: Mapping[int, str]
) -> Json:
    """The document of the scenario (docs/scenarios.md). ``named``: producer id → transactional id, if it is
    known. Raises NoScenarioError."""
    _check(batches)
    calls = _in_order(_calls(batches))
    producers = _producers(batches, named)
    applications, end = _applications(calls, producers)
    starts: dict[str, int] = {}
    for batch in batches:
        starts.setdefault(batch.partition, batch.first_offset)
    topics: dict[str, int] = {}
    for name in starts:
        topic, number = _parted(name)
        topics[topic] = max(topics.get(topic, 0), number + 1)
    if len(topics) > TOPICS_MAX:
        raise NoScenarioError("topics", count=len(topics), most=TOPICS_MAX)
    document: Json = {
        "id": identifier,
        "profile": "k28",
        "title": dict(title),
        "limits": {"time_ms": end},
        "topics": [{"name": topic, "partitions": count} for topic, count in sorted(topics.items())],
        "producers": list(producers.values()),
        "consumers": [
            {"name": "c-committed", "isolation": "read_committed"},
            {"name": "c-uncommitted", "isolation": "read_uncommitted"},
        ],
        "applications": applications,
    }
    late = [
        {"set": "log_start", "partition": name, "offset": start} for name, start in starts.items() if start
    ]
    return document | ({"overrides": late} if late else {})


def _check(batches: Sequence[Stored]) -> None:
    if not any(batch.control is None for batch in batches):
        raise NoScenarioError("nothing")
    if len(batches) > BATCHES_MAX:
        raise NoScenarioError("batches", count=len(batches), most=BATCHES_MAX)
    ends: dict[str, int] = {}
    for batch in batches:
        place = {"partition": batch.partition, "offset": batch.first_offset}
        records = batch.last_offset - batch.first_offset + 1
        if records > RECORDS_MAX:
            raise NoScenarioError("records", **place, count=records, most=RECORDS_MAX)
        if ends.get(batch.partition, batch.first_offset) != batch.first_offset:
            raise NoScenarioError("hole", **place)
        ends[batch.partition] = batch.last_offset + 1
        if batch.control is not None and batch.control not in _ENDS:
            raise NoScenarioError("ended", **place)


def _parted(name: str) -> tuple[str, int]:
    """The topic and the number of a partition. Raises NoScenarioError if a scenario cannot have this name or
    number."""
    match = _PARTITION.fullmatch(name)
    if match is None or int(match[2]) >= PARTITIONS_MAX:
        raise NoScenarioError("named", partition=name, most=PARTITIONS_MAX)
    return match[1], int(match[2])


def _calls(batches: Sequence[Stored]) -> list[_Call]:
    """The calls of the scenario: one for each data batch, and one for the end of each transaction. They are
    linked by `_Call.before`."""
    calls: list[_Call] = []
    last_in: dict[str, _Call] = {}
    ends: dict[_Transaction, _Call] = {}
    transactions: dict[int, list[_Transaction]] = defaultdict(list)
    for place, batch in enumerate(batches):
        if batch.control is None:
            call = _Call(place, batch)
            calls.append(call)
            if batch.transactional:
                call.transaction = _begun(transactions[batch.producer_id], batch)
                before = transactions[batch.producer_id][-2:-1]
                _link(*(ends[one] for one in before if one in ends), to=call)
        else:
            transaction = _ended(transactions[batch.producer_id], batch)
            if transaction not in ends:
                ends[transaction] = _Call(place, batch, transaction, is_end=True)
                calls.append(ends[transaction])
            call = ends[transaction]
        if batch.partition in last_in:
            _link(last_in[batch.partition], to=call)
        last_in[batch.partition] = call
    _check_ends(transactions, ends)
    return calls


def _begun(known: list[_Transaction], batch: Stored) -> _Transaction:
    """The transaction to which a data batch belongs; it is added to `known` if it begins here. Raises
    NoScenarioError if the epoch changes inside a transaction."""
    if not known or known[-1].ended is not None:
        known.append(_Transaction(batch.producer_id, batch.epoch))
    if known[-1].epoch != batch.epoch:
        place = {"partition": batch.partition, "offset": batch.first_offset}
        raise NoScenarioError("earlier_open", **place, producer_id=batch.producer_id)
    known[-1].open_in.setdefault(batch.partition, batch.first_offset)
    return known[-1]


def _ended(known: list[_Transaction], batch: Stored) -> _Transaction:
    """The transaction that a marker ends: the producer's oldest one without a marker in the partition. Raises
    NoScenarioError if there is none, or if the markers of the transaction have different types."""
    place = {"partition": batch.partition, "offset": batch.first_offset}
    found = next((one for one in known if batch.partition in one.open_in), None)
    if found is None:
        raise NoScenarioError("marker_alone", **place, producer_id=batch.producer_id)
    if found.ended not in (None, batch.control):
        raise NoScenarioError("two_results", **place, producer_id=batch.producer_id)
    found.ended = batch.control
    del found.open_in[batch.partition]
    return found


def _check_ends(
    transactions: Mapping[int, Sequence[_Transaction]], ends: Mapping[_Transaction, _Call]
) -> None:
    """Raises NoScenarioError if a transaction has a marker in one of its partitions and none in another."""
    for known in transactions.values():
        for one in known:
            if one in ends and one.open_in:
                partition, offset = next(iter(one.open_in.items()))
                raise NoScenarioError(
                    "half_ended", partition=partition, offset=offset, producer_id=one.producer_id
                )


def _link(*earlier: _Call, to: _Call) -> None:
    for call in earlier:
        if call is not to:
            call.before.append(to)
            to.waits_for += 1


def _in_order(calls: Sequence[_Call]) -> list[_Call]:
    """All calls, sorted so that each comes after those that must precede it. Raises NoScenarioError if that
    is impossible."""
    ready = [(call.place, id(call), call) for call in calls if not call.waits_for]
    heapq.heapify(ready)
    ordered: list[_Call] = []
    while ready:
        _, _, call = heapq.heappop(ready)
        ordered.append(call)
        for later in call.before:
            later.waits_for -= 1
            if not later.waits_for:
                heapq.heappush(ready, (later.place, id(later), later))
    if len(ordered) < len(calls):
        left = next(call.batch for call in calls if call.waits_for)
        raise NoScenarioError("order", partition=left.partition, offset=left.first_offset)
    return ordered


def _producers(batches: Sequence[Stored], named: Mapping[int, str]) -> dict[tuple[int, bool], Json]:
    """Dict of (producer id, whether transactional) → the producer's entry in the scenario. Raises NoScenarioError
    if there are too many, or if a producer has written transactional and other data."""
    found: dict[tuple[int, bool], Json] = {}
    for batch in batches:
        key = (batch.producer_id, batch.transactional)
        if batch.control is not None or key in found:
            continue
        if (batch.producer_id, not batch.transactional) in found:
            raise NoScenarioError(
                "foreign",
                partition=batch.partition,
                offset=batch.first_offset,
                producer_id=batch.producer_id,
            )
        settings: Json = {"linger_ms": 5, "enable_idempotence": batch.producer_id >= 0}
        if batch.transactional:
            settings["transactional_id"] = named.get(batch.producer_id) or f"txn-{batch.producer_id}"
            settings["transaction_timeout_ms"] = TIMEOUT_MS
        found[key] = {"name": f"p{len(found) + 1}", "settings": settings}
    if len(found) > PRODUCERS_MAX:
        raise NoScenarioError("producers", count=len(found), most=PRODUCERS_MAX)
    return found


def _applications(
    calls: Sequence[_Call], producers: Mapping[tuple[int, bool], Json]
) -> tuple[list[Json], int]:
    """For each producer, an application with its calls; and the virtual time in ms at which the last call has
    ended."""
    at = 0
    made: dict[str, list[Json]] = {one["name"]: [] for one in producers.values()}
    begun: set[_Transaction] = set()
    for call in calls:
        batch = call.batch
        own = made[producers[batch.producer_id, batch.transactional]["name"]]
        if call.is_end:
            own.append({"at": at, "do": _ENDS[batch.control or ""]})
        else:
            if call.transaction is not None and not own:
                own.append({"at": at, "do": "init_transactions"})
                at += SLOT_MS
            if call.transaction is not None and call.transaction not in begun:
                begun.add(call.transaction)
                own.append({"at": at, "do": "begin_transaction"})
            records = batch.last_offset - batch.first_offset + 1
            size = min(100, max(1, BATCH_BYTES // records))
            own.append(
                {"at": at, "do": "send", "partition": batch.partition, "records": records, "size": size}
            )
        at += SLOT_MS
    applications = [
        {"name": f"app-{number}", "client": name, "calls": own_calls}
        for number, (name, own_calls) in enumerate(made.items(), start=1)
    ]
    return applications, at
