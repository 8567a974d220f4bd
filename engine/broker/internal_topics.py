"""The topics that Kafka keeps for itself: created when somebody first needs them, led like any other (FND-1..4).

Owns their placement and the leadership of partitions that nobody used yet. A cluster has a hundred of those
and a scenario uses two or three, so a partition stays *idle* until its first use: the controller elects its
leaders and tells brokers about them, but there are no replicas of it, no steps and no place in the view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.broker.configuration import BrokerConfiguration
from engine.broker.leadership import PartitionState
from engine.messages import IdlePartitions
from engine.topic_partition import partition_name, topic_of

TRANSACTION_TOPIC = "__transaction_state"
OFFSETS_TOPIC = "__consumer_offsets"
TOPIC_OF_KEY_TYPE = {"TRANSACTION": TRANSACTION_TOPIC, "GROUP": OFFSETS_TOPIC}
INTERNAL_TOPICS = (TRANSACTION_TOPIC, OFFSETS_TOPIC)

CREATION_MS = 20
"""How long the creation of an internal topic takes (FND-4)."""


def is_internal(partition: str) -> bool:
    """True for a topic-partition of Kafka's own."""
    return partition.startswith("__")


def partition_count(topic: str, configuration: BrokerConfiguration) -> int:
    if topic == TRANSACTION_TOPIC:
        return configuration.transaction_state_partitions
    return configuration.offsets_partitions


def replicas_of(number: int, broker_ids: Sequence[int], replication_factor: int) -> list[int]:
    """Brokers of partition ``number``: the (number mod count)-th leads, the next ones follow (FND-4)."""
    count = len(broker_ids)
    return [broker_ids[(number + step) % count] for step in range(min(replication_factor, count))]


class InternalTopics:
    """The controller's knowledge of them. ``counts``: partitions of each topic that exists."""

    def __init__(self, configuration: BrokerConfiguration) -> None:
        self.configuration = configuration
        self.counts: dict[str, int] = {}
        self.idle: dict[str, PartitionState] = {}
        self.creating: dict[str, int] = {}
        """Topic under creation to the time when it is done."""

    def create(self, topic: str, broker_ids: Sequence[int]) -> None:
        """All its partitions, idle. A cluster smaller than the replication factor has fewer replicas."""
        configuration = self.configuration
        factor = min(configuration.internal_replication_factor, len(broker_ids))
        self.creating.pop(topic, None)
        self.counts[topic] = partition_count(topic, configuration)
        for number in range(self.counts[topic]):
            name = partition_name(topic, number)
            replicas = replicas_of(number, broker_ids, factor)
            min_isr = min(configuration.internal_min_isr, factor)
            self.idle[name] = PartitionState(name, replicas, min_isr, None)

    def word(self, topic: str) -> IdlePartitions:
        """What brokers must know of the topic."""
        return IdlePartitions(
            topic=topic,
            partition_count=self.counts[topic],
            words=tuple(state.word() for name, state in self.idle.items() if topic_of(name) == topic),
        )

    def follow(self, is_live: Callable[[int], bool]) -> list[str]:
        """A broker came or went: new leaders for idle partitions; returns the topics that changed."""
        changed: dict[str, None] = {}
        for name, state in self.idle.items():
            leader_gone = state.leader is None or not is_live(state.leader)
            live = tuple(replica for replica in state.isr if is_live(replica))
            if leader_gone:
                leader = live[0] if live else None
                if leader == state.leader:
                    continue
                state.leader = leader
                state.leader_epoch += 1
            grown = tuple(replica for replica in state.replicas if is_live(replica)) if live else state.isr
            if not leader_gone and grown == state.isr:
                continue
            # An idle log is empty: whoever is live has all of it and is in sync.
            state.isr = grown
            changed[topic_of(name)] = None
        return list(changed)


__all__ = [
    "CREATION_MS",
    "INTERNAL_TOPICS",
    "OFFSETS_TOPIC",
    "TOPIC_OF_KEY_TYPE",
    "TRANSACTION_TOPIC",
    "InternalTopics",
    "is_internal",
    "partition_count",
    "replicas_of",
]
