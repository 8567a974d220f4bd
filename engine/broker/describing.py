"""Handles DescribeProducers (since 2.8), DescribeTransactions and ListTransactions (since 3.0), which Kafka's
admin client sends (KIP-664).

The responses describe the producers that a log remembers, and the transactional ids that the broker
coordinates. The requests change nothing. Source: ``KafkaApis.handleDescribeProducersRequest``,
``handleDescribeTransactionsRequest``, ``handleListTransactionsRequest``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.broker.cluster_view import ClusterView
from engine.broker.permissions import Permissions
from engine.broker.producer_state import ProducerStateEntry
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.broker.transaction_host import TransactionHost
from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.coordinator.transaction_states import TRANSACTION_STATES
from engine.errors import NO_ERROR, EngineError, Error
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.describing import ProducersDescribed, TransactionDescribed, TransactionsListed
from engine.happenings.requests import RequestRefused
from engine.messages import (
    NO_OFFSET,
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    Effects,
    Envelope,
    ListTransactionsRequest,
    ListTransactionsResponse,
    PartitionProducers,
    ProducerDescription,
    Send,
    TransactionDescription,
    TransactionListing,
)
from engine.rules import Rule, refusal
from engine.topic_partition import topic_of


class About:
    """The values that the rules about one partition or transactional id of a request read. ``name``: the
    partition or the transactional id."""

    __slots__ = ("cluster", "host", "name", "permissions", "replicas")

    def __init__(
        self,
        name: str,
        cluster: ClusterView,
        permissions: Permissions,
        replicas: Replicas,
        host: TransactionHost,
    ) -> None:
        self.name = name
        self.cluster = cluster
        self.permissions = permissions
        self.replicas = replicas
        self.host = host


def topic_read_denied(about: About) -> bool:
    return about.permissions.is_denied("Read", f"topic:{topic_of(about.name)}")


def partition_unknown(about: About) -> bool:
    return not about.cluster.knows(about.name)


def no_replica(about: About) -> bool:
    """The broker has no replica of the partition. A follower responds to DescribeProducers as a leader does."""
    return about.name not in about.replicas


def description_denied(about: About) -> bool:
    return about.permissions.is_denied("Describe", f"transactional_id:{about.name}")


def id_empty(about: About) -> bool:
    return not about.name


def log_loading(about: About) -> bool:
    return about.host.coordinator.lookup(about.name) is Error.COORDINATOR_LOAD_IN_PROGRESS


def not_coordinator(about: About) -> bool:
    return about.host.coordinator.lookup(about.name) is Error.NOT_COORDINATOR


def id_unknown(about: About) -> bool:
    return about.name not in about.host.coordinator.metadata


def _of_partition(when: Any, answer: Error, why: Reason, then: Next, spec: str = "MSG-4") -> Rule[About]:
    return Rule(
        when=when,
        answer=answer,
        spec=spec,
        why=why,
        then=then,
        says=("broker", "client", "partition"),
        compares=((Compared.PARTITION, "partition"), (Compared.RECEIVER, "broker")),
    )


def _of_id(when: Any, answer: Error, why: Reason, then: Next, spec: str = "TXC-6") -> Rule[About]:
    return Rule(
        when=when,
        answer=answer,
        spec=spec,
        why=why,
        then=then,
        says=("broker", "client", "transactional_id"),
        compares=((Compared.TRANSACTIONAL_ID, "transactional_id"), (Compared.RECEIVER, "broker")),
    )


PRODUCERS_RULES: tuple[Rule[About], ...] = (
    _of_partition(
        topic_read_denied, Error.TOPIC_AUTHORIZATION_FAILED, Reason.PRODUCERS_DENIED, Next.TOOL_ENDS
    ),
    _of_partition(
        partition_unknown,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Reason.PRODUCERS_OF_UNKNOWN,
        Next.TOOL_ASKS_AGAIN,
    ),
    _of_partition(
        no_replica, Error.NOT_LEADER_OR_FOLLOWER, Reason.PRODUCERS_ELSEWHERE, Next.TOOL_LOOKS_UP_AGAIN
    ),
)
"""The checks of DescribeProducers for each partition, in order."""
DESCRIPTION_RULES: tuple[Rule[About], ...] = (
    _of_id(
        description_denied,
        Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        Reason.DESCRIPTION_DENIED,
        Next.TOOL_ENDS,
        "FND-5",
    ),
    _of_id(id_empty, Error.INVALID_REQUEST, Reason.DESCRIPTION_OF_NO_ID, Next.TOOL_ENDS),
    _of_id(log_loading, Error.COORDINATOR_LOAD_IN_PROGRESS, Reason.DESCRIPTION_LOADING, Next.TOOL_ASKS_AGAIN),
    _of_id(not_coordinator, Error.NOT_COORDINATOR, Reason.DESCRIPTION_ELSEWHERE, Next.TOOL_LOOKS_UP_AGAIN),
    _of_id(
        id_unknown,
        Error.TRANSACTIONAL_ID_NOT_FOUND,
        Reason.DESCRIPTION_OF_UNKNOWN,
        Next.TOOL_FINDS_NO_ID,
        "TXC-2",
    ),
)
"""The checks of DescribeTransactions for each transactional id, in order."""


def still_loading(host: TransactionHost) -> bool:
    return bool(host.coordinator.loading)


LIST_RULE: Rule[TransactionHost] = Rule(
    when=still_loading,
    answer=Error.COORDINATOR_LOAD_IN_PROGRESS,
    spec="TXC-6",
    why=Reason.LIST_WHILE_LOADING,
    then=Next.TOOL_ASKS_AGAIN,
    says=("broker", "client"),
    compares=((Compared.RECEIVER, "broker"),),
)
"""The check of ListTransactions: while the coordinator still reads one of its log partitions, it refuses the
request, because the list would lack ids."""


class DescribingHandler:
    """Handles DescribeProducers, DescribeTransactions and ListTransactions at one broker. ``handlers``: dict
    of request type → handler."""

    __slots__ = ("cluster", "handlers", "host", "permissions", "replicas", "setup")

    def __init__(
        self,
        setup: Setup,
        cluster: ClusterView,
        permissions: Permissions,
        replicas: Replicas,
        host: TransactionHost,
    ) -> None:
        self.setup = setup
        self.cluster = cluster
        self.permissions = permissions
        self.replicas = replicas
        self.host = host
        self.handlers: dict[type, Callable[[Envelope, int], Effects]] = {
            DescribeProducersRequest: self.handle_producers,
        }
        if setup.profile.describes_transactions:
            self.handlers |= {
                DescribeTransactionsRequest: self.handle_transactions,
                ListTransactionsRequest: self.handle_list,
            }

    def handle_producers(self, envelope: Envelope, now: int) -> Effects:
        """Respond to DescribeProducers: for each partition, the entries of its log's producer state."""
        request = envelope.body
        if type(request) is not DescribeProducersRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a DescribeProducers request")
        partitions: dict[str, PartitionProducers] = {}
        for name in request.partitions:
            rule = refusal(PRODUCERS_RULES, self._about(name))
            if rule is not None:
                self._emit_refused(rule, envelope, partition=name)
                partitions[name] = PartitionProducers(error=rule.answer)
                continue
            entries = self.replicas[name].log.producers.entries.values()
            partitions[name] = PartitionProducers(
                error=NO_ERROR, active_producers=tuple(_described(entry) for entry in entries)
            )
        described = tuple(name for name, found in partitions.items() if found.error is NO_ERROR)
        if described:
            found = [one for name in described for one in partitions[name].active_producers]
            still_open = sum(one.current_txn_start_offset != NO_OFFSET for one in found)
            self.setup.watch.emit(
                ProducersDescribed, self.setup.name, envelope.source, described, len(found), still_open
            )
        answer = DescribeProducersResponse(partitions=partitions)
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def handle_transactions(self, envelope: Envelope, now: int) -> Effects:
        """Respond to DescribeTransactions: for each transactional id, its state and its partitions; once the outcome
        is decided, only the partitions that still need a marker."""
        request = envelope.body
        if type(request) is not DescribeTransactionsRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a DescribeTransactions request")
        transactions: dict[str, TransactionDescription] = {}
        for name in request.transactional_ids:
            rule = refusal(DESCRIPTION_RULES, self._about(name))
            if rule is not None:
                self._emit_refused(rule, envelope, transactional_id=name)
                transactions[name] = TransactionDescription(error=rule.answer)
                continue
            transactions[name] = self._description(self.host.coordinator.metadata[name])
            self.setup.watch.emit(
                TransactionDescribed,
                self.setup.name,
                envelope.source,
                name,
                transactions[name].state,
                transactions[name].partitions,
            )
        answer = DescribeTransactionsResponse(transactions=transactions)
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def handle_list(self, envelope: Envelope, now: int) -> Effects:
        """Respond to ListTransactions: the ids that this broker coordinates, that pass the filters and that
        the client may describe."""
        request = envelope.body
        if type(request) is not ListTransactionsRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a ListTransactions request")
        if LIST_RULE.when(self.host):
            self._emit_refused(LIST_RULE, envelope)
            refused = ListTransactionsResponse(error=LIST_RULE.answer, transactions={})
            return [Send(envelope.source, refused, envelope.correlation_id, True)]
        known = self.host.coordinator.metadata
        listed = {
            name: TransactionListing(producer_id=found.producer_id, state=found.state)
            for name, found in known.items()
            if _is_wanted(found, request, now)
            and not self.permissions.is_denied("Describe", f"transactional_id:{name}")
        }
        self.setup.watch.emit(TransactionsListed, self.setup.name, envelope.source, tuple(listed), len(known))
        answer = ListTransactionsResponse(
            error=NO_ERROR,
            transactions=listed,
            unknown_states=tuple(state for state in request.states if state not in TRANSACTION_STATES.states),
        )
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def _about(self, name: str) -> About:
        return About(name, self.cluster, self.permissions, self.replicas, self.host)

    def _emit_refused(self, rule: Rule[Any], envelope: Envelope, **about: str) -> None:
        facts = {"broker": self.setup.name, "client": envelope.source, **about}
        self.setup.watch.emit(RequestRefused, rule, facts)

    def _description(self, found: TransactionMetadata) -> TransactionDescription:
        """Describe one transaction. Kafka removes a partition from the metadata when its marker is
        acknowledged; here ``host.markers`` holds the partitions that still need a marker."""
        waiting = self.host.markers.waiting.get(found.transactional_id)
        partitions = found.partitions if waiting is None else waiting.remaining
        return TransactionDescription(
            error=NO_ERROR,
            state=found.state,
            timeout_ms=found.timeout_ms,
            start_ms=found.start_ms,
            producer_id=found.producer_id,
            producer_epoch=found.producer_epoch,
            partitions=tuple(sorted(partitions)),
        )


def _described(entry: ProducerStateEntry) -> ProducerDescription:
    first = entry.transaction_first_offset
    return ProducerDescription(
        producer_id=entry.producer_id,
        producer_epoch=entry.producer_epoch,
        last_sequence=entry.last_sequence,
        last_timestamp=entry.last_timestamp,
        coordinator_epoch=entry.coordinator_epoch,
        current_txn_start_offset=NO_OFFSET if first is None else first,
    )


def _is_wanted(found: TransactionMetadata, request: ListTransactionsRequest, now: int) -> bool:
    """Whether an id passes the filters of a ListTransactions request
    (``TransactionStateManager.listTransactionStates``)."""
    if request.producer_ids and found.producer_id not in request.producer_ids:
        return False
    if request.states and found.state not in request.states:
        return False
    return request.duration_ms < 0 or found.start_ms < 0 or now - found.start_ms > request.duration_ms
