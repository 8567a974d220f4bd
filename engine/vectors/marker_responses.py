"""Runs the cases of the marker channel: its reaction to one partition's result of WriteTxnMarkers.

The channel gets a transaction with two partitions; the first partition's marker gets the result in the case.
The outcome is read from the channel's queues, never from its table.
"""

from __future__ import annotations

from typing import Any

from engine.coordinator.coordinator_effects import SendMarkers
from engine.coordinator.marker_channel import MarkerChannel
from engine.messages import WriteTxnMarkersResponse
from engine.profiles import K20, K28, K41
from engine.vectors.exceptions import error_named
from engine.vectors.outcome import Failure
from engine.vectors.run import SNAPSHOT
from engine.watching import Watch

PROFILES = {"2.0": K20, "2.8": K28, SNAPSHOT: K41}
PRODUCER_ID = 7
SUBJECT, OTHER = "t-0", "t-1"
LEADERS = {SUBJECT: 1, OTHER: 2}
EPOCH = 3


class Around:
    """The state of the channel's broker that the channel reads: leaders, reachable brokers, the broker's epoch as
    coordinator, and its metadata. A case may change these values."""

    def __init__(self) -> None:
        self.epoch: int | None = EPOCH
        self.cached = True
        self.unknown: set[str] = set()
        self.unreachable: set[int] = set()

    def leader_of(self, partition: str) -> int | None:
        return LEADERS.get(partition)

    def knows(self, partition: str) -> bool:
        return partition not in self.unknown

    def is_reachable(self, broker_id: int) -> bool:
        return broker_id not in self.unreachable and all(
            LEADERS[partition] != broker_id for partition in self.unknown
        )

    def log_partition(self, transactional_id: str) -> int:
        return 0

    def coordinator_epoch(self, transactional_id: str) -> int | None:
        return self.epoch

    def has_metadata(self, transactional_id: str) -> bool:
        return self.cached


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Run one case in one version. Returns the first difference from Kafka, or None."""
    given, profile = case["input"], PROFILES[version]
    around = Around()
    channel = MarkerChannel(
        "broker-0",
        around,
        watch=Watch(),
        retries_storage_error=profile.marker_storage_error_retries,
        newer_completion_stays=profile.newer_completion_stays,
        retry=True,
    )
    leader = given.get("leader", "")
    if leader.startswith("unknown"):
        around.unknown.add(SUBJECT)
    elif leader:
        around.unreachable.add(LEADERS[SUBJECT])
    channel.hand_over(
        SendMarkers(
            transactional_id="txn",
            result="COMMIT",
            producer_id=PRODUCER_ID,
            producer_epoch=0,
            coordinator_epoch=EPOCH,
            partitions=(SUBJECT, OTHER),
        )
    )
    if not leader:
        channel.drain(LEADERS[SUBJECT], 1, 1000)
        _answer(channel, around, given)
    got = _outcome(channel)
    wanted = case["expected"]["action"]
    return None if got == wanted else Failure("action", wanted, got)


def _answer(channel: MarkerChannel, around: Around, given: dict[str, Any]) -> None:
    """Give the channel the case's response for the first partition, or the loss of the connection."""
    broker = LEADERS[SUBJECT]
    lookup = given.get("lookup", "")
    around.cached = lookup != "none"
    if given.get("coordinator_epoch") == "changed":
        around.epoch = EPOCH + 1
    elif lookup and around.cached:
        # Both errors mean that this broker is not the coordinator now: another broker is, or this one is
        # still reading its log.
        around.epoch = None
    if given.get("disconnected"):
        channel.on_disconnected(broker)
        return
    errors = {PRODUCER_ID: {SUBJECT: error_named(given.get("partition_error", "NONE"))}}
    channel.on_response(broker, 1, WriteTxnMarkersResponse(errors=errors))


def _outcome(channel: MarkerChannel) -> str:
    """The channel's present state, by the name that cases use."""
    waiting = channel.waiting.get("txn")
    if waiting is not None and waiting.passed_over:
        return "illegal_state"
    if waiting is None:
        queues = [channel.parked, *channel.queues.values()]
        queued = [marker for queue in queues for marker in queue if SUBJECT in marker.partitions]
        return "cancel_transaction_markers" if not queued else "queued without a transaction"
    if SUBJECT not in waiting.remaining:
        return "partition_done"
    if any(SUBJECT in marker.partitions for marker in channel.parked):
        return "park"
    queue = channel.queue_of(LEADERS[SUBJECT])
    same = [marker for marker in queue if marker.coordinator_epoch == EPOCH and SUBJECT in marker.partitions]
    return "retry_partition" if same else "nothing"
