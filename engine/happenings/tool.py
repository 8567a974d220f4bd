"""Happenings of ``kafka-transactions.sh`` (KIP-664)."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class CommandBegins(Happening):
    """The tool begins with a command. ``name``: the command without its options."""

    command: str
    name: str


@happening
class CommandWaits(Happening):
    """A command waits until ``before``, the command that is running, has ended."""

    command: str
    before: str


@happening
class CommandFails(Happening):
    """The tool ends with an error. ``about``: the partition, transactional id or broker of the request that
    failed."""

    command: str
    error: Error
    about: str


@happening
class ApiMissing(Happening):
    """The broker's version does not have a request that the command needs, so the tool sends nothing and ends."""

    command: str
    api: str
    broker: str
    error: Error


@happening
class AsksAgain(Happening):
    """A response had a retriable error, so the tool sends the request again at ``at`` (virtual ms); None if the call
    ends before that time. ``looks_up``: before it sends the request, the tool looks up the broker again."""

    broker: str
    api: str
    error: Error
    about: str
    at: int | None
    looks_up: bool


@happening
class ConnectionLost(Happening):
    """A connection of the tool ended or could not be made, so the tool sends its requests again at ``at`` (virtual
    ms); None if the call ends before that time."""

    broker: str
    at: int | None


@happening
class RequestOverdue(Happening):
    """A broker did not respond in time, so the tool closes its connection to it."""

    broker: str
    api: str


@happening
class BrokerFound(Happening):
    """The response to Metadata or FindCoordinator names the broker to ask: the leader of a partition, or the
    coordinator of a transactional id."""

    broker: str
    api: str
    about: str
    found: str


@happening
class EveryBrokerFound(Happening):
    """The response to Metadata names the live brokers. The tool asks all of them."""

    broker: str
    brokers: tuple[str, ...]


@happening
class PartitionsToSearch(Happening):
    """For find-hanging, the tool requests the producers of these partitions."""

    broker: str
    partitions: tuple[str, ...]


@happening
class ProducersShown(Happening):
    """A broker's response to DescribeProducers has arrived, with the producers of these partitions."""

    broker: str
    partitions: tuple[str, ...]
    producers: int


@happening
class ProducerShown(Aside):
    """One producer of a DescribeProducers response, without an open transaction: a row of the tool's table."""

    partition: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    last_sequence: int


@happening
class OpenTransactionShown(Aside):
    """One producer of a DescribeProducers response, with a transaction that is open since ``start_offset``: a
    row of the tool's table."""

    partition: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    last_sequence: int
    start_offset: int


@happening
class CandidatesChosen(Aside):
    """find-hanging chose the candidates among the ``still_open`` transactions: those whose last record is
    older than ``timeout_ms``."""

    candidates: int
    still_open: int
    timeout_ms: int


@happening
class TransactionsShown(Happening):
    """A broker's response to ListTransactions has arrived."""

    broker: str
    transactions: int


@happening
class TransactionShown(Aside):
    """One transactional id of a ListTransactions response: a row of the tool's table."""

    transactional_id: str
    coordinator: str
    producer_id: int
    state: str


@happening
class DescriptionShown(Happening):
    """A coordinator described a transactional id."""

    transactional_id: str
    coordinator: str
    producer_id: int
    producer_epoch: int
    state: str
    partitions: tuple[str, ...]


@happening
class DescriptionMissing(Happening):
    """The coordinator does not know the transactional id."""

    transactional_id: str
    coordinator: str


class Hanging(Enum):
    """The reasons why no marker will end a candidate of find-hanging
    (``FindHangingTransactionsCommand.filterHangingTransactions``)."""

    NO_ID = "no_id"
    """No transactional id has this producer id now."""
    FORGOTTEN = "forgotten"
    """The coordinator no longer knows the transactional id."""
    NOT_INCLUDED = "not_included"
    """The partition is not among those that the coordinator will send a marker to."""


@happening
class HangingFound(Aside):
    """One hanging transaction: a row of the tool's table. ``minutes``: the age of its newest record."""

    why: Hanging
    partition: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    start_offset: int
    transactional_id: str | None
    minutes: int


@happening
class MarkerExpected(Aside):
    """A candidate does not hang: its coordinator will still end it."""

    partition: str
    producer_id: int
    transactional_id: str


@happening
class SearchEnds(Happening):
    """find-hanging has ended. ``hanging``: the number of rows in its table."""

    command: str
    hanging: int


@happening
class NoOpenTransaction(Happening):
    """For abort, no open transaction of this partition begins at the offset, so the tool ends with an error."""

    partition: str
    start_offset: int


@happening
class AbortChosen(Aside):
    """For abort, the tool asks the leader to write this ABORT marker."""

    partition: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int


@happening
class AbortDone(Happening):
    """For abort, the leader has written the ABORT marker, and the tool ends."""

    partition: str
    producer_id: int


@happening
class CommandEnds(Aside):
    """The tool has printed its table and ends."""

    command: str
