"""Plays recorded Produce requests of a real broker against one of the engine's (``kafka-logs/*/wire``).

A recording is a list of requests as bytes, with the broker's answer and its state afterwards. The bytes are
read, made into the same messages that simulated clients send, and handed to a
:class:`engine.broker.broker.Broker` as its 2.8 profile. Recordings come from Kafka 4.1, so this holds only
where 4.1 and 2.8 agree; ``ignore`` names what a caller knows to differ.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from engine.broker.broker import Broker
from engine.broker.sequence import increment
from engine.codec.record_batch import BatchHeader, decode_header
from engine.errors import EngineError
from engine.messages import (
    NO_SEQUENCE,
    Envelope,
    LeaderAndIsr,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
)
from engine.profiles import K28
from engine.switches import Switches
from engine.vectors.outcome import Failure
from engine.watching import Watch

BROKER = 1
PRODUCE = 0
PRODUCE_VERSIONS = range(3, 9)
"""Versions whose layout is the same as far as it is read here."""


@dataclass(frozen=True, slots=True)
class WireProduce:
    """A Produce request as its bytes say it, for one partition."""

    correlation_id: int
    client: str
    request: ProduceRequest


class _Reader:
    """Big-endian fields one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def number(self, layout: str) -> int:
        size = struct.calcsize(layout)
        if self.position + size > len(self.data):
            raise ValueError(f"byte {self.position}: {size} more expected, the request has {len(self.data)}")
        value: int = struct.unpack_from(layout, self.data, self.position)[0]
        self.position += size
        return value

    def text(self) -> str | None:
        length = self.number(">h")
        if length < 0:
            return None
        start = self.position
        self.position += length
        return self.data[start : self.position].decode()


def read_produce(data: bytes) -> WireProduce:
    """A Produce request of one topic, partition and batch; ValueError names the byte that is not one."""
    reader = _Reader(data)
    api, version = reader.number(">h"), reader.number(">h")
    if api != PRODUCE or version not in PRODUCE_VERSIONS:
        raise ValueError(f"byte 0: api {api} version {version} is not a Produce request of versions 3 to 8")
    correlation_id = reader.number(">i")
    client = reader.text() or ""
    transactional_id = reader.text()
    acks, timeout_ms = reader.number(">h"), reader.number(">i")
    if reader.number(">i") != 1:
        raise ValueError(f"byte {reader.position - 4}: more than one topic")
    topic = reader.text()
    if reader.number(">i") != 1:
        raise ValueError(f"byte {reader.position - 4}: more than one partition")
    partition = f"{topic}-{reader.number('>i')}"
    size = reader.number(">i")
    batch = batch_of(decode_header(data, reader.position), size)
    request = ProduceRequest(
        transactional_id=transactional_id, acks=acks, timeout_ms=timeout_ms, batches={partition: batch}
    )
    return WireProduce(correlation_id, client, request)


def batch_of(header: BatchHeader, size: int) -> RecordBatch:
    """A batch's header as the message that simulated clients send."""
    has_sequence = header.base_sequence != NO_SEQUENCE
    return RecordBatch(
        record_count=header.record_count,
        last_offset_delta=header.last_offset_delta,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=increment(header.base_sequence, header.last_offset_delta)
        if has_sequence
        else NO_SEQUENCE,
        is_transactional=header.is_transactional,
        is_control=header.is_control,
        max_timestamp=header.max_timestamp,
        size=size,
    )


class Recording:
    """One broker that leads every partition of a recording."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.topic = document["topic"]
        self.partitions = [f"{self.topic}-{number}" for number in range(document["partitions"])]
        self.broker = Broker(BROKER, profile=K28, switches=Switches(), watch=Watch())
        for partition in self.partitions:
            word = LeaderAndIsr(
                partition=partition, leader=BROKER, leader_epoch=0, isr=(BROKER,), replicas=(BROKER,)
            )
            self.broker.learn(word, 0)

    def produce(self, step: dict[str, Any]) -> dict[str, Any]:
        """The broker's answer to one recorded request, under the names of the recording."""
        wire = read_produce(bytes.fromhex(step["request_hex"]))
        now = step["n"]
        envelope = Envelope(
            now, wire.client, self.broker.name, wire.request, wire.correlation_id, False, now, now
        )
        (sent,) = self.broker.handle(envelope, now)
        if not isinstance(sent, Send) or not isinstance(sent.body, ProduceResponse):
            raise EngineError(f"a Produce request was answered with {sent!r}")
        (answer,) = sent.body.partitions.values()
        return {
            "error": answer.error.name,
            "error_code": answer.error.code,
            "base_offset": answer.base_offset,
            "log_append_time": answer.log_append_time,
            "log_start_offset": answer.log_start_offset,
        }

    def after(self) -> dict[str, Any]:
        """Producers by ``partition/producer id`` and both offsets by partition."""
        logs = [self.broker.replicas[partition].log for partition in self.partitions]
        return {
            "producers": {
                f"{number}/{producer_id}": {
                    "producer_id": producer_id,
                    "producer_epoch": entry.producer_epoch,
                    "last_sequence": entry.last_sequence,
                    "coordinator_epoch": entry.coordinator_epoch,
                    "current_txn_start_offset": -1
                    if entry.transaction_first_offset is None
                    else entry.transaction_first_offset,
                }
                for number, log in enumerate(logs)
                for producer_id, entry in log.producers.entries.items()
            },
            "high_watermark": [log.high_watermark for log in logs],
            "last_stable_offset": [log.last_stable_offset for log in logs],
        }


def play(document: dict[str, Any], ignore: Collection[int] = ()) -> Failure | None:
    """Every Produce step of a recording: its answer, and what the broker knows afterwards.

    Steps of other requests are passed over; ``ignore`` lists step numbers that are not played at all.
    """
    recording = Recording(document)
    producers: dict[str, Any] = {}
    for step in document["steps"]:
        producers |= step["after"]["producers"]
        if step["api"] != "Produce" or step["n"] in ignore:
            continue
        got = recording.produce(step)
        for name, value in step["response"].items():
            if got.get(name) != value:
                return Failure(f"step {step['n']}: {name}", value, got.get(name))
        after = recording.after()
        expected = {**step["after"], "producers": producers}
        for name, value in after.items():
            if value != expected[name]:
                return Failure(f"step {step['n']} afterwards: {name}", expected[name], value)
    return None
