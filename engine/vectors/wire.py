"""Plays requests that a real broker answered against one of the engine's (``kafka-logs/*/wire``).

A recording is a list of requests as bytes, with the broker's answer and its state afterwards. ``engine.wire`` reads
the bytes. A :class:`engine.broker.broker.Broker` answers; it leads every partition and hosts both coordinators, as in
a scenario. Compared are the answer, the transactions, the producers, both offsets, and at the end what a reader gets.
Recordings come from Kafka 4.1: the broker's profile, and what a recording leaves open, stand in ``wire_versions``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.broker.broker import Broker
from engine.broker.configuration import BrokerConfiguration
from engine.broker.internal_topics import INTERNAL_TOPICS, OFFSETS_TOPIC, is_internal
from engine.broker.producer_ids import BLOCK_NODE, ZOOKEEPER, Block
from engine.broker.zookeeper import ZooKeeper
from engine.errors import EngineError, Error
from engine.messages import (
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnResponse,
    Connect,
    Disconnect,
    Effects,
    EndTxnResponse,
    Envelope,
    FetchResponse,
    InitProducerIdResponse,
    LeaderAndIsr,
    OffsetFetchResponse,
    ProduceResponse,
    Send,
    TxnOffsetCommitResponse,
    UpdateMetadata,
    UsePartition,
    ZooKeeperRead,
    ZooKeeperWrite,
)
from engine.switches import Switches
from engine.topic_partition import partition_name, topic_partition
from engine.vectors.outcome import Failure, Skip
from engine.vectors.wire_versions import RECORDED
from engine.watching import Watch
from engine.wire.exchange import read_request, write_response
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest

BROKER = 1
STEP_MS = 30
"""Virtual time from one request to the next: longer than markers need, far shorter than a transaction's timeout."""
TRANSACTION_VERSION = 0
"""The transaction version that the engine's profiles follow; later ones raise the epoch with every transaction."""
INTERNAL_PARTITIONS = 4


class Recording:
    """One broker that leads every partition of a recording, ZooKeeper behind it, and the clock."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.now = 0
        self.topic = document["topic"]
        self.partitions = [partition_name(self.topic, number) for number in range(document["partitions"])]
        self.kept = KeptRecords()
        self.asked = 0
        """Requests so far; each has its number in place of the client's, which may repeat its own."""
        self.answers: dict[int, Any] = {}
        self.zookeeper = ZooKeeper(Watch())
        first = first_producer_id(document)
        if first:
            block = Block(BROKER, 0, first - 1)
            self.zookeeper.write(ZooKeeperWrite(path=BLOCK_NODE, data=block.to_json(), expected_version=None))
        self.broker = Broker(
            BROKER,
            profile=RECORDED,
            switches=Switches(),
            watch=Watch(),
            configuration=BrokerConfiguration(
                transaction_state_partitions=INTERNAL_PARTITIONS, offsets_partitions=INTERNAL_PARTITIONS
            ),
        )
        self._settle(self.broker.learn(UpdateMetadata(live_brokers=(BROKER,)), self.now))
        internal = [
            partition_name(topic, number)
            for topic in INTERNAL_TOPICS
            for number in range(INTERNAL_PARTITIONS)
        ]
        for partition in (*self.partitions, *internal):
            self._settle(self.broker.learn(_led(partition), self.now))
        self._settle(self.broker.start(self.now))

    def ask(self, step: dict[str, Any]) -> tuple[WireRequest, Any]:
        """One recorded request and the broker's answer to it; everything that follows from it is done before."""
        request = read_request(bytes.fromhex(step["request_hex"]), self.kept)
        self.now += STEP_MS
        return request, self._answer(request)

    def response(self, request: WireRequest, answer: Any) -> bytes:
        """The answer as the client would get it."""
        return write_response(request, answer, self.kept)

    def _answer(self, request: WireRequest) -> Any:
        self.asked += 1
        envelope = self._envelope(request.client, self.broker.name, request.body, self.asked, False)
        self._settle(self.broker.handle(envelope, self.now))
        if self.asked not in self.answers:
            raise EngineError(f"{request.api} {request.correlation_id} was not answered")
        return self.answers.pop(self.asked)

    def _settle(self, effects: Effects) -> None:
        """Carry out effects and due timers until the broker is at rest."""
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

    def _carry_out(self, effect: Send | Connect | Disconnect | UsePartition, now: int) -> Effects:
        broker = self.broker
        if isinstance(effect, Connect):
            return broker.on_connected(effect.peer, now)
        if isinstance(effect, Disconnect):
            return broker.on_disconnected(effect.peer, now)
        if isinstance(effect, UsePartition):
            raise EngineError(f"{effect.partition} is led from the beginning")
        if effect.destination == ZOOKEEPER:
            reply = self._zookeeper(effect.body)
            return broker.handle(
                self._envelope(ZOOKEEPER, broker.name, reply, effect.correlation_id, True), now
            )
        if effect.destination == broker.name:
            own = self._envelope(
                broker.name, broker.name, effect.body, effect.correlation_id, effect.is_response
            )
            return broker.handle(own, now)
        self.answers[effect.correlation_id] = effect.body
        return []

    def _zookeeper(self, body: object) -> Any:
        if isinstance(body, ZooKeeperRead):
            return self.zookeeper.read(body.path)
        if isinstance(body, ZooKeeperWrite):
            return self.zookeeper.write(body)
        raise EngineError(f"{body!r} is nothing for ZooKeeper")

    def _envelope(
        self, source: str, destination: str, body: object, correlation_id: int, is_response: bool
    ) -> Envelope:
        return Envelope(0, source, destination, body, correlation_id, is_response, self.now, self.now)

    # What is known afterwards, under the names of the recording ---------------------------------------

    def transaction(self, transactional_id: str) -> dict[str, Any]:
        """The transaction as DescribeTransactions returns it."""
        host = self.broker.transactions
        metadata = None if host is None else host.coordinator.metadata.get(transactional_id)
        if metadata is None:
            return {"error": "TRANSACTIONAL_ID_NOT_FOUND", "state": ""}
        return {
            "state": metadata.state,
            "timeout_ms": metadata.timeout_ms,
            "producer_id": metadata.producer_id,
            "producer_epoch": metadata.producer_epoch,
            "partitions": by_topic(metadata.partitions),
        }

    def producers(self) -> dict[str, Any]:
        """The producers as DescribeProducers returns them, by ``partition/producer id``."""
        return {
            f"{number}/{producer_id}": {
                "producer_id": producer_id,
                "producer_epoch": entry.producer_epoch,
                "last_sequence": entry.last_sequence,
                "coordinator_epoch": entry.coordinator_epoch,
                "current_txn_start_offset": -1
                if entry.transaction_first_offset is None
                else entry.transaction_first_offset,
            }
            for number, partition in enumerate(self.partitions)
            for producer_id, entry in self.broker.replicas[partition].log.producers.entries.items()
        }

    def offsets(self) -> dict[str, list[int]]:
        logs = [self.broker.replicas[partition].log for partition in self.partitions]
        return {
            "high_watermark": [log.high_watermark for log in logs],
            "last_stable_offset": [log.last_stable_offset for log in logs],
        }


def by_topic(partitions: frozenset[str] | list[str]) -> list[str]:
    """Sorted; the group's partition without its number, which a recording does not determine."""
    return sorted({OFFSETS_TOPIC if is_internal(name) else name for name in partitions})


def first_producer_id(document: dict[str, Any]) -> int:
    """The first id that the recorded broker handed out; 0 when it handed out none."""
    for step in document["steps"]:
        answer = step["response"]
        if step["api"] == "InitProducerId" and answer["error"] == "NONE":
            return int(answer["producer_id"])
    return 0


def _led(partition: str) -> LeaderAndIsr:
    return LeaderAndIsr(partition=partition, leader=BROKER, leader_epoch=0, isr=(BROKER,), replicas=(BROKER,))


# The answers, in the form of the recording --------------------------------------------------------


def _number(partition: str) -> str:
    return str(topic_partition(partition).number)


def _coded(error: Error) -> dict[str, Any]:
    return {"error": error.name, "error_code": error.code}


def _produced(answer: ProduceResponse) -> dict[str, Any]:
    found = {
        _number(name): {
            **_coded(part.error),
            "base_offset": part.base_offset,
            "log_append_time": part.log_append_time,
            "log_start_offset": part.log_start_offset,
        }
        for name, part in answer.partitions.items()
    }
    if len(found) == 1:
        return next(iter(found.values()))
    return {"partitions": found}


def _identity(answer: InitProducerIdResponse) -> dict[str, Any]:
    return {
        **_coded(answer.error),
        "producer_id": answer.producer_id,
        "producer_epoch": answer.producer_epoch,
    }


def _by_partition(answer: AddPartitionsToTxnResponse | TxnOffsetCommitResponse) -> dict[str, Any]:
    return {"partitions": {_number(name): error.name for name, error in answer.errors.items()}}


def _error_alone(answer: AddOffsetsToTxnResponse | EndTxnResponse) -> dict[str, Any]:
    return _coded(answer.error)


def _offsets(answer: OffsetFetchResponse) -> dict[str, Any]:
    errors = answer.errors or {}
    return {
        "error": answer.error.name,
        "partitions": {
            _number(name): {"offset": offset, "error": errors.get(name, Error.NONE).name}
            for name, offset in answer.offsets.items()
        },
    }


ANSWERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    ProduceResponse: _produced,
    InitProducerIdResponse: _identity,
    AddPartitionsToTxnResponse: _by_partition,
    TxnOffsetCommitResponse: _by_partition,
    AddOffsetsToTxnResponse: _error_alone,
    EndTxnResponse: _error_alone,
    OffsetFetchResponse: _offsets,
}


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a recording: the steps that passed, and the first response or state that differs."""

    passed: int
    failure: Failure | None = None
    at_step: bool = False
    """The failure is a step's; else it is of the last fetches, behind all steps."""


def play(document: dict[str, Any]) -> Played:
    """Every step of a recording and its last fetches, up to the first failure.

    Raises Skip for a recording of the later transaction protocol, ValueError for bytes that are no request.
    """
    check_version(document)
    recording = Recording(document)
    transactions: dict[str, Any] = {}
    producers: dict[str, Any] = {}
    for number, step in enumerate(document["steps"]):
        at = f"step {step['n']} {step['api']}"
        try:
            _, answer = recording.ask(step)
        except ValueError as error:
            raise ValueError(f"{at}: {error}") from error
        failure = _compare(at, step["response"], ANSWERS[type(answer)](answer))
        if failure is None:
            failure = _compare_state(at, step["after"], recording, transactions, producers)
        if failure is not None:
            return Played(number, failure, at_step=True)
    return Played(len(document["steps"]), _read_back(recording, document.get("fetch", ())))


def _compare_state(
    at: str,
    after: dict[str, Any],
    recording: Recording,
    transactions: dict[str, Any],
    producers: dict[str, Any],
) -> Failure | None:
    """The broker's state against the recorded one, of which a step names what changed."""
    transactions |= {name: _named(found) for name, found in after.get("transactions", {}).items()}
    producers |= after["producers"]
    seen = {
        "transactions": {name: recording.transaction(name) for name in transactions},
        "producers": recording.producers(),
        **recording.offsets(),
    }
    wanted = {"transactions": transactions, "producers": producers}
    wanted |= {name: after[name] for name in ("high_watermark", "last_stable_offset")}
    return _compare(f"{at}, afterwards", wanted, seen)


def check_version(document: dict[str, Any]) -> None:
    """Skip what belongs to the later protocol; its idempotent producers are those of this one."""
    if document["transaction_version"] == TRANSACTION_VERSION:
        return
    for step in document["steps"]:
        request = step["request"]
        if request.get("transactional_id") is not None or request.get("is_transactional"):
            raise Skip(f"transaction version {document['transaction_version']} (KIP-890, second part)")


def _named(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "partitions": by_topic(found["partitions"])} if "partitions" in found else found


def _compare(at: str, wanted: dict[str, Any], seen: dict[str, Any]) -> Failure | None:
    for name, value in wanted.items():
        if seen.get(name) != value:
            return Failure(f"{at}: {name}", value, seen.get(name))
    return None


def _read_back(recording: Recording, fetches: Any) -> Failure | None:
    """Compare each partition's Fetch under each isolation level: offsets, aborted list, bytes."""
    for fetch in fetches:
        request, response = recording.ask(fetch)
        if not isinstance(response, FetchResponse):
            raise EngineError(f"a Fetch was answered with {response!r}")
        (answer,) = response.partitions.values()
        aborted = [{"producer_id": found, "first_offset": first} for found, first in answer.aborted]
        seen = {
            "error": answer.error.name,
            "high_watermark": answer.high_watermark,
            "last_stable_offset": answer.last_stable_offset,
            "log_start_offset": answer.log_start_offset,
            "aborted_transactions": aborted if fetch["isolation_level"] == "read_committed" else None,
            "records_len": sum(batch.size for batch in answer.batches),
            "response_len": len(recording.response(request, response)),
        }
        wanted = {name: fetch[name] for name in seen if name in fetch}
        wanted["aborted_transactions"] = _in_order(wanted.get("aborted_transactions"))
        seen["aborted_transactions"] = _in_order(seen["aborted_transactions"])
        at = f"fetch of {fetch['partition']} {fetch['isolation_level']}"
        failure = _compare(at, wanted, seen)
        if failure is not None:
            return failure
    return None


def _in_order(aborted: Any) -> Any:
    """The aborted list is a set: readers sort it by first offset (``ConsumerRecords`` of Fetcher)."""
    if aborted is None:
        return None
    return sorted(aborted, key=lambda found: (found["first_offset"], found["producer_id"]))
