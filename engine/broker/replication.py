"""How followers copy a leader's log: one fetch and one answer are one step (LOG-7, LOG-10).

The fetch carries the follower's log end and the newest leader epoch in its log. The leader notes that log
end, may raise the high watermark, and answers with the next batches. If the logs diverged under an older
leader, it answers with the offset at which that leader epoch ended instead; the follower truncates its log to
that offset before it copies anything (KIP-101's truncation by leader epoch, requested in the fetch itself as
in KIP-595).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.broker.replica import Replica
from engine.errors import NO_ERROR, EngineError, Error
from engine.messages import RecordBatch, ReplicaFetchRequest, ReplicaFetchResponse
from engine.value import ordered_value


def fetch_is_useful(leader: Replica, follower: Replica) -> bool:
    """True if a fetch by ``follower`` from ``leader`` would change something. The caller ensures that both
    brokers are live."""
    broker_id = leader.broker_id
    if leader.leader != broker_id or follower.leader != broker_id or follower.not_fetching:
        return False
    if follower.leader_epoch != leader.leader_epoch:
        return False
    ours, theirs = leader.log, follower.log
    log_end = theirs.log_end
    return (
        log_end != ours.log_end
        or theirs.high_watermark != ours.high_watermark
        or leader.follower_ends.get(follower.broker_id) != log_end
        or theirs.log_start < ours.log_start
        or (
            theirs.epoch_starts != ours.epoch_starts
            and parted_at(leader, log_end, theirs.last_epoch) is not None
        )
        or (follower.broker_id not in leader.isr and leader.wants_back(follower.broker_id))
    )


def is_caught_up(leader: Replica, follower: Replica) -> bool:
    """True when the follower's log equals the leader's, so that the response to a fetch could change only the
    follower's high watermark."""
    ours, theirs = leader.log, follower.log
    return (
        ours.log_end == theirs.log_end
        and ours.log_start <= theirs.log_start
        and leader.leader_epoch == follower.leader_epoch
        and leader.leader == leader.broker_id
        and ours.epoch_starts == theirs.epoch_starts
    )


def make_fetch(follower: Replica) -> ReplicaFetchRequest:
    """Make a follower's fetch request to its leader."""
    log = follower.log
    starts = log.epoch_starts
    return ReplicaFetchRequest(
        follower.partition,
        follower.broker_id,
        log.log_end,
        follower.leader_epoch,
        starts[-1][0] if starts else -1,
    )


def answer_fetch(
    leader: Replica,
    request: ReplicaFetchRequest,
    diverging: tuple[int, int] | None,
    batches_max: int,
) -> ReplicaFetchResponse:
    """The leader's response: batches, or the epoch and end offset at which the logs part (``diverging``), or
    an error. The caller notes the follower's log end first."""
    log = leader.log
    batches: tuple[RecordBatch, ...] = ()
    error = NO_ERROR
    if leader.leader != leader.broker_id or request.leader_epoch != leader.leader_epoch:
        error = Error.NOT_LEADER_OR_FOLLOWER
    elif diverging is None and request.fetch_offset < log.log_end:
        batches = log.read_for_follower(request.fetch_offset, batches_max)
    return ReplicaFetchResponse(
        request.partition,
        error,
        batches,
        log.high_watermark,
        log.log_start,
        leader.leader_epoch,
        diverging,
    )


def parted_at(leader: Replica, fetch_offset: int, last_fetched_epoch: int) -> tuple[int, int] | None:
    """The leader epoch up to which the leader's log can agree with the follower's, and the offset at which this
    epoch ends in the leader's log (exclusive). None: the logs agree.

    ``fetch_offset``, ``last_fetched_epoch``: the follower's log end and the newest leader epoch in its log
    (-1: it has none).
    """
    if last_fetched_epoch == -1:
        return None
    log = leader.log
    starts = log.epoch_starts
    if starts and last_fetched_epoch == starts[-1][0] and fetch_offset <= log.log_end:
        return None  # The usual case: no leader was elected later, so the newest epoch lasts to the log end.
    epoch, end = log.end_of_epoch(last_fetched_epoch)
    if epoch != last_fetched_epoch or end < fetch_offset:
        return epoch, end
    return None


@ordered_value
class Taken:
    """How a response changed the follower's log. ``cut_to``: the offset to which the log was truncated.
    ``started_over_at``: the offset at which the log starts again, empty."""

    cut_to: int | None = None
    started_over_at: int | None = None
    copied: int = 0
    """Number of copied batches."""
    log_start_raised: bool = False
    high_watermark_moved: bool = False
    parted: bool = False
    """True if the leader returned the offset at which the logs diverge instead of batches."""
    producers_forgotten: Sequence[int] = ()

    @property
    def changed(self) -> bool:
        """True if the log or its high watermark changed."""
        return bool(
            self.cut_to is not None
            or self.started_over_at is not None
            or self.copied
            or self.log_start_raised
            or self.high_watermark_moved
        )


NOTHING_TAKEN = Taken()
HIGH_WATERMARK_TAKEN = Taken(high_watermark_moved=True)


def take_answer(follower: Replica, response: ReplicaFetchResponse, now: int) -> Taken:
    """Apply the leader's answer to the follower's log. Returns ``NOTHING_TAKEN`` when nothing changed."""
    if response.diverging_epoch is not None:
        return _cut(follower, response.diverging_epoch, now)
    log = follower.log
    log_start = response.log_start_offset
    started_over_at = None
    if log_start > log.log_end:
        # The leader deleted its log beyond this follower's log end, so the follower starts empty at the
        # leader's log start.
        log.restart_at(log_start, now)
        started_over_at = log_start
    copied = 0
    batches = response.batches
    if batches and batches[0].base_offset >= log.log_end:
        log.append_as_follower(batches, now)
        copied = len(batches)
    raised = log_start > log.log_start
    forgotten: Sequence[int] = ()
    if raised:
        forgotten = log.raise_log_start(log_start)
        log.delete_segments()
    moved = log.set_high_watermark(response.high_watermark)
    if copied or raised or started_over_at is not None:
        return Taken(None, started_over_at, copied, raised, moved, False, forgotten)
    return HIGH_WATERMARK_TAKEN if moved else NOTHING_TAKEN


def _cut(follower: Replica, diverging_epoch: tuple[int, int], now: int) -> Taken:
    """Truncate the follower's log to the offset at which it diverges from the leader's (LOG-10)."""
    log = follower.log
    epoch, end = diverging_epoch
    _, own_end = log.end_of_epoch(epoch)
    to = min(end, own_end)
    last_epoch = log.last_epoch
    if log.truncate(to, now):
        return Taken(cut_to=to, parted=True)
    if log.last_epoch == last_epoch:
        raise EngineError(
            f"{follower.partition}: cannot be cut at {to}, the log ends at {log.log_end} (LOG-10)"
        )
    return Taken(parted=True)
