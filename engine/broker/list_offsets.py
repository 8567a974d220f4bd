"""How a broker answers a consumer that asks for the end of a partition (``Partition.fetchOffsetForTimestamp``)."""

from __future__ import annotations

from engine.broker.cluster_view import ClusterView
from engine.broker.fetch import READ_COMMITTED, Asking, not_leader, partition_unknown
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.codes import Next, Reason
from engine.happenings.logs import EndReturned
from engine.happenings.requests import RequestRefused
from engine.messages import (
    Effects,
    Envelope,
    ListOffsetsRequest,
    ListOffsetsResponse,
    PartitionEnd,
    Send,
)
from engine.rules import Rule, refusal

END_RULES: tuple[Rule[Asking], ...] = (
    Rule(
        when=partition_unknown,
        answer=Error.UNKNOWN_TOPIC_OR_PARTITION,
        spec="MSG-4",
        why=Reason.PARTITION_UNKNOWN,
        then=Next.CLIENT_REFRESHES_METADATA,
        says=("broker", "partition"),
        compares=(),
    ),
    Rule(
        when=not_leader,
        answer=Error.NOT_LEADER_OR_FOLLOWER,
        spec="CON-9",
        why=Reason.END_NOT_LEADER,
        then=Next.CLIENT_REFRESHES_METADATA,
        says=("broker", "partition"),
        compares=(),
    ),
)


class EndHandler:
    """Handles the ListOffsets requests of consumers at one broker."""

    __slots__ = ("cluster", "replicas", "setup")

    def __init__(self, setup: Setup, replicas: Replicas, cluster: ClusterView) -> None:
        self.setup = setup
        self.replicas = replicas
        self.cluster = cluster

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Respond with the end of every partition, or with an error."""
        request = envelope.body
        if type(request) is not ListOffsetsRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a ListOffsets request")
        ends = {name: self._end(envelope.source, name, request.isolation) for name in request.partitions}
        return [Send(envelope.source, ListOffsetsResponse(partitions=ends), envelope.correlation_id, True)]

    def _end(self, consumer: str, partition: str, isolation: str) -> PartitionEnd:
        """The high watermark; with read_committed the last stable offset."""
        asking = Asking(partition, 0, self.replicas.get(partition), self.cluster)
        rule = refusal(END_RULES, asking)
        if rule is not None:
            facts = {"broker": self.setup.name, "partition": partition}
            self.setup.watch.emit(RequestRefused, rule, facts)
            return PartitionEnd(error=rule.answer)
        replica = asking.replica
        if replica is None:
            raise EngineError(f"{self.setup.name}: no replica of {partition} after the rules")
        stable = isolation == READ_COMMITTED
        offset = replica.log.last_stable_offset if stable else replica.log.high_watermark
        self.setup.watch.emit(EndReturned, self.setup.name, consumer, partition, offset, stable)
        return PartitionEnd(error=Error.NONE, offset=offset)
