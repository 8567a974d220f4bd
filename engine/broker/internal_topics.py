"""Kafka's internal topics, which are created at the first request that needs them and have leaders like any
other topic (FND-1 to FND-4).

Owns the placement of these topics, and the leadership of partitions that no request has used yet. A cluster
has a hundred such partitions, and a scenario uses two or three. So a partition stays *idle* until its first
use: the controller elects and announces its leader, but the partition has no replicas, no steps and no place
in the view.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import lru_cache

from engine.broker.configuration import BrokerConfiguration
from engine.broker.leadership import PartitionState
from engine.messages import IdlePartitions, LeaderAndIsr
from engine.topic_partition import partition_name, topic_of

TRANSACTION_TOPIC = "__transaction_state"
OFFSETS_TOPIC = "__consumer_offsets"
TOPIC_OF_KEY_TYPE = {"TRANSACTION": TRANSACTION_TOPIC, "GROUP": OFFSETS_TOPIC}
INTERNAL_TOPICS = (TRANSACTION_TOPIC, OFFSETS_TOPIC)

CREATION_MS = 20
"""Time in ms that the creation of an internal topic takes (FND-4)."""


def partition_count(topic: str, configuration: BrokerConfiguration) -> int:
    if topic == TRANSACTION_TOPIC:
        return configuration.transaction_state_partitions
    return configuration.offsets_partitions


def replicas_of(number: int, broker_ids: Sequence[int], replication_factor: int) -> list[int]:
    """The brokers with a replica of partition ``number``, the preferred leader first (FND-4)."""
    count = len(broker_ids)
    return [broker_ids[(number + step) % count] for step in range(min(replication_factor, count))]


@lru_cache(maxsize=64)
def _as_created(
    topic: str, count: int, broker_ids: tuple[int, ...], replication_factor: int, min_isr: int
) -> IdlePartitions:
    """The announcement of a new topic. All runs of a process share it, because building it takes long."""
    words = []
    for number in range(count):
        replicas = tuple(replicas_of(number, broker_ids, replication_factor))
        words.append(
            LeaderAndIsr(
                partition=partition_name(topic, number),
                leader=replicas[0],
                leader_epoch=0,
                isr=replicas,
                replicas=replicas,
                min_isr=min_isr,
            )
        )
    return IdlePartitions(topic=topic, partition_count=count, words=tuple(words))


class InternalTopics:
    """The controller's state of the internal topics. ``counts``: dict of topic → number of its partitions.
    ``shows_epochs``: whether the view shows the partition epochs."""

    def __init__(self, configuration: BrokerConfiguration, *, shows_epochs: bool = False) -> None:
        self.configuration = configuration
        self._shows_epochs = shows_epochs
        self.counts: dict[str, int] = {}
        self.creating: dict[str, int] = {}
        """Dict of topic that is being created → time in ms at which its creation ends."""
        self._idle: dict[str, dict[str, LeaderAndIsr]] = {}
        """Dict of topic → idle partition → its announcement."""
        self._words: dict[str, IdlePartitions] = {}
        """Dict of topic → announcement of all its idle partitions, cached until one of them changes."""

    def create(self, topic: str, broker_ids: Sequence[int]) -> None:
        """Create the topic, with all partitions idle. A small cluster has fewer replicas than the replication
        factor."""
        configuration = self.configuration
        factor = min(configuration.internal_replication_factor, len(broker_ids))
        min_isr = min(configuration.internal_min_isr, factor)
        count = partition_count(topic, configuration)
        self.creating.pop(topic, None)
        self.counts[topic] = count
        word = self._words[topic] = _as_created(topic, count, tuple(broker_ids), factor, min_isr)
        self._idle[topic] = {idle.partition: idle for idle in word.words}

    def use(self, partition: str) -> PartitionState | None:
        """Begin to use a partition. Returns its new state; None: the partition was not idle."""
        topic = topic_of(partition)
        word = self._idle.get(topic, {}).pop(partition, None)
        if word is None:
            return None
        self._words.pop(topic, None)
        state = PartitionState(partition, word.replicas, word.min_isr, None, shows_epoch=self._shows_epochs)
        state.leader, state.leader_epoch, state.isr = word.leader, word.leader_epoch, word.isr
        return state

    def word(self, topic: str) -> IdlePartitions:
        """The announcement of the topic's idle partitions."""
        word = self._words.get(topic)
        if word is None:
            word = self._words[topic] = IdlePartitions(
                topic=topic, partition_count=self.counts[topic], words=tuple(self._idle[topic].values())
            )
        return word

    def follow(self, live: Set[int]) -> list[str]:
        """The live brokers are now ``live``: elect new leaders of idle partitions. Returns the topics that
        changed."""
        changed = []
        for topic, idle in self._idle.items():
            followed = {partition: _followed(word, live) for partition, word in idle.items()}
            if any(followed[partition] is not word for partition, word in idle.items()):
                self._idle[topic] = followed
                self._words.pop(topic, None)
                changed.append(topic)
        return changed


def _followed(word: LeaderAndIsr, live: Set[int]) -> LeaderAndIsr:
    """The announcement of an idle partition if the live brokers are ``live``; the same object if nothing
    changes."""
    leader, leader_epoch = word.leader, word.leader_epoch
    in_sync = tuple(replica for replica in word.isr if replica in live)
    if leader is None or leader not in live:
        leader = in_sync[0] if in_sync else None
        if leader == word.leader:
            return word
        leader_epoch += 1
    # An idle log is empty, so every live replica is in sync.
    isr = tuple(replica for replica in word.replicas if replica in live) if in_sync else word.isr
    if leader_epoch == word.leader_epoch and isr == word.isr:
        return word
    return replace(word, leader=leader, leader_epoch=leader_epoch, isr=isr)


__all__ = [
    "CREATION_MS",
    "INTERNAL_TOPICS",
    "OFFSETS_TOPIC",
    "TOPIC_OF_KEY_TYPE",
    "TRANSACTION_TOPIC",
    "InternalTopics",
    "partition_count",
    "replicas_of",
]
