"""The engine's broker that replaces a recorded one. It leads every partition and hosts both coordinators.

Requests come as bytes and are answered one at a time. All effects of a request (markers, timers) are carried out
before the next request.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from engine.broker.broker import Broker
from engine.broker.configuration import BrokerConfiguration
from engine.broker.controllers import controller_of
from engine.broker.internal_topics import INTERNAL_TOPICS
from engine.errors import EngineError, Error
from engine.messages import (
    Connect,
    DescribeProducersRequest,
    DescribeTransactionsRequest,
    Disconnect,
    Effect,
    Effects,
    Envelope,
    LeaderAndIsr,
    Send,
    UpdateMetadata,
)
from engine.switches import Switches
from engine.topic_partition import partition_name
from engine.vectors.wire_versions import Generation
from engine.watching import Watch
from engine.wire.exchange import read_request, write_response
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest

BROKER = 1
STEP_MS = 30
"""Virtual ms between two requests: longer than markers take, and much shorter than a transaction's timeout."""
CLIENT_WAITS_MS = 30_000
"""The ms that the player waits for the response to a request that the broker holds (``request.timeout.ms``)."""
INTERNAL_PARTITIONS = 4
CLIENT, NEWER_CLIENT = "client", "newer-client"
"""The names of two clients. The first one sends versions of requests without the error TRANSACTION_ABORTABLE, the
second one versions that have it."""


class Recording:
    """One broker that leads every partition of a recording, its controller, and the clock."""

    def __init__(self, document: dict[str, Any], generation: Generation) -> None:
        self.now = 0
        self.topic = document["topic"]
        self.partitions = [partition_name(self.topic, number) for number in range(document["partitions"])]
        self.kept = KeptRecords()
        self.asked = 0
        """The number of requests so far. It is used as correlation id, because the recorded clients' ids may
        repeat."""
        self.answers: dict[int, Any] = {}
        self.controller = controller_of(generation.profile)(watch=Watch(), broker_ids=(BROKER,))
        first = first_producer_id(document)
        if first:
            self.controller.preset_block(BROKER, 0, first - 1)
        self.broker = Broker(
            BROKER,
            profile=generation.profile,
            switches=Switches(),
            watch=Watch(),
            understand_abortable=frozenset((NEWER_CLIENT,)),
            configuration=BrokerConfiguration(
                transaction_state_partitions=INTERNAL_PARTITIONS, offsets_partitions=INTERNAL_PARTITIONS
            ),
        )
        self.broker.be_registered(self.controller.broker_epoch(BROKER))
        word = UpdateMetadata(live_brokers=(BROKER,), transaction_version=generation.level)
        self._settle(self.broker.learn(word, self.now))
        internal = [
            partition_name(topic, number)
            for topic in INTERNAL_TOPICS
            for number in range(INTERNAL_PARTITIONS)
        ]
        for partition in (*self.partitions, *internal):
            self._settle(self.broker.learn(_led(partition), self.now))
        self._settle(self.broker.start_before_the_run(self.now))

    def ask(self, step: dict[str, Any]) -> tuple[WireRequest, Any]:
        """Send one recorded request. Returns the request as it was read, and the broker's answer after all effects
        of the request were carried out."""
        request = read_request(bytes.fromhex(step["request_hex"]), self.kept)
        self.now += STEP_MS
        return request, self._answer(request)

    def response(self, request: WireRequest, answer: Any) -> bytes:
        """The answer as the bytes that the client would get."""
        return write_response(request, answer, self.kept)

    def _answer(self, request: WireRequest) -> Any:
        self.asked += 1
        client = NEWER_CLIENT if request.knows_abortable else CLIENT
        envelope = self._envelope(client, self.broker.name, request.body, self.asked, False)
        self._settle(self.broker.handle(envelope, self.now))
        gives_up_at = self.now + CLIENT_WAITS_MS
        while self.asked not in self.answers:
            due = self.broker.next_timer()
            if due is None or due > gives_up_at:
                raise EngineError(f"{request.api} {request.correlation_id} was not answered")
            self.now = max(self.now, due)
            self._settle(self.broker.on_timer(self.now))
        return self.answers.pop(self.asked)

    def _settle(self, effects: Effects) -> None:
        """Carry out effects, and the timers that are due within STEP_MS."""
        limit = self.now + STEP_MS
        now = self.now
        queue = deque(effects)
        while True:
            while queue:
                queue.extend(self._carry_out(queue.popleft(), now))
            due = self.broker.next_timer()
            if due is None or due >= limit:
                return
            now = max(now, due)
            queue.extend(self.broker.on_timer(now))

    def _carry_out(self, effect: Effect, now: int) -> Effects:
        broker = self.broker
        if isinstance(effect, Connect):
            return broker.on_connected(effect.peer, now, effect.purpose)
        if isinstance(effect, Disconnect):
            return broker.on_disconnected(effect.peer, now, effect.purpose)
        if not isinstance(effect, Send):
            raise EngineError(f"{broker.name}: {effect!r}, in a recording")
        if effect.destination in (self.controller.name, *self.controller.other_names):
            request = self._envelope(
                broker.name, self.controller.name, effect.body, effect.correlation_id, False
            )
            return self.controller.handle(request, now)
        if effect.destination == broker.name:
            own = self._envelope(
                broker.name, broker.name, effect.body, effect.correlation_id, effect.is_response
            )
            return broker.handle(own, now)
        self.answers[effect.correlation_id] = effect.body
        return []

    def _envelope(
        self, source: str, destination: str, body: object, correlation_id: int, is_response: bool
    ) -> Envelope:
        return Envelope(0, source, destination, body, correlation_id, is_response, self.now, self.now)

    # The state after a step, with the field names of the recording ------------------------------------

    def transaction(self, transactional_id: str) -> dict[str, Any]:
        """The broker's answer to a DescribeTransactions."""
        answer = self._described(DescribeTransactionsRequest(transactional_ids=(transactional_id,)))
        found = answer.transactions[transactional_id]
        if found.error is not Error.NONE:
            return {"error": found.error.name, "state": ""}
        return {
            "state": found.state,
            "timeout_ms": found.timeout_ms,
            "producer_id": found.producer_id,
            "producer_epoch": found.producer_epoch,
            "partitions": list(found.partitions),
        }

    def producers(self) -> dict[str, Any]:
        """The broker's answer to a DescribeProducers: dict of ``partition/producer id`` → the producer."""
        answer = self._described(DescribeProducersRequest(partitions=tuple(self.partitions)))
        return {
            f"{number}/{found.producer_id}": {
                "producer_id": found.producer_id,
                "producer_epoch": found.producer_epoch,
                "last_sequence": found.last_sequence,
                "coordinator_epoch": found.coordinator_epoch,
                "current_txn_start_offset": found.current_txn_start_offset,
            }
            for number, partition in enumerate(self.partitions)
            for found in answer.partitions[partition].active_producers
        }

    def _described(self, request: object) -> Any:
        """The answer to a request that changes nothing. No time passes."""
        self.asked += 1
        envelope = self._envelope(CLIENT, self.broker.name, request, self.asked, False)
        self._settle(self.broker.handle(envelope, self.now))
        return self.answers.pop(self.asked)

    def offsets(self) -> dict[str, list[int]]:
        logs = [self.broker.replicas[partition].log for partition in self.partitions]
        return {
            "high_watermark": [log.high_watermark for log in logs],
            "last_stable_offset": [log.last_stable_offset for log in logs],
        }


def first_producer_id(document: dict[str, Any]) -> int:
    """The first producer id that the recorded broker assigned; 0 when it assigned none."""
    for step in document["steps"]:
        answer = step["response"]
        if step["api"] == "InitProducerId" and answer["error"] == "NONE":
            return int(answer["producer_id"])
    return 0


def _led(partition: str) -> LeaderAndIsr:
    return LeaderAndIsr(partition=partition, leader=BROKER, leader_epoch=0, isr=(BROKER,), replicas=(BROKER,))
