"""Answers why a consumer does not get an offset, and why it lags or its offsets have gaps (CON-1..CON-7, CON-11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.client.reading import ABORTED, COMPACTED, CONTROL, DELETED, DELIVERED, READ_COMMITTED, SOUGHT
from engine.reader_lanes import NOT_FETCHED, NOT_REPLICATED, NOT_SUBSCRIBED, UNDECIDED
from engine.why.links import (
    Json,
    Link,
    NotAsked,
    actor_subject,
    link,
    named,
    partition_subject,
    stored_subject,
    transaction_subject,
)
from engine.why.messages import coming, whereabouts
from engine.why.moment import Moment
from engine.why.replication import behind, leaderless, not_running
from engine.why.stable_offset import holder, open_at, owner

BEYOND, UNSERVED, FOLDED, BEFORE_START = "beyond_end", "unserved", "folded", "before_log_start"


def lane_of(moment: Moment, consumer: str, partition: str) -> Json:
    """The lane of a partition in the view of a consumer (docs/frame.md, Readers and groups). Raises NotAsked if the
    consumer has no such lane."""
    shown = moment.named("consumers", consumer)
    lane: Json | None = (shown.get("lanes") or {}).get(partition)
    if lane is None:
        raise NotAsked(
            "subject", f"{consumer} has no lane {partition!r}", f"known: {', '.join(shown['lanes'])}"
        )
    return lane


def fate_of(moment: Moment, consumer: str, partition: str, offset: int) -> str:
    """The fate of an offset at a consumer: a key of ``_FATES``."""
    lane = lane_of(moment, consumer, partition)
    for first, last, fate in [*lane["stretches"], *lane["ahead"]]:
        if first <= offset <= last:
            return str(fate)
    replica = moment.leading(partition)
    if replica is not None and offset >= replica["log_end"]:
        return BEYOND
    if lane["position"] is None:
        return NOT_SUBSCRIBED
    if offset >= lane["position"]:
        return UNSERVED
    if lane["folded"]:
        return FOLDED
    return BEFORE_START


def why_unseen(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    """Links that say why a consumer did not get an offset, or that it got it."""
    moment.named("partitions", partition)
    fate = fate_of(moment, consumer, partition, offset)
    yield from _FATES[fate](moment, consumer, partition, offset)


class _Plain:
    """An answer of one sentence. An object of this class is called like the functions in ``_FATES``, and gives one
    link."""

    def __init__(self, key: str, *rules: str) -> None:
        self.key = key
        self.rules = rules

    def __call__(self, moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
        replica = moment.leading(partition) or {}
        yield link(
            f"unseen.{self.key}",
            *self.rules,
            subject=_stored(moment, partition, offset),
            consumer=consumer,
            partition=partition,
            offset=offset,
            log_start=replica.get("log_start"),
            log_end=replica.get("log_end"),
            position=moment.named("consumers", consumer)["positions"].get(partition),
        )


def _stored(moment: Moment, partition: str, offset: int) -> Json:
    batch = moment.batch_at(partition, offset)
    return partition_subject(partition) if batch is None else stored_subject(partition, batch)


def _aborted(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    """Links for a record whose transaction was aborted."""
    batch = moment.batch_at(partition, offset)
    replica = moment.leading(partition)
    subject = _stored(moment, partition, offset)
    producer_id = None if batch is None else batch["producer_id"]
    yield link(
        "unseen.aborted",
        "CON-3",
        subject=subject,
        consumer=consumer,
        partition=partition,
        offset=offset,
        producer_id=producer_id,
        producer_epoch=None if batch is None else batch["producer_epoch"],
    )
    index = [] if replica is None else replica.get("aborted_index", [])
    for aborted_id, first, last, stable in reversed(index):
        if aborted_id == producer_id and first <= offset <= last:
            marker = moment.batch_at(partition, last)
            yield link(
                "unseen.aborted_entry",
                "LOG-9",
                "CON-7",
                subject=subject if marker is None else stored_subject(partition, marker),
                partition=partition,
                producer_id=aborted_id,
                first=first,
                marker=last,
                stable=stable,
            )
            break
    transactional_id = None if producer_id is None else moment.owner_of(producer_id)
    if transactional_id is not None:
        yield link(
            "transaction.owner",
            "FEN-2",
            subject=transaction_subject(transactional_id),
            producer_id=producer_id,
            producer_epoch=None if batch is None else batch["producer_epoch"],
            transactional_id=transactional_id,
        )


def _control(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    batch = moment.batch_at(partition, offset) or {}
    yield link(
        "unseen.control",
        "CON-4",
        subject=_stored(moment, partition, offset),
        consumer=consumer,
        partition=partition,
        offset=offset,
        result=batch.get("control"),
        producer_id=batch.get("producer_id"),
    )


def _undecided(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    """Links for an offset at or above the last stable offset."""
    replica = moment.leading(partition)
    if replica is None:
        yield from leaderless(moment, partition)
        return
    stable = replica["last_stable_offset"]
    batch = moment.batch_at(partition, offset)
    own = batch is not None and batch.get("outcome") == "open"
    behind_one = "marker_waits" if open_at(replica, stable) is None else "undecided_behind"
    yield link(
        "unseen.undecided_own" if own else f"unseen.{behind_one}",
        "CON-5",
        subject=_stored(moment, partition, offset),
        consumer=consumer,
        partition=partition,
        offset=offset,
        last_stable_offset=stable,
        high_watermark=replica["high_watermark"],
    )
    if own and batch is not None and batch["base_offset"] != stable:
        yield from owner(
            moment, partition, batch["producer_id"], batch["producer_epoch"], batch["base_offset"]
        )
    else:
        yield from holder(moment, partition, replica)


def _unserved(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    """Links for an offset of a partition whose leader does not respond: there is none, or it is down or still starts.
    Without a leader it is unknown whether the record is stored."""
    yield link(
        "unseen.unserved",
        "LOG-10",
        subject=_stored(moment, partition, offset),
        consumer=consumer,
        partition=partition,
        offset=offset,
    )
    if moment.named("partitions", partition)["leader"] is None:
        yield from leaderless(moment, partition)
    yield from reading_waits(moment, consumer, partition)


def _not_replicated(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    replica = moment.leading(partition) or {}
    yield link(
        "unseen.not_replicated",
        "LOG-7",
        "CON-1",
        subject=_stored(moment, partition, offset),
        consumer=consumer,
        partition=partition,
        offset=offset,
        high_watermark=replica.get("high_watermark"),
    )
    yield from behind(moment, partition, offset + 1)


def _not_fetched(moment: Moment, consumer: str, partition: str, offset: int) -> Iterator[Link]:
    lane = lane_of(moment, consumer, partition)
    yield link(
        "unseen.not_fetched",
        "CON-1",
        subject=_stored(moment, partition, offset),
        consumer=consumer,
        partition=partition,
        offset=offset,
        position=lane["position"],
        bound=lane["bound"],
    )
    yield from reading_waits(moment, consumer, partition)


def reading_waits(moment: Moment, consumer: str, partition: str | None) -> Iterator[Link]:
    """Links about what a consumer waits for before it gets its next records, and about the records in its buffer.
    ``partition`` None: for all its partitions."""
    shown = moment.named("consumers", consumer)
    subject = actor_subject(consumer)
    stopped = list(not_running(moment, consumer))
    if stopped:
        yield from stopped
        return
    if shown["rewinding"]:
        yield link("reader.rewinds", "CON-9", subject=subject, consumer=consumer)
    for name, leader in shown["metadata"]["leaders"].items():
        if leader is None and partition in (None, name):
            yield link("reader.no_leader", "SND-6", subject=subject, consumer=consumer, partition=name)
        elif leader is not None and partition in (None, name):
            yield from not_running(moment, f"broker-{leader}")
    if shown["buffered"]:
        yield link("reader.buffered", "CON-8", subject=subject, consumer=consumer, count=shown["buffered"])
    for message in moment.messages():
        if consumer in (message["from"], message["to"]):
            yield from whereabouts(moment, message)
    event = moment.next_event(consumer)
    if event is not None and event["class"] == "timer":
        yield coming(moment, event)


_FATES: dict[str, Callable[[Moment, str, str, int], Iterator[Link]]] = {
    DELIVERED: _Plain("delivered", "CON-1"),
    ABORTED: _aborted,
    CONTROL: _control,
    COMPACTED: _Plain("compacted", "CON-11", "LOG-13"),
    DELETED: _Plain("deleted", "CON-11", "LOG-11"),
    SOUGHT: _Plain("sought", "CON-11", "CON-8"),
    NOT_SUBSCRIBED: _Plain("not_subscribed", "CON-11"),
    UNDECIDED: _undecided,
    NOT_REPLICATED: _not_replicated,
    NOT_FETCHED: _not_fetched,
    UNSERVED: _unserved,
    BEYOND: _Plain("beyond_end", "LOG-4"),
    FOLDED: _Plain("folded", "CON-12"),
    BEFORE_START: _Plain("before_log_start", "CON-11", "LOG-11"),
}


# -- lag ---------------------------------------------------------------------------------------------------


def why_lag(moment: Moment, consumer: str, partition: str) -> Iterator[Link]:
    """Links that say why a consumer's lag does not decrease, and why its offsets have gaps."""
    lane = lane_of(moment, consumer, partition)
    replica = moment.leading(partition)
    if replica is None:
        yield from leaderless(moment, partition)
        return
    shown = moment.named("consumers", consumer)
    position, end = lane["position"], replica["high_watermark"]
    subject = actor_subject(consumer)
    if position is None:
        yield from _FATES[NOT_SUBSCRIBED](moment, consumer, partition, replica["log_start"])
        return
    params = {"consumer": consumer, "partition": partition, "end": end}
    yield link("lag.position", "CON-8", subject=subject, **params, position=position, lag=end - position)
    committed = moment.committed(consumer, partition)
    if committed is not None:
        group = shown["group"]["group_id"]
        yield link(
            "lag.committed",
            "CON-9",
            subject=subject,
            **params,
            group=group,
            committed=committed,
            lag=end - committed,
        )
        yield from _between(moment, partition, committed, end)
    yield from _jumps(moment, consumer, partition, lane)
    if position >= end:
        return
    if shown["isolation"] == READ_COMMITTED and replica["last_stable_offset"] < end:
        yield link(
            "lag.wall",
            "CON-5",
            subject=partition_subject(partition),
            **params,
            last_stable_offset=replica["last_stable_offset"],
        )
        yield from holder(moment, partition, replica)
    else:
        yield from reading_waits(moment, consumer, partition)


def _between(moment: Moment, partition: str, first: int, end: int) -> Iterator[Link]:
    """A link about the markers from offset ``first`` up to ``end``, which count as lag although no application gets
    them; no link without markers."""
    batches = [batch for batch in moment.batches(partition) if first <= batch["base_offset"] < end]
    markers = [batch["base_offset"] for batch in batches if batch["control"] is not None]
    if markers:
        only = len(markers) == end - first
        yield link(
            "lag.only_markers" if only else "lag.markers_between",
            "CON-4",
            "LOG-4",
            subject=_stored(moment, partition, markers[0]),
            partition=partition,
            offsets=named(markers),
            count=len(markers),
        )


def _jumps(moment: Moment, consumer: str, partition: str, lane: Json) -> Iterator[Link]:
    """Links about the markers, the aborted offsets and the compacted offsets that the consumer has passed."""
    kinds = {CONTROL: "lag.markers_passed", ABORTED: "lag.aborted_passed", COMPACTED: "lag.compacted_passed"}
    for fate, key in kinds.items():
        passed = [(first, last) for first, last, kind in lane["stretches"] if kind == fate]
        if not passed:
            continue
        newest_first = [
            str(first) if first == last else f"{first}–{last}" for first, last in reversed(passed)
        ]
        yield link(
            key,
            {CONTROL: "CON-4", ABORTED: "CON-3", COMPACTED: "CON-11"}[fate],
            subject=_stored(moment, partition, passed[-1][0]),
            consumer=consumer,
            partition=partition,
            offsets=named(newest_first),
            count=sum(last - first + 1 for first, last in passed),
        )
