"""The handler of Metadata requests: a broker answers from the controller's last announcements (MSG-1)."""

from __future__ import annotations

from engine.broker.cluster_view import ClusterView
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.brokers import MetadataAnswered
from engine.messages import (
    Effects,
    Envelope,
    LeaderAndIsr,
    MetadataRequest,
    MetadataResponse,
    PartitionMetadata,
    Send,
)
from engine.topic_partition import is_internal, partition_name, topic_of


class MetadataHandler:
    """Handles the Metadata requests at one broker."""

    __slots__ = ("cluster", "setup")

    def __init__(self, setup: Setup, cluster: ClusterView) -> None:
        self.setup = setup
        self.cluster = cluster

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Respond with the leaders, ISRs and live brokers that this broker knows. A request that names no
        topic gets all topics, but the internal ones only if ``with_internal`` is set."""
        request = envelope.body
        if type(request) is not MetadataRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a Metadata request")
        topics = request.topics
        partitions: dict[str, PartitionMetadata] = {}
        known: set[str] = set()
        for name, word in self.cluster.metadata.items():
            topic = topic_of(name)
            known.add(topic)
            # An internal topic that a client requests by name is always included.
            if topic in topics or (not topics and (request.with_internal or not is_internal(name))):
                partitions[name] = _metadata_of(word)
        for topic in topics:
            if topic not in known:
                partitions[partition_name(topic, 0)] = PartitionMetadata(
                    leader=None, leader_epoch=-1, isr=(), error=Error.UNKNOWN_TOPIC_OR_PARTITION
                )
        watch = self.setup.watch
        if watch.hears(MetadataAnswered):
            leaders = tuple((name, item.leader) for name, item in partitions.items())
            watch.emit(MetadataAnswered, self.setup.name, envelope.source, leaders)
        answer = MetadataResponse(brokers=self.cluster.live_brokers, partitions=partitions)
        return [Send(envelope.source, answer, envelope.correlation_id, True)]


def _metadata_of(word: LeaderAndIsr) -> PartitionMetadata:
    return PartitionMetadata(
        leader=word.leader,
        leader_epoch=word.leader_epoch,
        isr=word.isr,
        replicas=word.replicas,
        error=Error.NONE if word.leader is not None else Error.LEADER_NOT_AVAILABLE,
    )
