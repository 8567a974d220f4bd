"""How followers copy a leader's log: one fetch, one answer, one step (LOG-7, LOG-10).

The follower says how far its log reaches and under which leader epoch its newest batch was written. The
leader learns from it, may raise the high watermark, and answers with what comes next. Where the logs parted
under an older leader, it answers with the offset at which that epoch ended instead, and the follower cuts
back to there before it copies anything (KIP-101's truncation by leader epoch, asked for in the fetch itself
as KIP-595 does).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.broker.replica import Replica
from engine.errors import EngineError, Error
from engine.messages import RecordBatch, ReplicaFetchRequest, ReplicaFetchResponse


def fetch_is_useful(leader: Replica, follower: Replica) -> bool:
    """True when a fetch by ``follower`` from ``leader`` would change something at either; both live.

    The kernel schedules fetches by this, so that quiet time costs nothing.
    """
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
        or theirs.log_start < ours.log_start
        or leader.follower_ends.get(follower.broker_id) != log_end
        or (
            theirs.epoch_starts != ours.epoch_starts
            and parted_at(leader, log_end, theirs.last_epoch) is not None
        )
        or (follower.broker_id not in leader.isr and leader.wants_back(follower.broker_id))
    )


def make_fetch(follower: Replica) -> ReplicaFetchRequest:
    """What a follower asks its leader."""
    log = follower.log
    return ReplicaFetchRequest(
        partition=follower.partition,
        replica=follower.broker_id,
        fetch_offset=log.log_end,
        leader_epoch=follower.leader_epoch,
        last_fetched_epoch=log.last_epoch,
    )


def answer_fetch(
    leader: Replica,
    request: ReplicaFetchRequest,
    diverging: tuple[int, int] | None,
    batches_max: int,
) -> ReplicaFetchResponse:
    """The leader's answer: batches, or where to cut (``diverging``), or an error. It has noted the follower's
    log end before."""
    log = leader.log
    batches: tuple[RecordBatch, ...] = ()
    error = Error.NONE
    if leader.leader != leader.broker_id or request.leader_epoch != leader.leader_epoch:
        error = Error.NOT_LEADER_OR_FOLLOWER
    elif diverging is None and request.fetch_offset < log.log_end:
        batches = log.read_for_follower(request.fetch_offset, batches_max)
    return ReplicaFetchResponse(
        partition=request.partition,
        error=error,
        batches=batches,
        high_watermark=log.high_watermark,
        log_start_offset=log.log_start,
        leader_epoch=leader.leader_epoch,
        diverging_epoch=diverging,
    )


def parted_at(leader: Replica, fetch_offset: int, last_fetched_epoch: int) -> tuple[int, int] | None:
    """(epoch, end offset) at the leader when the follower's log holds what the leader's does not; else
    None."""
    if last_fetched_epoch == -1:
        return None
    log = leader.log
    starts = log.epoch_starts
    if starts and last_fetched_epoch == starts[-1][0] and fetch_offset <= log.log_end:
        return None  # The usual case: nobody led since, and the newest epoch lasts to the log end.
    epoch, end = log.end_of_epoch(last_fetched_epoch)
    if epoch != last_fetched_epoch or end < fetch_offset:
        return epoch, end
    return None


@dataclass(slots=True)
class Taken:
    """What an answer did to a follower."""

    cut_to: int | None = None
    started_over_at: int | None = None
    copied: int = 0
    """Batches."""
    log_start_raised: bool = False
    high_watermark_moved: bool = False
    parted: bool = False
    """The leader answered where the logs parted: the next fetch goes on from there."""
    producers_forgotten: Sequence[int] = ()

    @property
    def changed(self) -> bool:
        """The follower is not as it was, so further fetches may be useful."""
        return (
            bool(self.copied)
            or self.high_watermark_moved
            or self.parted
            or self.log_start_raised
            or self.started_over_at is not None
        )


def take_answer(follower: Replica, response: ReplicaFetchResponse, now: int) -> Taken:
    """Let a follower take its leader's answer."""
    log = follower.log
    taken = Taken()
    if response.diverging_epoch is not None:
        taken.parted = True
        epoch, end = response.diverging_epoch
        _, own_end = log.end_of_epoch(epoch)
        to = min(end, own_end)
        last_epoch = log.last_epoch
        if log.truncate(to, now):
            taken.cut_to = to
        elif log.last_epoch == last_epoch:
            raise EngineError(
                f"{follower.partition}: told to cut at {to}, the log ends at {log.log_end} (LOG-10)"
            )
        return taken
    if response.log_start_offset > log.log_end:
        # The leader's head was deleted past this follower's end: there is nothing to go on from.
        log.restart_at(response.log_start_offset, now)
        taken.started_over_at = response.log_start_offset
    if response.batches and response.batches[0].base_offset >= log.log_end:
        log.append_as_follower(response.batches, now)
        taken.copied = len(response.batches)
    if response.log_start_offset > log.log_start:
        taken.producers_forgotten = log.raise_log_start(response.log_start_offset)
        taken.log_start_raised = True
    taken.high_watermark_moved = log.set_high_watermark(min(response.high_watermark, log.log_end))
    return taken
