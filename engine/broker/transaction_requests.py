"""Handles the requests of transactional producers at a broker. The handlers check the permissions, then call the
transaction coordinator (TXC-7, TXC-12 to TXC-14)."""

from __future__ import annotations

from typing import Any

from engine.broker.allocated_ids import AllocatedIds
from engine.broker.cluster_view import ClusterView
from engine.broker.internal_topics import OFFSETS_TOPIC, TRANSACTION_TOPIC
from engine.broker.permissions import Permissions
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.request_rules import Arrived, group_read_denied, transactional_id_denied
from engine.broker.setup import Setup
from engine.broker.transaction_host import Asked, TransactionHost
from engine.errors import EngineError, Error
from engine.happenings.brokers import NoIdForNextTransaction, OffsetsPartitionJoins, PartitionsNotAdded
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.requests import RequestRefused
from engine.java_hash import partition_for
from engine.messages import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    RAISING_VERSION,
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    Effects,
    EndTxnRequest,
    EndTxnResponse,
    Envelope,
    InitProducerIdRequest,
    Send,
)
from engine.rules import Rule, refusal
from engine.topic_partition import partition_name, topic_of

_SAYS = ("broker", "client", "api", "resource")
_COMPARES = ((Compared.RESOURCE, "resource"), (Compared.CLIENT, "client"))
ID_RULE: Rule[Arrived] = Rule(
    when=transactional_id_denied,
    answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    spec="PID-9",
    why=Reason.TRANSACTION_DENIED,
    then=Next.CLIENT_ENDS,
    says=_SAYS,
    compares=_COMPARES,
)
GROUP_RULE: Rule[Arrived] = Rule(
    when=group_read_denied,
    answer=Error.GROUP_AUTHORIZATION_FAILED,
    spec="TXC-13",
    why=Reason.ADD_OFFSETS_GROUP_DENIED,
    then=Next.CLIENT_ABORTS,
    says=_SAYS,
    compares=_COMPARES,
)


class TransactionRequests:
    """The handlers of client requests to the transaction coordinator of one broker."""

    __slots__ = ("cluster", "host", "permissions", "producer_ids", "setup")

    def __init__(
        self,
        setup: Setup,
        host: TransactionHost,
        cluster: ClusterView,
        permissions: Permissions,
        producer_ids: ProducerIdManager | AllocatedIds,
    ) -> None:
        self.setup = setup
        self.host = host
        self.cluster = cluster
        self.permissions = permissions
        self.producer_ids = producer_ids

    def _denied(self, envelope: Envelope, rules: tuple[Rule[Arrived], ...], request: Any) -> Error | None:
        rule = refusal(rules, Arrived(request, self.permissions, self.cluster))
        if rule is None:
            return None
        facts = {
            "broker": self.setup.name,
            "client": envelope.source,
            "api": request.api,
            "resource": request.group_id if rule is GROUP_RULE else request.transactional_id,
        }
        self.setup.watch.emit(RequestRefused, rule, facts)
        return rule.answer

    def _use(self, transactional_id: str | None) -> Effects:
        """The effect that gives the id's log partition its replicas."""
        count = self.cluster.internal_topics.get(TRANSACTION_TOPIC)
        if not transactional_id or count is None:
            return []
        partition = partition_name(TRANSACTION_TOPIC, partition_for(transactional_id, count))
        return self.cluster.use(partition)

    def _handled(self, transactional_id: str | None, now: int) -> Effects:
        if transactional_id:
            self.host.touch_id(transactional_id)
        return self.host.settle(now) + self._use(transactional_id)

    def handle_init(self, envelope: Envelope, now: int) -> Effects | None:
        """Handle InitProducerId with a transactional id (TXC-7). None: the id needs a new producer id, and this
        broker has none left."""
        request = envelope.body
        if type(request) is not InitProducerIdRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an InitProducerId request")
        name = request.transactional_id
        if name and self.host.coordinator.needs_producer_id(name) and not self.producer_ids.has_id:
            return None
        expected = None
        if request.producer_id != NO_PRODUCER_ID or request.producer_epoch != NO_PRODUCER_EPOCH:
            expected = (request.producer_id, request.producer_epoch)
        self.host.coordinator.init_producer_id(
            Asked(envelope.source, envelope.correlation_id, request),
            name,
            request.transaction_timeout_ms,
            now,
            expected,
        )
        return self._handled(name, now)

    def handle_add_partitions(self, envelope: Envelope, now: int) -> Effects:
        """Handle AddPartitionsToTxn. If one of the topics is denied or unknown, no partition is added (TXC-12)."""
        request = envelope.body
        if type(request) is not AddPartitionsToTxnRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an AddPartitionsToTxn request")
        asked = Asked(envelope.source, envelope.correlation_id, request)
        error = self._denied(envelope, (ID_RULE,), request)
        if error is not None:
            errors = dict.fromkeys(request.partitions, error)
        else:
            errors = self._topic_errors(request)
            if errors:
                self._emit_not_attempted(envelope, errors)
        if errors:
            body = AddPartitionsToTxnResponse(errors=errors)
            return [Send(envelope.source, body, envelope.correlation_id, True)]
        self.host.coordinator.add_partitions(
            asked,
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            frozenset(request.partitions),
            now,
        )
        return self._handled(request.transactional_id, now)

    def _topic_errors(self, request: AddPartitionsToTxnRequest) -> dict[str, Error]:
        """Dict of partition → error if any partition of the request may not be added; otherwise empty."""
        found: dict[str, Error] = {}
        for partition in request.partitions:
            if self.permissions.denied and self.permissions.is_denied(
                "Write", f"topic:{topic_of(partition)}"
            ):
                found[partition] = Error.TOPIC_AUTHORIZATION_FAILED
            elif not self.cluster.knows(partition):
                found[partition] = Error.UNKNOWN_TOPIC_OR_PARTITION
        if not found:
            return {}
        return {name: found.get(name, Error.OPERATION_NOT_ATTEMPTED) for name in request.partitions}

    def _emit_not_attempted(self, envelope: Envelope, errors: dict[str, Error]) -> None:
        self.setup.watch.emit(PartitionsNotAdded, self.setup.name, envelope.source, tuple(errors.items()))

    def handle_add_offsets(self, envelope: Envelope, now: int) -> Effects:
        """Handle AddOffsetsToTxn: add the group's partition of ``__consumer_offsets`` to the transaction (TXC-13)."""
        request = envelope.body
        if type(request) is not AddOffsetsToTxnRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an AddOffsetsToTxn request")
        error = self._denied(envelope, (ID_RULE, GROUP_RULE), request)
        if error is not None:
            body = AddOffsetsToTxnResponse(error=error)
            return [Send(envelope.source, body, envelope.correlation_id, True)]
        number = partition_for(request.group_id, self.setup.configuration.offsets_partitions)
        partition = partition_name(OFFSETS_TOPIC, number)
        self.host.coordinator.add_partitions(
            Asked(envelope.source, envelope.correlation_id, request),
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            frozenset((partition,)),
            now,
        )
        self.setup.watch.emit(OffsetsPartitionJoins, request.group_id, partition)
        effects = self._handled(request.transactional_id, now)
        return effects + self.cluster.use(partition)

    def handle_end(self, envelope: Envelope, now: int) -> Effects:
        """Handle EndTxn: commit or abort (TXC-14). The response is COORDINATOR_LOAD_IN_PROGRESS if the next
        transaction needs a new producer id and this broker has none left."""
        request = envelope.body
        if type(request) is not EndTxnRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an EndTxn request")
        error = self._denied(envelope, (ID_RULE,), request)
        if error is not None:
            return [Send(envelope.source, EndTxnResponse(error=error), envelope.correlation_id, True)]
        name, claimed = request.transactional_id, (request.producer_id, request.producer_epoch)
        if (
            request.transaction_version >= RAISING_VERSION
            and self.host.coordinator.needs_producer_id_to_end(name, claimed)
            and not self.producer_ids.has_id
        ):
            answer = EndTxnResponse(error=Error.COORDINATOR_LOAD_IN_PROGRESS)
            self.setup.watch.emit(NoIdForNextTransaction, self.setup.name, envelope.source, name)
            wanted = self.producer_ids.claim(now)
            return [Send(envelope.source, answer, envelope.correlation_id, True), *wanted]
        self.host.coordinator.end_transaction(
            Asked(envelope.source, envelope.correlation_id, request),
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            request.committed,
            now,
            request.transaction_version,
        )
        return self._handled(request.transactional_id, now)
