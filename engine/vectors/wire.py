"""Sends the requests of a recording to a broker of the engine, and compares its answers with those of the real
broker that was recorded (``kafka-logs/*/wire``).

A recording is a list of requests as bytes, each with the broker's answer and the broker's state afterwards.
``engine.wire`` reads the bytes. A :class:`engine.broker.broker.Broker` answers (``wire_broker``); it leads
every partition and hosts both coordinators, as in a scenario.

After each step the player compares the response (as bytes, and in the recording's own form), the transactions, the
producers, and the offsets (high watermark and last stable offset). At the end it compares the records that a
consumer gets, the bytes of the log, its index of aborted transactions and its producer snapshot. ``wire_versions``
has the version that answers, and the fields that a recording does not determine.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.codec.producer_snapshot import decode_producer_snapshot
from engine.codec.transaction_index import decode_transaction_index
from engine.errors import EngineError, Error
from engine.messages import (
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnResponse,
    EndTxnResponse,
    FetchResponse,
    InitProducerIdResponse,
    OffsetFetchResponse,
    ProduceResponse,
    TxnOffsetCommitResponse,
)
from engine.topic_partition import topic_of, topic_partition
from engine.vectors.beside import NOTHING, Beside
from engine.vectors.outcome import Failure
from engine.vectors.wire_broker import Recording
from engine.vectors.wire_bytes import RecordedLog, compare_response
from engine.vectors.wire_versions import (
    OFFSETS_PARTITION,
    OPEN,
    Generation,
    Taken,
    differing_rows,
    others,
    recorded,
    with_row,
)
from engine.wire.broker_apis import LISTED, listed
from engine.wire.exchange import read_request, write_response
from engine.wire.message import decode_response
from engine.wire.records import KeptRecords

# The responses, in the form of the recording ------------------------------------------------------


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


def _error_alone(answer: AddOffsetsToTxnResponse) -> dict[str, Any]:
    return _coded(answer.error)


def _ended(answer: EndTxnResponse) -> dict[str, Any]:
    return {
        **_coded(answer.error),
        "producer_id": answer.producer_id,
        "producer_epoch": answer.producer_epoch,
    }


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
    EndTxnResponse: _ended,
    OffsetFetchResponse: _offsets,
}


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a recording: the number of steps that passed, and the first response or state that differs."""

    version: str
    """The version and level of the engine's broker that played it (``Generation.name``)."""
    steps: int
    passed: int
    failure: Failure | None = None
    at_step: bool = False
    """True when the failure is in a step; False when it is in the last fetches or the log, after all steps."""
    taken: Taken = field(default_factory=Counter)
    """Dict of open field → how often its value was taken from the recording."""
    missing: tuple[str, ...] = ()
    """The partitions whose bytes were not compared, because there is no recorded log of them."""
    rows: tuple[str, ...] = ()
    """If the version is not the recorded one: the names of the profile's fields that cause the failure."""


def play_all(document: dict[str, Any], beside: Beside = NOTHING) -> list[Played]:
    """Play a recording in the recorded version, then in other versions that support its level. For a failure
    in another version, ``rows`` names its causes."""
    level = document["transaction_version"]
    first = recorded(level)
    results = [play(document, first, beside)]
    for other in others(level):
        if "api_versions" in document and other.profile.name not in LISTED:
            continue
        played = play(document, other, beside)
        if played.failure is not None:
            played = replace(played, rows=rows_of_difference(document, other, first, played, beside))
        results.append(played)
    return results


def open_fields() -> list[tuple[str, str]]:
    """(name, reason) of each field that a recording does not determine."""
    return [(found.name, found.reason) for found in OPEN]


def play(document: dict[str, Any], generation: Generation, beside: Beside = NOTHING) -> Played:
    """Play every step of a recording, its last fetches and its logs, up to the first failure. Raises
    ValueError when bytes are not a request."""
    if "api_versions" in document:
        return _play_api_versions(document, generation)
    recording = Recording(document, generation)
    steps = len(document["steps"])
    taken: Taken = Counter()
    state = _State(recording, taken)
    for number, step in enumerate(document["steps"]):
        at = f"step {step['n']} {step['api']}"
        try:
            request, answer = recording.ask(step)
        except ValueError as error:
            raise ValueError(f"{at}: {error}") from error
        wanted = bytes.fromhex(step["response_hex"])
        failure = _compare(at, step["response"], ANSWERS[type(answer)](answer))
        if failure is None:
            failure = compare_response(at, request, recording.response(request, answer), wanted, taken)
        if failure is None:
            failure = state.compare(at, step["after"])
        if failure is not None:
            return Played(generation.name, steps, number, failure, at_step=True, taken=taken)
    logs = dict(_recorded_logs(recording.partitions, beside))
    failure = _read_back(recording, document.get("fetch", ()), logs, taken)
    if failure is None:
        failure = _compare_logs(recording, logs, beside, taken)
    missing = tuple(partition for partition in recording.partitions if partition not in logs)
    return Played(generation.name, steps, steps, failure, taken=taken, missing=missing)


def _play_api_versions(document: dict[str, Any], generation: Generation) -> Played:
    at, taken = "ApiVersions", Counter[str]()
    request = read_request(bytes.fromhex(document["request_hex"]), KeptRecords())
    answer = listed(generation.profile, generation.level, 0)
    wanted = {int(key): tuple(versions) for key, versions in document["api_versions"].items()}
    failure = _compare(at, {"api_versions": wanted}, {"api_versions": answer.versions})
    if failure is None:
        seen = write_response(request, answer, KeptRecords())
        failure = compare_response(at, request, seen, bytes.fromhex(document["response_hex"]), taken)
    return Played(generation.name, 0, 0, failure, taken=taken)


def rows_of_difference(
    document: dict[str, Any], other: Generation, first: Generation, played: Played, beside: Beside = NOTHING
) -> tuple[str, ...]:
    """The names of the profile's fields that cause the failure in another version, because their values
    differ from those of the recorded version."""
    found = []
    for row in differing_rows(other.profile, first.profile):
        changed = replace(other, profile=with_row(other.profile, row, first.profile))
        again = play(document, changed, beside)
        if again.failure is None or again.passed > played.passed:
            found.append(row)
    return tuple(found)


class _State:
    """The recorded broker's state; a step lists only its changes."""

    def __init__(self, recording: Recording, taken: Taken) -> None:
        self.recording = recording
        self.taken = taken
        self.transactions: dict[str, Any] = {}
        self.producers: dict[str, Any] = {}

    def compare(self, at: str, after: dict[str, Any]) -> Failure | None:
        self.transactions |= after.get("transactions", {})
        self.producers |= after["producers"]
        recording = self.recording
        seen = {
            "transactions": {
                name: self._with_open_partition(recording.transaction(name), found)
                for name, found in self.transactions.items()
            },
            "producers": recording.producers(),
            **recording.offsets(),
        }
        wanted = {"transactions": self.transactions, "producers": self.producers}
        wanted |= {name: after[name] for name in ("high_watermark", "last_stable_offset")}
        return _compare(f"{at}, afterwards", wanted, seen)

    def _with_open_partition(self, seen: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
        """The transaction, with the recorded partitions of ``__consumer_offsets`` in place of the engine's."""
        mine, theirs = (
            [name for name in found.get("partitions", ()) if topic_of(name) == OFFSETS_TOPIC]
            for found in (seen, wanted)
        )
        if mine == theirs or len(mine) != len(theirs):
            return seen
        self.taken[OFFSETS_PARTITION.name] += 1
        rest = [name for name in seen["partitions"] if name not in mine]
        return {**seen, "partitions": sorted(rest + theirs)}


def _compare(at: str, wanted: dict[str, Any], seen: dict[str, Any]) -> Failure | None:
    for name, value in wanted.items():
        if seen.get(name) != value:
            return Failure(f"{at}: {name}", value, seen.get(name))
    return None


def _recorded_logs(partitions: list[str], beside: Beside) -> Iterator[tuple[str, RecordedLog]]:
    for partition in partitions:
        names = [name for name in beside.names(partition) if name.endswith(".log")]
        segments = [beside.read(f"{partition}/{name}") or b"" for name in names]
        if segments:
            yield partition, RecordedLog(partition, segments)


def _compare_logs(
    recording: Recording, logs: dict[str, RecordedLog], beside: Beside, taken: Taken
) -> Failure | None:
    for partition, log in logs.items():
        stored = recording.broker.replicas[partition].log.batches
        failure = log.compare(stored, recording.kept.bytes_of, taken)
        failure = failure or _compare_index(recording, partition, beside)
        failure = failure or _compare_snapshot(recording, partition, beside)
        if failure is not None:
            return failure
    return None


def _compare_index(recording: Recording, partition: str, beside: Beside) -> Failure | None:
    wanted = [
        tuple(entry)
        for name in beside.names(partition)
        if name.endswith(".txnindex")
        for entry in decode_transaction_index(beside.read(f"{partition}/{name}") or b"")[0]
    ]
    lines = recording.broker.replicas[partition].log.aborted.lines
    seen = [(one.producer_id, one.first_offset, one.last_offset, one.last_stable_offset) for one in lines]
    return None if seen == wanted else Failure(f"aborted transactions of {partition}", wanted, seen)


def _compare_snapshot(recording: Recording, partition: str, beside: Beside) -> Failure | None:
    """Compare the producer snapshot that the broker wrote when it stopped, without times."""
    log = recording.broker.replicas[partition].log
    data = beside.read(f"{partition}/{log.log_end:020}.snapshot")
    if data is None:
        return None
    wanted = {
        found.producer_id: (
            found.producer_epoch,
            found.last_sequence,
            found.last_offset,
            found.coordinator_epoch,
            found.open_first_offset,
        )
        for found in decode_producer_snapshot(data)
    }
    seen = {
        producer_id: (
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_data_offset,
            entry.coordinator_epoch,
            -1 if entry.transaction_first_offset is None else entry.transaction_first_offset,
        )
        for producer_id, entry in log.producers.entries.items()
    }
    return None if seen == wanted else Failure(f"producers of {partition} at the end", wanted, seen)


def _read_back(
    recording: Recording, fetches: Any, logs: dict[str, RecordedLog], taken: Taken
) -> Failure | None:
    """Compare the response to each Fetch: offsets, list of aborted transactions, bytes."""
    for fetch in fetches:
        request, response = recording.ask(fetch)
        if not isinstance(response, FetchResponse):
            raise EngineError(f"a Fetch was answered with {response!r}")
        ((partition, answer),) = response.partitions.items()
        if partition in logs:
            clocked = tuple(logs[partition].clocked(batch) for batch in answer.batches)
            answer = replace(answer, batches=clocked)
            response = replace(response, partitions={partition: answer})
        data = recording.response(request, response)
        (topic,) = decode_response(data, request.key, request.version).payload.responses
        records = topic.partitions[0].records or b""
        aborted = [{"producer_id": found, "first_offset": first} for found, first in answer.aborted]
        seen = {
            "error": answer.error.name,
            "high_watermark": answer.high_watermark,
            "last_stable_offset": answer.last_stable_offset,
            "log_start_offset": answer.log_start_offset,
            "aborted_transactions": aborted if fetch["isolation_level"] == "read_committed" else None,
            "records_len": len(records),
            "response_len": len(data),
        }
        if partition in logs or not any(batch.is_control for batch in answer.batches):
            seen["records_sha256"] = hashlib.sha256(records).hexdigest()
        wanted = {name: fetch[name] for name in seen if name in fetch}
        failure = _compare(f"fetch of {fetch['partition']} {fetch['isolation_level']}", wanted, seen)
        if failure is not None:
            return failure
    return None
