"""Everything that one producer process holds in memory between its start and its crash.

This module builds the parts of the process. Each part owns its state and gets the parts that it needs. A
crash replaces the whole object by a new one.
"""

from __future__ import annotations

from engine.client.accumulator import RecordAccumulator
from engine.client.answers import Answers
from engine.client.application import Call
from engine.client.blocked_calls import BlockedCalls
from engine.client.blocking_identity import BlockingIdentity
from engine.client.closing import Closing
from engine.client.completion import Completion
from engine.client.connections import Connections, CorrelationIds
from engine.client.control_answers import ControlAnswers
from engine.client.control_channel import ControlChannel
from engine.client.identity import Identity
from engine.client.in_flight import InFlightBatches
from engine.client.memory_waiters import MemoryWaiters
from engine.client.metadata import Metadata
from engine.client.metadata_requests import MetadataRequests
from engine.client.outbox import Outbox
from engine.client.poll import Poll
from engine.client.queued_identity import QueuedIdentity
from engine.client.reachability import Reachability
from engine.client.readiness import Readiness
from engine.client.sender import Sender
from engine.client.setup import Setup
from engine.client.transaction_manager import TransactionManager
from engine.client.waiting import Waiting


class Incarnation:
    """The parts of one producer process. Only with idempotence does it have ``transactions``, ``channel``,
    ``identity`` and ``control_answers``."""

    def __init__(
        self, setup: Setup, brokers: tuple[int, ...], finished_calls: list[Call], numbers: CorrelationIds
    ) -> None:
        owner = ("clients", setup.name)
        config, watch = setup.config, setup.watch
        self.config = config
        self.outbox = Outbox()
        self.poll = Poll()
        self.metadata = Metadata(owner, brokers, setup.profile.rebootstraps, watch)
        self.connections = Connections(
            owner,
            config.max_in_flight,
            config.reconnect_backoff_ms,
            config.reconnect_backoff_max_ms,
            watch,
            numbers,
        )
        self.transactions: TransactionManager | None = None
        if config.enable_idempotence:
            self.transactions = TransactionManager(setup.name, config, setup.profile, setup.switches, watch)
        self.accumulator = RecordAccumulator(
            setup.name, config, setup.profile, setup.switches, watch, self.transactions
        )
        self.in_flight = InFlightBatches(config, self.accumulator.expiry)
        self.calls = BlockedCalls(setup, self.accumulator, self.transactions, self.poll, finished_calls)
        self.waiters = MemoryWaiters(setup, self.accumulator, self.transactions, self.calls, self.poll)
        self.completion = Completion(setup, self.accumulator, self.in_flight, self.waiters, self.calls)
        self.readiness = Readiness(setup, self.accumulator, self.metadata)
        waiting = Waiting(setup)
        reachability = Reachability(setup, self.connections, self.outbox, self.poll)
        metadata_requests = MetadataRequests(
            setup, self.metadata, self.connections, reachability, self.outbox
        )
        self.channel: ControlChannel | None = None
        self.control_answers: ControlAnswers | None = None
        if self.transactions is not None:
            self.channel = ControlChannel(
                setup,
                self.transactions,
                self.accumulator,
                self.completion,
                self.metadata,
                self.connections,
                reachability,
                metadata_requests,
                self.outbox,
                self.poll,
                waiting,
            )
            self.control_answers = ControlAnswers(self.transactions, waiting)
        closing = Closing(
            setup,
            self.accumulator,
            self.transactions,
            self.channel,
            self.completion,
            self.calls,
            self.poll,
        )
        self.identity = self._identity(
            setup.profile.queued_producer_id_request, setup, closing, waiting, reachability
        )
        self.answers = Answers(
            setup, self.accumulator, self.transactions, self.metadata, self.in_flight, self.completion
        )
        self.sender = self._sender(setup, closing, waiting, reachability, metadata_requests)

    def _sender(
        self,
        setup: Setup,
        closing: Closing,
        waiting: Waiting,
        reachability: Reachability,
        metadata_requests: MetadataRequests,
    ) -> Sender:
        return Sender(
            setup,
            self.identity,
            accumulator=self.accumulator,
            answers=self.answers,
            closing=closing,
            completion=self.completion,
            reachability=reachability,
            connections=self.connections,
            in_flight=self.in_flight,
            metadata=self.metadata,
            metadata_requests=metadata_requests,
            outbox=self.outbox,
            poll=self.poll,
            readiness=self.readiness,
            transactions=self.transactions,
            waiting=waiting,
        )

    def _identity(
        self, queued: bool, setup: Setup, closing: Closing, waiting: Waiting, reachability: Reachability
    ) -> Identity | None:
        """The version's strategy for getting a producer id."""
        if self.transactions is None or self.channel is None:
            return None
        if queued:
            return QueuedIdentity(setup, self.transactions, self.channel, closing, self.poll, waiting)
        return BlockingIdentity(
            setup,
            self.transactions,
            self.channel,
            closing,
            self.poll,
            waiting,
            accumulator=self.accumulator,
            completion=self.completion,
            metadata=self.metadata,
            connections=self.connections,
            reachability=reachability,
        )
