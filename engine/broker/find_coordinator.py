"""Finds the coordinator of a transactional id or a group: the broker that leads the partition of the internal
topic to which the id or group belongs (FND-1 to FND-7)."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.cluster_view import ClusterView
from engine.broker.internal_topics import TOPIC_OF_KEY_TYPE
from engine.broker.outgoing import Outgoing
from engine.broker.permissions import Permissions
from engine.broker.request_rules import Arrived
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.brokers import CoordinatorFound
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.requests import RequestRefused
from engine.java_hash import java_string_hash, partition_for
from engine.messages import (
    CreateTopic,
    Effects,
    Envelope,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    Send,
)
from engine.rules import Rule, refusal
from engine.shapes.brokers import LookupView
from engine.topic_partition import partition_name, topic_partition
from engine.watching import Path


class Lookup:
    """The newest lookup of one key at one broker: the key, its hash, its partition and the partition's leader. A
    part of the view."""

    __slots__ = ("key", "leader", "number", "path", "topic")

    def __init__(self, broker_path: Path, key_type: str, key: str) -> None:
        self.path: Path = (*broker_path, "lookups", f"{key_type} {key}")
        self.key = key
        self.topic = TOPIC_OF_KEY_TYPE[key_type]
        self.number: int | None = None
        self.leader: int | None = None

    def view(self) -> LookupView:
        return {
            "key": self.key,
            "topic": self.topic,
            "hash": java_string_hash(self.key),
            "partition": self.number,
            "leader": self.leader,
        }


def key_denied(arrived: Arrived) -> bool:
    request = arrived.body
    denied = arrived.permissions.is_denied
    return request.key_type == "TRANSACTION" and denied("Describe", f"transactional_id:{request.key}")


def group_denied(arrived: Arrived) -> bool:
    request = arrived.body
    return request.key_type == "GROUP" and arrived.permissions.is_denied("Describe", f"group:{request.key}")


def topic_absent(arrived: Arrived) -> bool:
    return TOPIC_OF_KEY_TYPE[arrived.body.key_type] not in arrived.cluster.internal_topics


def leader_absent(arrived: Arrived) -> bool:
    """The partition has no leader, or its leader is down or unreachable."""
    cluster = arrived.cluster
    leader = cluster.leader_of(_partition(cluster, arrived.body))
    return leader is None or not cluster.is_reachable(leader)


def _rule(
    when: Callable[[Arrived], bool], answer: Error, spec: str, why: Reason, then: Next
) -> Rule[Arrived]:
    return Rule(
        when=when,
        answer=answer,
        spec=spec,
        why=why,
        then=then,
        says=("broker", "partition", "client", "key", "key_type", "topic"),
        compares=((Compared.KEY, "key"), (Compared.PARTITION, "partition"), (Compared.LEADER, "leader")),
    )


FIND_RULES = (
    _rule(
        key_denied,
        Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        "FND-5",
        Reason.FIND_TRANSACTIONAL_ID_DENIED,
        Next.CLIENT_ENDS,
    ),
    _rule(
        group_denied,
        Error.GROUP_AUTHORIZATION_FAILED,
        "FND-5",
        Reason.FIND_GROUP_DENIED,
        Next.GROUP_IS_REFUSED,
    ),
    _rule(
        topic_absent,
        Error.COORDINATOR_NOT_AVAILABLE,
        "FND-3",
        Reason.INTERNAL_TOPIC_ABSENT,
        Next.CLIENT_LOOKS_UP_AGAIN,
    ),
    _rule(
        leader_absent,
        Error.COORDINATOR_NOT_AVAILABLE,
        "FND-3",
        Reason.COORDINATOR_HAS_NO_LEADER,
        Next.CLIENT_LOOKS_UP_AGAIN,
    ),
)


def _partition(cluster: ClusterView, request: FindCoordinatorRequest) -> str:
    topic = TOPIC_OF_KEY_TYPE[request.key_type]
    return partition_name(topic, partition_for(request.key, cluster.internal_topics[topic]))


class FindCoordinatorHandler:
    """Handles the FindCoordinator requests at one broker. Owns the lookups that the view shows."""

    __slots__ = ("cluster", "lookups", "outgoing", "permissions", "setup")

    def __init__(
        self, setup: Setup, cluster: ClusterView, permissions: Permissions, outgoing: Outgoing
    ) -> None:
        self.setup = setup
        self.cluster = cluster
        self.permissions = permissions
        self.outgoing = outgoing
        self.lookups: dict[Path, Lookup] = {}

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Respond with the coordinator. While the internal topic does not exist, the error is
        COORDINATOR_NOT_AVAILABLE, and the broker requests the topic's creation (FND-3)."""
        request = envelope.body
        if type(request) is not FindCoordinatorRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a FindCoordinator request")
        cluster, watch = self.cluster, self.setup.watch
        topic = TOPIC_OF_KEY_TYPE[request.key_type]
        lookup = Lookup(self.setup.path, request.key_type, request.key)
        effects: Effects = []
        rule = refusal(FIND_RULES, Arrived(request, self.permissions, cluster))
        partition = None
        if topic in cluster.internal_topics:
            partition = _partition(cluster, request)
            lookup.number = topic_partition(partition).number
            lookup.leader = cluster.leader_of(partition)
            effects.extend(cluster.use(partition))
        known = {"client": envelope.source, "key": request.key, "key_type": request.key_type, "topic": topic}
        if rule is not None:
            facts = {"broker": self.setup.name, "partition": partition, "leader": lookup.leader, **known}
            watch.emit(RequestRefused, rule, facts)
            if rule.when is topic_absent:
                effects.append(self.outgoing.to_controller(CreateTopic(topic=topic)))
        else:
            watch.emit(
                CoordinatorFound,
                self.setup.name,
                java_string_hash(request.key),
                partition,
                f"broker-{lookup.leader}",
                envelope.source,
                request.key,
                request.key_type,
                topic,
            )
        if watch.recording:
            self.lookups[lookup.path] = lookup
            watch.touch(lookup)
        answer = FindCoordinatorResponse(
            key=request.key,
            key_type=request.key_type,
            error=Error.NONE if rule is None else rule.answer,
            node=lookup.leader if rule is None else None,
        )
        return [Send(envelope.source, answer, envelope.correlation_id, True), *effects]
