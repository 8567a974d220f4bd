"""The cluster as one broker knows it from the controller's announcements: leaders, live brokers, internal topics."""

from __future__ import annotations

from engine.messages import Effects, IdlePartitions, LeaderAndIsr, UpdateMetadata, UsePartition


class ClusterView:
    """The newest announcements that a broker has applied. A broker that stops forgets the announcements about
    partitions."""

    __slots__ = (
        "broker_epochs",
        "features_epoch",
        "idle",
        "internal_topics",
        "live_brokers",
        "metadata",
        "metadata_offset",
        "transaction_version",
        "without_endpoint",
    )

    def __init__(self) -> None:
        self.metadata: dict[str, LeaderAndIsr] = {}
        self.live_brokers: tuple[int, ...] = ()
        self.without_endpoint: tuple[int, ...] = ()
        """Live brokers that no client or broker can reach."""
        self.transaction_version = 0
        """The cluster's level of the feature ``transaction.version``."""
        self.features_epoch = 0
        self.broker_epochs: dict[int, int] = {}
        """With KRaft: dict of id of a broker that may lead and be in sync → its broker epoch."""
        self.metadata_offset = 0
        """With KRaft: the offset after the last record of the metadata log that this broker has applied."""
        self.internal_topics: dict[str, int] = {}
        """Dict of internal topic that exists → number of its partitions."""
        self.idle: dict[str, tuple[LeaderAndIsr, int]] = {}
        """Dict of internal partition that no request has used yet → (its announcement, time in ms at which
        its leader was elected)."""

    def leader_of(self, partition: str) -> int | None:
        """The leader's broker id; None when the partition has no leader or is unknown."""
        word = self.metadata.get(partition)
        if word is None and partition in self.idle:
            word = self.idle[partition][0]
        return None if word is None else word.leader

    def knows(self, partition: str) -> bool:
        return partition in self.metadata or partition in self.idle

    def is_reachable(self, broker_id: int) -> bool:
        """Whether the broker is live and has an endpoint that clients and brokers can reach."""
        return broker_id in self.live_brokers and broker_id not in self.without_endpoint

    def use(self, partition: str) -> Effects:
        """The effect that gives an internal partition its replicas at its first use; no effect for a partition
        that is in use or not internal."""
        return [UsePartition(partition)] if partition in self.idle else []

    def learn_live(self, word: UpdateMetadata) -> None:
        self.live_brokers = word.live_brokers
        self.without_endpoint = word.without_endpoint
        self.transaction_version = word.transaction_version
        self.features_epoch = word.features_epoch
        self.broker_epochs = dict(word.broker_epochs)

    def learn_idle(self, word: IdlePartitions, now: int) -> None:
        """Apply the announcement of an internal topic. A partition whose leader epoch is unchanged keeps the time
        at which its leader was elected."""
        if word.topic not in self.internal_topics:
            self.internal_topics[word.topic] = word.partition_count
            self.idle.update({found.partition: (found, now) for found in word.words})
            return
        for found in word.words:
            known = self.idle.get(found.partition)
            since = now
            if known is not None and known[0].leader_epoch == found.leader_epoch:
                since = known[1]
            self.idle[found.partition] = (found, since)

    def learn_leader(self, word: LeaderAndIsr, now: int) -> int:
        """Apply the announcement of one partition. Returns the time of its leader's election (virtual ms)."""
        _, since = self.idle.pop(word.partition, (None, now))
        self.metadata[word.partition] = word
        return since

    def forget_partition(self, partition: str) -> None:
        self.metadata.pop(partition, None)
        self.idle.pop(partition, None)

    def crash(self) -> None:
        self.metadata.clear()
        self.metadata_offset = 0
        self.internal_topics.clear()
        self.idle.clear()
