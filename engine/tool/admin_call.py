"""One call of Kafka's admin client. A call has keys (partitions, transactional ids or brokers). For each key, one
broker has to respond.

The client looks up the brokers of its keys, and asks each of these brokers about its keys. If an error shows
that a key is at another broker, the client looks the key up again. Source: ``AdminApiDriver``, its lookup
strategies (``PartitionLeaderStrategy``, ``CoordinatorStrategy``, ``AllBrokersStrategy``,
``StaticBrokerStrategy``) and its handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from engine.errors import Error
from engine.messages import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    MetadataRequest,
    MetadataResponse,
    TxnMarkerEntry,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from engine.tool.command import Command
from engine.topic_partition import topic_of

EVERY_BROKER = "every broker"
"""The only key of a call to all brokers, until the brokers are known."""
THE_CLUSTER = "cluster"
"""The only key of a call that any broker can answer."""
CALL_TIMEOUT_MS = 60_000
"""Kafka's default of ``default.api.timeout.ms``: the longest time for a call."""
REQUEST_TIMEOUT_MS = 30_000
"""Kafka's default of ``request.timeout.ms``: the longest wait for one response."""
RETRY_BACKOFF_MS = 100
"""Kafka's default of ``retry.backoff.ms``: the pause before a request is sent again."""


class Reaction(Enum):
    """The reactions of the client to an error in a response about a partition, a transactional id or a broker. An error
    without a reaction ends the call. For errors of lookups see ``LOOKUP_RETRIES``."""

    ASKS_AGAIN = "asks_again"
    LOOKS_UP = "looks_up"
    TAKES = "takes"
    """The client takes the response: the key has no value, and the caller decides what that means."""


Answer = tuple[str, Error, Any]
"""A key with its error and its value."""


@dataclass(slots=True)
class AdminCall:
    """The state of one call. Each key is in ``unmapped``, in ``mapped``, or in ``values``."""

    kind: CallKind
    command: Command
    subject: Any
    """The content of the request besides the keys: producer ids, or a marker; None: the request has only the keys."""
    deadline: int
    unmapped: dict[str, None]
    mapped: dict[str, int] = field(default_factory=dict)
    """Dict of key → its broker."""
    values: dict[str, Any] = field(default_factory=dict)
    retry_at: int | None = None
    """The virtual ms at which requests are sent again; None: no request waits for that."""

    @property
    def is_fixed(self) -> bool:
        """Whether the operator named the broker to ask, so that the tool does not look it up."""
        return self.kind.name == PRODUCERS and self.command.broker is not None

    def retry(self, now: int) -> int | None:
        """Set ``retry_at`` to the end of the backoff. Returns this time (virtual ms); None if the call ends before."""
        self.retry_at = now + RETRY_BACKOFF_MS
        return self.retry_at if self.retry_at < self.deadline else None

    def left_at(self, broker: int) -> tuple[str, ...]:
        return tuple(key for key, place in self.mapped.items() if place == broker)

    def be_elsewhere(self, key: str) -> None:
        """Forget the key's broker, so that it is looked up again."""
        if self.mapped.pop(key, None) is not None:
            self.unmapped[key] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKind:
    """One row of :data:`CALLS`."""

    name: str
    """Kafka's name of the call, for the view."""
    asks: Callable[[AdminCall, tuple[str, ...]], Any]
    """A function that makes the request to one broker about these keys."""
    reads: Callable[[Any], Iterable[Answer]]
    """A function that reads the answers from a response."""
    looks_up: Callable[[AdminCall], Iterable[Any]] | None
    """A function that makes the requests which find the brokers of all unmapped keys. None: any broker can answer."""
    looks_up_again: bool = True
    """Whether the keys of a lost connection are looked up again. If not, the same broker is asked again."""
    reactions: Mapping[Error, Reaction] = field(default_factory=dict)


# Lookups -----------------------------------------------------------------------------------------------


def _leaders(call: AdminCall) -> Iterable[Any]:
    return (MetadataRequest(topics=tuple(dict.fromkeys(topic_of(name) for name in call.unmapped))),)


def _coordinators(call: AdminCall) -> Iterable[Any]:
    return tuple(FindCoordinatorRequest(key=name, key_type="TRANSACTION") for name in call.unmapped)


def _brokers(call: AdminCall) -> Iterable[Any]:
    return (MetadataRequest(),)


def found_in(call: AdminCall, response: Any) -> tuple[tuple[str, Error, int | None], ...]:
    """For each key that the response to a lookup is about: (key, error, id of its broker). The id is None with an
    error."""
    if type(response) is FindCoordinatorResponse:
        return ((response.key, response.error, response.node),)
    metadata: MetadataResponse = response
    if EVERY_BROKER in call.unmapped:
        return tuple((f"broker-{number}", Error.NONE, number) for number in metadata.brokers)
    known = metadata.partitions
    missing = Error.UNKNOWN_TOPIC_OR_PARTITION
    return tuple(
        (name, known[name].error, known[name].leader) if name in known else (name, missing, None)
        for name in call.unmapped
    )


LOOKUP_RETRIES = frozenset(
    {
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.COORDINATOR_LOAD_IN_PROGRESS,
        Error.LEADER_NOT_AVAILABLE,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""Errors of a lookup after which the client looks up again. Other errors end the call."""


# Requests ----------------------------------------------------------------------------------------------


def _ask_topics(call: AdminCall, keys: tuple[str, ...]) -> MetadataRequest:
    if call.command.topic is None:
        return MetadataRequest(with_internal=True)
    return MetadataRequest(topics=(call.command.topic,))


def _read_topics(response: MetadataResponse) -> Iterable[Answer]:
    """The answer for the cluster: dict of partition → its replicas. Kafka's tool needs several requests for this;
    here one response has all."""
    error = next((one.error for one in response.partitions.values() if one.error in _NO_TOPIC), Error.NONE)
    replicas = {name: found.replicas for name, found in response.partitions.items()}
    return ((THE_CLUSTER, error, replicas),)


_NO_TOPIC = frozenset({Error.UNKNOWN_TOPIC_OR_PARTITION})


def _ask_producers(call: AdminCall, keys: tuple[str, ...]) -> DescribeProducersRequest:
    return DescribeProducersRequest(partitions=keys)


def _read_producers(response: DescribeProducersResponse) -> Iterable[Answer]:
    return ((name, found.error, found.active_producers) for name, found in response.partitions.items())


def _ask_list(call: AdminCall, keys: tuple[str, ...]) -> ListTransactionsRequest:
    duration = -1 if call.command.duration_ms is None else call.command.duration_ms
    return ListTransactionsRequest(producer_ids=call.subject or (), duration_ms=duration)


def _read_list(response: ListTransactionsResponse) -> Iterable[Answer]:
    return ((EVERY_BROKER, response.error, response.transactions),)


def _ask_transactions(call: AdminCall, keys: tuple[str, ...]) -> DescribeTransactionsRequest:
    return DescribeTransactionsRequest(transactional_ids=keys)


def _read_transactions(response: DescribeTransactionsResponse) -> Iterable[Answer]:
    return ((name, found.error, found) for name, found in response.transactions.items())


def _ask_marker(call: AdminCall, keys: tuple[str, ...]) -> WriteTxnMarkersRequest:
    marker: TxnMarkerEntry = call.subject
    return WriteTxnMarkersRequest(entries=(marker,))


def _read_marker(response: WriteTxnMarkersResponse) -> Iterable[Answer]:
    return ((name, error, None) for errors in response.errors.values() for name, error in errors.items())


TOPICS, PRODUCERS, LISTING = "describeTopics", "describeProducers", "listTransactions"
DESCRIPTIONS, MARKER = "describeTransactions", "abortTransaction"
CALLS: dict[str, CallKind] = {
    kind.name: kind
    for kind in (
        CallKind(name=TOPICS, asks=_ask_topics, reads=_read_topics, looks_up=None),
        CallKind(
            name=PRODUCERS,
            asks=_ask_producers,
            reads=_read_producers,
            looks_up=_leaders,
            reactions={
                Error.NOT_LEADER_OR_FOLLOWER: Reaction.LOOKS_UP,
                Error.UNKNOWN_TOPIC_OR_PARTITION: Reaction.ASKS_AGAIN,
            },
        ),
        CallKind(
            name=LISTING,
            asks=_ask_list,
            reads=_read_list,
            looks_up=_brokers,
            looks_up_again=False,
            reactions={Error.COORDINATOR_LOAD_IN_PROGRESS: Reaction.ASKS_AGAIN},
        ),
        CallKind(
            name=DESCRIPTIONS,
            asks=_ask_transactions,
            reads=_read_transactions,
            looks_up=_coordinators,
            reactions={
                Error.COORDINATOR_LOAD_IN_PROGRESS: Reaction.ASKS_AGAIN,
                Error.NOT_COORDINATOR: Reaction.LOOKS_UP,
                Error.COORDINATOR_NOT_AVAILABLE: Reaction.LOOKS_UP,
                Error.TRANSACTIONAL_ID_NOT_FOUND: Reaction.TAKES,
            },
        ),
        CallKind(
            name=MARKER,
            asks=_ask_marker,
            reads=_read_marker,
            looks_up=_leaders,
            reactions={
                Error.NOT_LEADER_OR_FOLLOWER: Reaction.LOOKS_UP,
                Error.UNKNOWN_TOPIC_OR_PARTITION: Reaction.LOOKS_UP,
            },
        ),
    )
}
