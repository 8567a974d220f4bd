"""How a broker hosts the group coordinator: its log, its requests and its timers (OFS-2 to OFS-5).

Joins the coordinator's rules (``coordinator/group_coordinator``) with the partitions of
``__consumer_offsets`` that this broker leads. Requests come in through ``group_requests``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.broker.appending import Appending
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.coordinator.group_coordinator import CommitAnswer, GroupCoordinator
from engine.coordinator.group_offsets import Group, GroupMembers
from engine.errors import Error
from engine.happenings.brokers import GroupLoadingBegins, GroupsLoaded, GroupsResigned
from engine.messages import (
    Effects,
    OffsetCommitRequest,
    OffsetCommitResponse,
    PartitionProduceResponse,
    Send,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)
from engine.shapes.brokers import GroupView
from engine.topic_partition import partition_name, topic_partition
from engine.watching import Part, Path

OFFSETS_COMMIT_TIMEOUT_MS = 5000
"""How long in ms a commit waits for replication (``offsets.commit.timeout.ms``)."""


@dataclass(frozen=True, slots=True)
class CommitAsked:
    """A request that commits offsets. ``refused``: dict of partition → error, for the partitions that the
    broker refuses before it calls the coordinator."""

    client: str
    correlation_id: int
    request: TxnOffsetCommitRequest | OffsetCommitRequest
    refused: dict[str, Error]

    def answered(self, errors: dict[str, Error]) -> Send:
        whole = {**self.refused, **errors}
        body = (
            TxnOffsetCommitResponse(errors=whole)
            if type(self.request) is TxnOffsetCommitRequest
            else OffsetCommitResponse(errors=whole)
        )
        return Send(self.client, body, self.correlation_id, True)


class GroupHost:
    """The group coordinator that one broker hosts."""

    topic = OFFSETS_TOPIC

    def __init__(self, setup: Setup, replicas: Replicas, appending: Appending) -> None:
        self.setup = setup
        self.replicas = replicas
        self.appending = appending
        self.watch = setup.watch
        self.coordinator = self._new_coordinator()

    def _new_coordinator(self) -> GroupCoordinator:
        setup = self.setup
        return GroupCoordinator(
            setup.name,
            profile=setup.profile,
            watch=setup.watch,
            partition_count=setup.configuration.offsets_partitions,
        )

    # -- leadership of log partitions ------------------------------------------------------------------

    def lead(self, partition: int, epoch: int, since: int, now: int) -> Effects:
        """Take over a log partition for which this broker was elected at ``since`` (virtual ms): read the
        log, then serve the groups in it (OFS-5). ``epoch``: the leader epoch."""
        self._touch_groups(partition)
        due = since + self.setup.configuration.loading_ms
        self.coordinator.begin_loading(partition, epoch, due)
        if due > now:
            self.watch.emit(GroupLoadingBegins, self.setup.name, partition_name(self.topic, partition), due)
            return []
        self._load(partition, now)
        return []

    def resign(self, partition: int, now: int) -> Effects:
        """Give up a log partition that this broker no longer leads: forget the groups in it."""
        if partition in self.coordinator.owned or partition in self.coordinator.loading:
            self._touch_groups(partition)
            self.coordinator.resign(partition)
            self.watch.emit(GroupsResigned, self.setup.name, partition_name(self.topic, partition))
        return []

    def _load(self, partition: int, now: int) -> None:
        epoch, due = self.coordinator.loading[partition]
        name = partition_name(self.topic, partition)
        groups = self.coordinator.elect(partition, self.replicas[name].log.batches, epoch)
        if groups or due == now:
            pending = sum(len(offsets) for group in groups for offsets in group.pending.values())
            names = tuple(group.name for group in groups)
            self.watch.emit(GroupsLoaded, self.setup.name, name, names, pending)
        for group in groups:
            self.touch(group.name)

    def preset(self, group_id: str, found: GroupMembers) -> None:
        """For the initial state of a run (GEN-7): set the generation and the members of a group."""
        group = self.coordinator.group(group_id)
        group.generation, group.members = found.generation, dict(found.members)

    # -- the coordinator's effects ---------------------------------------------------------------------

    def settle(self, now: int) -> Effects:
        """Carry out the coordinator's answers and writes until its outbox is empty."""
        effects: Effects = []
        outbox = self.coordinator.outbox
        while outbox:
            wanted = outbox.pop(0)
            if isinstance(wanted, CommitAnswer):
                if isinstance(wanted.to, CommitAsked):
                    effects.append(wanted.to.answered(wanted.errors))
                continue
            number = self.coordinator.partition_of(wanted.group_id)
            effects += self.appending.for_broker(
                {partition_name(self.topic, number): wanted.batch},
                (self, (wanted.token, wanted.group_id)),
                now,
                timeout_ms=OFFSETS_COMMIT_TIMEOUT_MS,
            )
        return effects

    def appended(self, argument: Any, answers: dict[str, PartitionProduceResponse], now: int) -> Effects:
        """The append of a commit, or of a group's members, has ended: give the result to the coordinator (OFS-3).
        ``argument``: (token of the write, group)."""
        token, group_id = argument
        (answer,) = answers.values()
        self.coordinator.written(token, answer.error, answer.base_offset)
        self.touch(group_id)
        return self.settle(now)

    def on_marker(self, partition: str, producer_id: int, committed: bool, now: int) -> Effects:
        """A marker of the producer is replicated: if ``partition`` belongs to the offsets topic, commit or drop
        the producer's pending offsets in it (MRK-7, OFS-4)."""
        topic, number = topic_partition(partition)
        if topic == self.topic:
            for group in self.coordinator.on_marker(number, producer_id, committed):
                self.touch(group.name)
        return []

    # -- timers and crashes ----------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        coordinator = self.coordinator
        return coordinator.next_loading() if coordinator.loading else None

    def on_timer(self, now: int) -> Effects:
        for partition in [number for number, (_, due) in self.coordinator.loading.items() if due <= now]:
            self._load(partition, now)
        return []

    def crash(self) -> None:
        """Everything in memory is lost. The next leaders of the log partitions read the logs."""
        coordinator = self.coordinator
        for partition in (*coordinator.owned, *coordinator.loading):
            self._touch_groups(partition)
        self.coordinator = self._new_coordinator()

    # -- the view --------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        return [GroupPart(self, name) for name in self.coordinator.groups]

    def touch(self, group_id: str) -> None:
        if self.watch.recording:
            self.watch.touch(GroupPart(self, group_id))

    def _touch_groups(self, partition: int) -> None:
        for name in self.coordinator.groups:
            if self.coordinator.partition_of(name) == partition:
                self.touch(name)


class GroupPart:
    """One group at its coordinator, at ``brokers.<id>.groups.<group>``."""

    __slots__ = ("group_id", "host", "path")

    def __init__(self, host: GroupHost, group_id: str) -> None:
        self.host = host
        self.group_id = group_id
        self.path: Path = (*host.setup.path, "groups", group_id)

    def view(self) -> GroupView | None:
        coordinator = self.host.coordinator
        group: Group | None = coordinator.groups.get(self.group_id)
        if group is None:
            return None
        return {
            "log_partition": coordinator.partition_of(self.group_id),
            "generation": group.generation,
            "members": dict(group.members),
            "committed": {
                name: {"offset": placed.offset.offset, "position": placed.position}
                for name, placed in sorted(group.visible.items())
            },
            "committing": {name: offset.offset for name, offset in sorted(group.staged.items())},
            "pending": {
                str(producer_id): {
                    name: {"offset": placed.offset.offset, "position": placed.position}
                    for name, placed in sorted(offsets.items())
                }
                for producer_id, offsets in sorted(group.pending.items())
            },
        }
