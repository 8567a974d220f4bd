"""The leader and the in-sync replicas of one partition, as the controller keeps them (LOG-10)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import LeaderAndIsr
from engine.shapes.logs import PartitionView
from engine.watching import Path


class PartitionState:
    """Leadership of one partition as the controller keeps it. A part of the view."""

    __slots__ = (
        "deleted",
        "isr",
        "leader",
        "leader_epoch",
        "min_isr",
        "name",
        "not_fetching",
        "path",
        "record_version",
        "replicas",
        "segment_records",
        "shows_epoch",
        "version",
        "without_leader",
    )

    def __init__(
        self,
        name: str,
        replicas: Sequence[int],
        min_isr: int,
        segment_records: int | None,
        record_version: int = 2,
        *,
        shows_epoch: bool = False,
    ) -> None:
        self.name = name
        self.path: Path = ("partitions", name)
        self.replicas = tuple(replicas)
        self.isr = tuple(replicas)
        self.leader: int | None = replicas[0]
        self.leader_epoch = 0
        self.version = 0
        """The version of ZooKeeper's node, or KRaft's partition epoch. In a run it rises with every change that
        :meth:`word` announces."""
        self.min_isr = min_isr
        self.segment_records = segment_records
        self.record_version = record_version
        self.not_fetching: set[int] = set()
        self.deleted = False
        self.without_leader = False
        """True while the initial state keeps the partition without a leader, until ``change_leader``."""
        self.shows_epoch = shows_epoch
        """Whether the view shows ``version``, KRaft's partition epoch."""

    def view(self) -> PartitionView:
        shown: PartitionView = {
            "leader": self.leader,
            "leader_epoch": self.leader_epoch,
            "isr": list(self.isr),
            "replica_order": list(self.replicas),
            "min_isr": self.min_isr,
            "deleted": self.deleted,
        }
        if self.record_version < 2:
            shown["record_version"] = self.record_version
        if self.shows_epoch:
            shown["partition_epoch"] = self.version
        return shown

    def word(self) -> LeaderAndIsr:
        return LeaderAndIsr(
            partition=self.name,
            leader=self.leader,
            leader_epoch=self.leader_epoch,
            isr=self.isr,
            replicas=self.replicas,
            min_isr=self.min_isr,
            segment_records=self.segment_records,
            record_version=self.record_version,
            not_fetching=tuple(sorted(self.not_fetching)),
            version=self.version,
        )
