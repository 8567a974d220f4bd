"""Handles OffsetCommit, TxnOffsetCommit, OffsetFetch and LeaveGroup at a broker: checks the permissions, for commits
also the topics, then calls the group coordinator (OFS-2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.broker.cluster_view import ClusterView
from engine.broker.group_host import CommitAsked, GroupHost
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.broker.permissions import Permissions
from engine.broker.request_rules import Arrived, group_read_denied, transactional_id_denied
from engine.broker.setup import Setup
from engine.broker.verification import OFFSETS_SEE, Verification, Verified
from engine.coordinator.group_coordinator import Commit
from engine.errors import EngineError, Error
from engine.happenings.brokers import OffsetsOfUnknownPartition
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.requests import RequestRefused
from engine.happenings.verification import OffsetsNotAllowed
from engine.messages import (
    Effects,
    Envelope,
    LeaveGroupRequest,
    LeaveGroupResponse,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetFetchResponse,
    Send,
    TxnOffsetCommitRequest,
)
from engine.rules import Rule, refusal
from engine.topic_partition import partition_name


def group_hidden(arrived: Arrived) -> bool:
    return arrived.permissions.is_denied("Describe", f"group:{arrived.body.group_id}")


_SAYS = ("broker", "client", "api", "group")
_COMPARES = ((Compared.GROUP, "group"), (Compared.CLIENT, "client"))
_MAY_READ_THE_GROUP = Rule(
    when=group_read_denied,
    answer=Error.GROUP_AUTHORIZATION_FAILED,
    spec="OFS-2",
    why=Reason.OFFSETS_GROUP_DENIED,
    then=Next.GROUP_IS_REFUSED,
    says=_SAYS,
    compares=_COMPARES,
)
COMMIT_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=transactional_id_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="OFS-2",
        why=Reason.OFFSETS_TRANSACTIONAL_ID_DENIED,
        then=Next.CLIENT_ENDS,
        says=_SAYS,
        compares=_COMPARES,
    ),
    _MAY_READ_THE_GROUP,
)
LEAVE_RULES: tuple[Rule[Arrived], ...] = (_MAY_READ_THE_GROUP,)
FETCH_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=group_hidden,
        answer=Error.GROUP_AUTHORIZATION_FAILED,
        spec="OFS-2",
        why=Reason.OFFSETS_GROUP_DENIED,
        then=Next.APPLICATION_DECIDES,
        says=_SAYS,
        compares=_COMPARES,
    ),
)


class GroupRequests:
    """The handlers of client requests to the group coordinator of one broker."""

    __slots__ = ("cluster", "host", "permissions", "setup", "verification")

    def __init__(
        self,
        setup: Setup,
        host: GroupHost,
        cluster: ClusterView,
        permissions: Permissions,
        verification: Verification | None,
    ) -> None:
        self.setup = setup
        self.host = host
        self.cluster = cluster
        self.permissions = permissions
        self.verification = verification

    def handle_commit(self, envelope: Envelope, now: int) -> Effects:
        """Handle OffsetCommit or TxnOffsetCommit: check the permissions, then the topics, then call the
        coordinator. Some transactional commits are verified before the call (OFS-2)."""
        request = envelope.body
        if not isinstance(request, TxnOffsetCommitRequest | OffsetCommitRequest):
            raise EngineError(f"{self.setup.name}: {request!r} commits no offsets")
        asked = CommitAsked(envelope.source, envelope.correlation_id, request, {})
        denied = self._denied(COMMIT_RULES, request, envelope.source)
        if denied is not None:
            return [asked.answered(dict.fromkeys(request.offsets, denied))]
        for partition in request.offsets:
            if partition not in self.cluster.metadata:
                asked.refused[partition] = Error.UNKNOWN_TOPIC_OR_PARTITION
        if asked.refused:
            known = {name: offset for name, offset in request.offsets.items() if name not in asked.refused}
            self.setup.watch.emit(
                OffsetsOfUnknownPartition, self.setup.name, envelope.source, tuple(asked.refused)
            )
            if not known:
                return [asked.answered({})]
            request = replace(request, offsets=known)
        coordinator, verification = self.host.coordinator, self.verification
        if (
            verification is not None
            and isinstance(request, TxnOffsetCommitRequest)
            and verification.concerns(request.transaction_version)
            and coordinator.lookup(request.group_id) is Error.NONE
        ):
            partition = partition_name(self.host.topic, coordinator.partition_of(request.group_id))
            waiting = verification.of_offsets(envelope, request, partition, now)
            if waiting is not None:
                return verification.go_on(waiting, now)
        return self._commit(asked, request, now)

    def go_on(self, verified: Verified, now: int) -> Effects:
        """Continue a TxnOffsetCommit after the verification of the group's partition."""
        request = verified.envelope.body
        if not isinstance(request, TxnOffsetCommitRequest):
            raise EngineError(f"{self.setup.name}: {request!r} commits no offsets of a transaction")
        unknown = {
            name: Error.UNKNOWN_TOPIC_OR_PARTITION
            for name in request.offsets
            if name not in self.cluster.metadata
        }
        request = replace(
            request, offsets={name: offset for name, offset in request.offsets.items() if name not in unknown}
        )
        asked = CommitAsked(
            verified.envelope.source, verified.envelope.correlation_id, request, refused=unknown
        )
        error = Error.INVALID_PRODUCER_EPOCH if verified.stale else next(iter(verified.errors.values()), None)
        ended_meanwhile = error is None and self._lost_its_guard(request, verified)
        if ended_meanwhile:
            error = Error.INVALID_TXN_STATE
        if error is not None:
            seen = OFFSETS_SEE.get(error, error)
            self.setup.watch.emit(
                OffsetsNotAllowed,
                self.setup.name,
                verified.envelope.source,
                request.group_id,
                next(iter(verified.responded.values()), error),
                seen,
                ended_meanwhile,
            )
            return [asked.answered(dict.fromkeys(request.offsets, seen))]
        if not request.offsets:
            return [asked.answered({})]  # The topics were deleted while the verification ran.
        return self._commit(asked, request, now)

    def _lost_its_guard(self, request: TxnOffsetCommitRequest, verified: Verified) -> bool:
        """Whether the commit must be refused, because a marker has removed the guard that its verification
        got, and no transaction is open."""
        ((partition, guard),) = verified.guards.items()
        replica = self.host.replicas.get(partition)
        if replica is None:
            return False
        producers = replica.log.producers
        awaited = producers.awaited.get(request.producer_id)
        is_guarded = awaited is not None and awaited.guard == guard
        return not is_guarded and not producers.is_open(request.producer_id, request.producer_epoch)

    def _commit(self, asked: CommitAsked, request: Commit, now: int) -> Effects:
        self.host.coordinator.commit(asked, request, now)
        effects = self.host.settle(now)
        self.host.touch(request.group_id)
        return effects + self._use(request.group_id)

    def handle_fetch(self, envelope: Envelope, now: int) -> Effects:
        """Respond to OffsetFetch with the group's committed offsets (CON-9)."""
        request = envelope.body
        if type(request) is not OffsetFetchRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an OffsetFetch request")
        denied = self._denied(FETCH_RULES, request, envelope.source)
        if denied is not None:
            answer = OffsetFetchResponse(error=denied, offsets={})
        else:
            answer = self.host.coordinator.fetch(request)
        return [Send(envelope.source, answer, envelope.correlation_id, True), *self._use(request.group_id)]

    def handle_leave(self, envelope: Envelope, now: int) -> Effects:
        """Handle LeaveGroup: remove the member, then respond. The response does not wait until the group's new
        record is replicated (``GroupCoordinator.handleLeaveGroup``)."""
        request = envelope.body
        if type(request) is not LeaveGroupRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a LeaveGroup request")
        error = self._denied(LEAVE_RULES, request, envelope.source)
        effects: Effects = []
        if error is None:
            error = self.host.coordinator.leave(request)
            effects = self.host.settle(now)
            self.host.touch(request.group_id)
        answer = Send(envelope.source, LeaveGroupResponse(error=error), envelope.correlation_id, True)
        return [answer, *effects, *self._use(request.group_id)]

    def _use(self, group_id: str) -> Effects:
        """The effect that gives the group's log partition its replicas."""
        partition = partition_name(OFFSETS_TOPIC, self.host.coordinator.partition_of(group_id))
        return self.cluster.use(partition)

    def _denied(self, rules: tuple[Rule[Arrived], ...], request: Any, client: str) -> Error | None:
        rule = refusal(rules, Arrived(request, self.permissions, self.cluster))
        if rule is None:
            return None
        facts = {"broker": self.setup.name, "client": client, "api": request.api, "group": request.group_id}
        self.setup.watch.emit(RequestRefused, rule, facts)
        return rule.answer
