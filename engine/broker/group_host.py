"""How a broker hosts the group coordinator: its log, its requests, its time (OFS-2 to OFS-5).

Joins the coordinator's rules (``coordinator/group_coordinator``) with the partitions of ``__consumer_offsets``
that this broker leads, and makes the checks that come before the coordinator: rights, and topics that exist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.broker.produce import append_for_broker
from engine.broker.request_rules import Arrived, group_read_denied, transactional_id_denied
from engine.broker.verification import OFFSETS_SEE, Verified
from engine.coordinator.group_coordinator import Commit, CommitAnswer, GroupCoordinator
from engine.coordinator.group_offsets import Group, GroupMembers
from engine.errors import EngineError, Error
from engine.messages import (
    Effects,
    Envelope,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    PartitionProduceResponse,
    Send,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    UsePartition,
)
from engine.rules import Rule, refusal, say_refused
from engine.shapes.brokers import GroupView
from engine.watching import Part, Path

if TYPE_CHECKING:
    from engine.broker.broker import Broker

OFFSETS_COMMIT_TIMEOUT_MS = 5000
"""How long a commit waits for its replicas (``offsets.commit.timeout.ms``)."""


@dataclass(frozen=True, slots=True)
class CommitAsked:
    """Who wants offsets committed; ``refused``: partitions that never reached the coordinator."""

    client: str
    correlation_id: int
    api: str
    refused: dict[str, Error]

    def answered(self, errors: dict[str, Error]) -> Send:
        whole = {**self.refused, **errors}
        body = (
            TxnOffsetCommitResponse(errors=whole)
            if self.api == TxnOffsetCommitRequest.api
            else OffsetCommitResponse(errors=whole)
        )
        return Send(self.client, body, self.correlation_id, True)


class GroupHost:
    """The group coordinator of ``broker``, as a part of it."""

    topic = OFFSETS_TOPIC

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.watch = broker.watch
        self.coordinator = GroupCoordinator(
            broker.name,
            profile=broker.profile,
            watch=broker.watch,
            partition_count=broker.configuration.offsets_partitions,
        )

    # -- leadership of log partitions ------------------------------------------------------------------

    def lead(self, partition: int, epoch: int, since: int, now: int) -> Effects:
        """Elected for a log partition at ``since``: read it, then answer for its groups (OFS-5)."""
        self._touch_groups(partition)
        due = since + self.broker.configuration.loading_ms
        self.coordinator.begin_loading(partition, epoch, due)
        if due > now:
            self.watch.note(
                "group.begins_loading",
                ("OFS-5", "FND-7"),
                broker=self.broker.name,
                partition=f"{self.topic}-{partition}",
                until=due,
            )
            return []
        self._load(partition, now)
        return []

    def resign(self, partition: int, now: int) -> Effects:
        """Another broker leads it, or none: forget its groups."""
        if partition in self.coordinator.owned or partition in self.coordinator.loading:
            self._touch_groups(partition)
            self.coordinator.resign(partition)
            self.watch.note(
                "group.resigns",
                ("OFS-5", "FND-7"),
                broker=self.broker.name,
                partition=f"{self.topic}-{partition}",
            )
        return []

    def _load(self, partition: int, now: int) -> None:
        epoch, due = self.coordinator.loading[partition]
        name = f"{self.topic}-{partition}"
        groups = self.coordinator.elect(partition, self.broker.replicas[name].log.batches, epoch)
        if groups or due == now:
            self.watch.say(
                "group.loaded",
                ("OFS-5",),
                broker=self.broker.name,
                partition=name,
                groups=[group.name for group in groups] or None,
                pending=sum(len(offsets) for group in groups for offsets in group.pending.values()),
            )
        for group in groups:
            self.touch(group.name)

    def preset(self, group_id: str, found: GroupMembers) -> None:
        """Initial state: these members have joined (GEN-7)."""
        group = self.coordinator.group(group_id)
        group.generation, group.members = found.generation, dict(found.members)

    # -- carrying out what the coordinator wants -------------------------------------------------------

    def settle(self, now: int) -> Effects:
        """Answers and writes of the coordinator, until it wants nothing more."""
        effects: Effects = []
        outbox = self.coordinator.outbox
        while outbox:
            wanted = outbox.pop(0)
            if isinstance(wanted, CommitAnswer):
                if isinstance(wanted.to, CommitAsked):
                    effects.append(wanted.to.answered(wanted.errors))
                continue
            number = self.coordinator.partition_of(wanted.group_id)
            effects += append_for_broker(
                self.broker,
                {f"{self.topic}-{number}": wanted.batch},
                ("offsets", (wanted.token, wanted.group_id)),
                now,
                timeout_ms=OFFSETS_COMMIT_TIMEOUT_MS,
            )
        return effects

    def appended(self, argument: Any, answers: dict[str, PartitionProduceResponse], now: int) -> Effects:
        """The append of a commit ended (OFS-3)."""
        token, group_id = argument
        (answer,) = answers.values()
        self.coordinator.written(token, answer.error, answer.base_offset)
        self.touch(group_id)
        return self.settle(now)

    def on_marker(self, partition: str, producer_id: int, committed: bool, now: int) -> Effects:
        """A marker is replicated on a partition of the offsets log (MRK-7, OFS-4)."""
        topic, _, number = partition.rpartition("-")
        if topic == self.topic:
            for group in self.coordinator.on_marker(int(number), producer_id, committed):
                self.touch(group.name)
        return []

    # -- time and life ---------------------------------------------------------------------------------

    def next_timer(self) -> int | None:
        return self.coordinator.next_loading()

    def on_timer(self, now: int) -> Effects:
        for partition in [number for number, (_, due) in self.coordinator.loading.items() if due <= now]:
            self._load(partition, now)
        return []

    def crash(self) -> None:
        """Memory goes; the next leader of the partitions reads their log."""
        coordinator = self.coordinator
        for partition in (*coordinator.owned, *coordinator.loading):
            self._touch_groups(partition)
        self.coordinator = GroupCoordinator(
            self.broker.name,
            profile=self.broker.profile,
            watch=self.watch,
            partition_count=coordinator.partition_count,
        )

    # -- what is shown ---------------------------------------------------------------------------------

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
        self.path: Path = (*host.broker.path, "groups", group_id)

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


# Requests -----------------------------------------------------------------------------------------


def group_hidden(arrived: Arrived) -> bool:
    return arrived.broker.is_denied("Describe", f"group:{arrived.body.group_id}")


_SAYS = ("broker", "client", "api", "group")
_COMPARES = (("group", "group"), ("client", "client"))
COMMIT_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=transactional_id_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="OFS-2",
        why="broker.offsets_transactional_id_denied",
        next_key="refusal.client_ends",
        says=_SAYS,
        compares=_COMPARES,
    ),
    Rule(
        when=group_read_denied,
        answer=Error.GROUP_AUTHORIZATION_FAILED,
        spec="OFS-2",
        why="broker.offsets_group_denied",
        next_key="refusal.client_aborts",
        says=_SAYS,
        compares=_COMPARES,
    ),
)
FETCH_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=group_hidden,
        answer=Error.GROUP_AUTHORIZATION_FAILED,
        spec="OFS-2",
        why="broker.offsets_group_denied",
        next_key="refusal.application_decides",
        says=_SAYS,
        compares=_COMPARES,
    ),
)


def handle_offset_commit(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """OffsetCommit and TxnOffsetCommit: rights, then topics, then the coordinator (OFS-2)."""
    request = envelope.body
    if not isinstance(request, TxnOffsetCommitRequest | OffsetCommitRequest):
        raise EngineError(f"{broker.name}: {request!r} commits no offsets")
    asked = CommitAsked(envelope.source, envelope.correlation_id, request.api, {})
    denied = _denied(broker, COMMIT_RULES, request, envelope.source)
    if denied is not None:
        return [asked.answered(dict.fromkeys(request.offsets, denied))]
    for partition in request.offsets:
        if partition not in broker.metadata:
            asked.refused[partition] = Error.UNKNOWN_TOPIC_OR_PARTITION
    host = _host(broker)
    if asked.refused:
        known = {name: offset for name, offset in request.offsets.items() if name not in asked.refused}
        broker.watch.note(
            "broker.offsets_of_unknown_partition",
            ("OFS-2",),
            broker=broker.name,
            client=envelope.source,
            partitions=list(asked.refused),
        )
        if not known:
            return [asked.answered({})]
        request = replace(request, offsets=known)
    coordinator = host.coordinator
    if (
        broker.verification is not None
        and isinstance(request, TxnOffsetCommitRequest)
        and coordinator.lookup(request.group_id) is Error.NONE
    ):
        partition = f"{host.topic}-{coordinator.partition_of(request.group_id)}"
        waiting = broker.verification.of_offsets(envelope, request, partition, now)
        if waiting is not None:
            return broker.go_on(waiting, now)
    return _commit(host, asked, request, now)


def commit_verified(broker: Broker, verified: Verified, now: int) -> Effects:
    """A TxnOffsetCommit goes on once the group's partition was asked about."""
    request = verified.envelope.body
    if not isinstance(request, TxnOffsetCommitRequest):
        raise EngineError(f"{broker.name}: {request!r} commits no offsets of a transaction")
    unknown = {
        name: Error.UNKNOWN_TOPIC_OR_PARTITION for name in request.offsets if name not in broker.metadata
    }
    request = replace(
        request, offsets={name: offset for name, offset in request.offsets.items() if name not in unknown}
    )
    asked = CommitAsked(
        verified.envelope.source, verified.envelope.correlation_id, request.api, refused=unknown
    )
    host = _host(broker)
    error = next(iter(verified.errors.values()), None)
    if error is None and _lost_its_guard(broker, request, verified):
        error = Error.INVALID_TXN_STATE
    if error is not None:
        return [asked.answered(dict.fromkeys(request.offsets, OFFSETS_SEE.get(error, error)))]
    return _commit(host, asked, request, now)


def _lost_its_guard(broker: Broker, request: TxnOffsetCommitRequest, verified: Verified) -> bool:
    """A marker on the group's partition came while the answer was on its way."""
    ((partition, guard),) = verified.guards.items()
    replica = broker.replicas.get(partition)
    if replica is None:
        return False
    producers = replica.log.producers
    awaited = producers.awaited.get(request.producer_id)
    is_guarded = awaited is not None and awaited.guard == guard
    return not is_guarded and not producers.is_open(request.producer_id, request.producer_epoch)


def _commit(host: GroupHost, asked: CommitAsked, request: Commit, now: int) -> Effects:
    host.coordinator.commit(asked, request, now)
    effects = host.settle(now)
    host.touch(request.group_id)
    return effects + _use(host.broker, request.group_id)


def handle_offset_fetch(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """OffsetFetch: where does the group stand (CON-9)?"""
    request = envelope.body
    if type(request) is not OffsetFetchRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an OffsetFetch request")
    denied = _denied(broker, FETCH_RULES, request, envelope.source)
    if denied is not None:
        answer = OffsetFetchResponse(error=denied, offsets={})
    else:
        answer = _host(broker).coordinator.fetch(request)
    return [Send(envelope.source, answer, envelope.correlation_id, True), *_use(broker, request.group_id)]


def _host(broker: Broker) -> GroupHost:
    host = broker.groups
    if not isinstance(host, GroupHost):
        raise EngineError(f"{broker.name}: profile {broker.profile.name} coordinates no groups")
    return host


def _use(broker: Broker, group_id: str) -> Effects:
    """The group's log partition is used from now on, even when no client looked it up before."""
    partition = f"{OFFSETS_TOPIC}-{_host(broker).coordinator.partition_of(group_id)}"
    return [UsePartition(partition)] if partition in broker.idle else []


def _denied(broker: Broker, rules: tuple[Rule[Arrived], ...], request: Any, client: str) -> Error | None:
    rule = refusal(rules, Arrived(broker, request, client))
    if rule is None:
        return None
    facts = {"broker": broker.name, "client": client, "api": request.api, "group": request.group_id}
    say_refused(broker.watch, rule, facts)
    return rule.answer
