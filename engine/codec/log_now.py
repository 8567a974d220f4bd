"""Describes the state at the end of the files: the open transactions, the offsets at which consumers stop,
and the newest states in the coordinator's log, if that log is among the files."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from engine.codec.internal_records import InternalRecords
from engine.codec.lane import Lane, exact
from engine.codec.log_sentences import sentence
from engine.codec.log_why import Begun, about, after_marker

OPEN_SHOWN_MAX = 10
"""The last step names at most this many open transactions; it counts the others."""

Json = dict[str, Any]


def never_ends(one: Begun, lane: Lane, internal: InternalRecords) -> Json:
    """The note at the first step of a transaction that does not end in the log."""
    key = "log.never_ends" if _holds(one, lane) else "log.never_ends_behind"
    return about(key, one, internal, "LOG-8", partition=one.partition, offset=one.first_offset)


class End(Protocol):
    """The state at the end of the files."""

    lanes: dict[str, Lane]
    internal: InternalRecords
    damaged: bool


def now_said(open_now: Sequence[Begun], end: End) -> list[Json]:
    """The sentence of the last step, and its notes."""
    if not open_now:
        key = "log.now_damaged" if end.damaged else "log.now_free"
        later = [lane for lane in end.lanes.values() if lane.log.log_start > 0]
        notes = [
            sentence("log.now_unseen", "LOG-8", partition=lane.partition, offset=lane.log.log_start)
            for lane in later[:OPEN_SHOWN_MAX]
        ]
        return [sentence(key, "LOG-8", "CON-3", logs=len(end.lanes)), *notes]
    first = sorted(open_now, key=lambda one: not _holds(one, end.lanes[one.partition]))
    said = [
        line for one in first[:OPEN_SHOWN_MAX] for line in (_open(one, end), *after_marker(one, end.internal))
    ]
    if len(first) > OPEN_SHOWN_MAX:
        said.append(sentence("log.now_more", count=len(first) - OPEN_SHOWN_MAX))
    return [*said, *_coordinator(first[:OPEN_SHOWN_MAX], end.internal)]


def _holds(one: Begun, lane: Lane) -> bool:
    return one.first_offset == lane.log.last_stable_offset


def _open(one: Begun, end: End) -> Json:
    lane = end.lanes[one.partition]
    key = "log.now_held" if _holds(one, lane) else "log.now_waits"
    return about(
        key, one, end.internal, "LOG-8", "CON-3", partition=one.partition, offset=one.first_offset,
        waiting=lane.log.high_watermark - lane.log.last_stable_offset,
        since=one.time if one.time >= 0 else None,
    )  # fmt: skip


def _coordinator(begun: Sequence[Begun], internal: InternalRecords) -> Iterator[Json]:
    """The newest states of these transactions in the coordinator's log."""
    if not internal.has_coordinator:
        yield sentence("log.now_no_coordinator", "TXC-3")
        return
    for producer_id in dict.fromkeys(one.producer_id for one in begun):
        known = internal.of_producer.get(producer_id)
        if known is None:
            yield sentence("log.now_unknown", "TXC-3", producer_id=exact(producer_id))
        else:
            yield sentence(
                "log.now_known", "TXC-3", transactional_id=known.transactional_id, state=known.state,
                place=known.place, step=known.step,
            )  # fmt: skip
