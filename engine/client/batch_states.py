"""The state machine of a batch at its producer (ACC-7, ACC-16 to ACC-22). A (state, event) without a row is
an error of the engine."""

from __future__ import annotations

from engine.machine import Machine, Row

FILLING, QUEUED, IN_FLIGHT, REQUEUED = "FILLING", "QUEUED", "IN_FLIGHT", "REQUEUED"
ACKED, FAILED, EXPIRED, ABORTED = "ACKED", "FAILED", "EXPIRED", "ABORTED"
OVER = (ACKED, FAILED, EXPIRED, ABORTED)
LIVE = (FILLING, QUEUED, IN_FLIGHT, REQUEUED)
CLOSE, DRAIN, REQUEUE = "close", "drain", "requeue"
ACKNOWLEDGE, FAIL, EXPIRE, ABORT = "acknowledge", "fail", "expire", "abort"
EVENTS = (CLOSE, DRAIN, REQUEUE, ACKNOWLEDGE, FAIL, EXPIRE, ABORT)


def _expires(state: str) -> Row:
    """The row for a batch that expires in ``state`` (ACC-21)."""
    only_if = "expiry_from_creation" if state == IN_FLIGHT else ""
    return Row(source=state, on=EXPIRE, target=EXPIRED, why="expired", spec="ACC-21", only_if=only_if)


_MOVES = (
    Row(source=FILLING, on=CLOSE, target=QUEUED, why="closed", spec="ACC-7"),
    Row(source=QUEUED, on=DRAIN, target=IN_FLIGHT, why="drained", spec="ACC-16"),
    Row(source=REQUEUED, on=DRAIN, target=IN_FLIGHT, why="drained_again", spec="ACC-16"),
    Row(source=IN_FLIGHT, on=REQUEUE, target=REQUEUED, why="requeued", spec="ACC-18"),
    Row(source=IN_FLIGHT, on=ACKNOWLEDGE, target=ACKED, why="acknowledged", spec="TXM-12"),
    Row(source=IN_FLIGHT, on=FAIL, target=FAILED, why="failed", spec="SND-9"),
    *(_expires(state) for state in LIVE),
    *(Row(source=s, on=ABORT, target=ABORTED, why="aborted", spec="ACC-22") for s in LIVE),
)
MACHINE: Machine[None] = Machine("producer_batch", FILLING, _MOVES, terminal=OVER)

TAKES_RECORDS = MACHINE.sources(CLOSE)
DROPPED = MACHINE.targets_of(ABORT)
"""Two kinds of states, derived from the rows. In TAKES_RECORDS records may be appended. In DROPPED the batch
has failed because its transaction was aborted, or because the producer failed or was closed by force."""
