"""Runs the cases about one partition log (schema ``log-scenario-v1``) on the brokers' own log.

The module runs the topics ``producer_state``, ``log_transactions`` and ``log_recovery``. Each operation is a call on
:class:`engine.broker.partition_log.PartitionLog`, and each result consists of the log's answer and state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.broker.appended import Appended
from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.broker.sequence import increment
from engine.broker.validation import Origin
from engine.broker.verification import unguarded
from engine.codec.batch_message import bytes_of, read_back
from engine.errors import Error
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, RecordBatch
from engine.profiles import K41, PROFILES
from engine.switches import Switches
from engine.vectors.outcome import Failure, Skip, first_difference
from engine.vectors.run import SNAPSHOT, expected_for
from engine.watching import Watch

PARTITION = "t-0"
BATCHES_MAX = 10_000
EXPIRATION_MS = 3_600_000
"""The expiration time of idle producers in ms, for cases that do not set it."""
PROFILE_OF = {profile.version: profile for profile in PROFILES.values()} | {SNAPSHOT: K41}

HEADER_BYTES = 61
RECORD_BYTES = 8
MARKER_BYTES = 78
"""The sizes in bytes that the cases assume for a batch's header, for a record without a key and with one byte of
value, and for a whole marker."""


class LogCase:
    """One log and its clock, which carry out the operations of a case. ``through_bytes``: whether
    ``engine/codec`` writes every batch to bytes and reads it back."""

    def __init__(self, config: dict[str, Any], version: str, through_bytes: bool = False) -> None:
        self.clock = 0
        self.verifies = bool(config.get("verification"))
        self.guards: dict[int, int] = {}
        """Dict of producer id → the guard that its verified batches carry (Kafka's ``VerificationGuard``)."""
        self.version = version
        self.through_bytes = through_bytes
        self.auto_high_watermark = bool(config.get("auto_hw"))
        self.log = PartitionLog(
            PARTITION,
            1,
            profile=PROFILE_OF[version],
            switches=Switches(),
            configuration=BrokerConfiguration(
                producer_state_expiration_ms=config.get("producer_id_expiration_ms", EXPIRATION_MS),
                segment_bytes=config.get("segment_bytes"),
            ),
            watch=Watch(),
        )

    def do(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Carry out one operation. Returns ``result`` and the other fields of the answer."""
        handler = OPERATIONS.get(operation["op"])
        if handler is None:
            raise Skip(f"the engine has no operation {operation['op']!r}")
        answer = handler(self, operation)
        if self.auto_high_watermark and self.log.high_watermark != self.log.log_end:
            # An unchanged high watermark is not set: setting it would report it to the log's transactions,
            # and after a truncation only 2.8 does that (LOG-8).
            self.log.set_high_watermark(self.log.log_end)
        return answer

    def append(self, operation: dict[str, Any]) -> dict[str, Any]:
        described = operation.get("batches", [operation])
        batches = []
        offset = operation.get("base_offset", self.log.log_end)
        for batch in described:
            offset = batch.get("base_offset", offset)
            batches.append(self._data_batch(batch, offset))
            offset += batch.get("n", 1)
        if self.verifies:
            refused = self._unguarded(operation, batches[0])
            if refused is not None:
                return {"result": refused.name}
        return self._appended(batches, operation.get("origin", "client"))

    def start_verification(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Carry out an operation in which a batch arrives that may be the first of a transaction. If the
        batch has to be verified, the log keeps a guard for the append."""
        producer_id, sequence, epoch = operation["pid"], operation["seq"], operation["epoch"]
        producers = self.log.producers
        needs = not producers.is_open(producer_id, epoch)
        if needs:
            given = len(self.guards) + 1
            self.guards[producer_id] = producers.begin_waiting(
                producer_id, sequence, epoch, given, self.clock
            )
        return {"result": "OK", "needs_verification": needs}

    def _unguarded(self, operation: dict[str, Any], batch: RecordBatch) -> Error | None:
        guard = self.guards.get(batch.producer_id) if operation.get("verified") else None
        found = unguarded(self.log.producers, batch, guard)
        return None if found is None else found[0]

    def marker(self, operation: dict[str, Any]) -> dict[str, Any]:
        batch = RecordBatch(
            record_count=1,
            last_offset_delta=0,
            producer_id=operation["pid"],
            producer_epoch=operation["epoch"],
            is_transactional=True,
            is_control=True,
            control_type=operation["type"],
            coordinator_epoch=operation["coordinator_epoch"],
            max_timestamp=self.clock,
            size=MARKER_BYTES,
            base_offset=operation.get("base_offset", -1),
        )
        return self._appended([batch], operation.get("origin", "coordinator"))

    def _data_batch(self, batch: dict[str, Any], offset: int) -> RecordBatch:
        count = batch.get("n", 1)
        producer_id = batch.get("pid", NO_PRODUCER_ID)
        has_producer = producer_id != NO_PRODUCER_ID
        epoch, sequence = batch.get("epoch", NO_PRODUCER_EPOCH), batch.get("seq", NO_SEQUENCE)
        return RecordBatch(
            record_count=count,
            last_offset_delta=count - 1,
            producer_id=producer_id,
            producer_epoch=epoch if has_producer else NO_PRODUCER_EPOCH,
            base_sequence=sequence if has_producer else NO_SEQUENCE,
            last_sequence=increment(sequence, count - 1) if has_producer else NO_SEQUENCE,
            is_transactional=batch.get("txn", False),
            max_timestamp=batch.get("ts", self.clock),
            size=HEADER_BYTES + count * RECORD_BYTES,
            base_offset=offset,
        )

    def _appended(self, batches: list[RecordBatch], who: str) -> dict[str, Any]:
        origin = Origin(who)
        if self.through_bytes:
            batches = [self._reread(batch) for batch in batches]
        if origin is Origin.REPLICATION:
            appended = self.log.append_as_follower(batches, self.clock)
        else:
            appended = self.log.append_as_leader(batches, self.clock, leader_epoch=0, origin=origin)
        return _answer(appended)

    def _reread(self, batch: RecordBatch) -> RecordBatch:
        """The batch read back from its own bytes."""
        placed = replace(
            batch, base_offset=max(batch.base_offset, 0), leader_epoch=max(batch.leader_epoch, 0)
        )
        (found,) = read_back(bytes_of(placed))
        return replace(found, base_offset=batch.base_offset)

    def raise_high_watermark(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.log.set_high_watermark(operation["offset"])
        return {"result": "OK"}

    def tick(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.clock += operation["ms"]
        self.log.expire_producers(self.clock)
        return {"result": "OK"}

    def sleep(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.clock += operation["ms"]
        return {"result": "OK"}

    def truncate(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.log.truncate(operation["to"], self.clock)
        return {"result": "OK"}

    def delete_records(self, operation: dict[str, Any]) -> dict[str, Any]:
        if operation["to"] > self.log.high_watermark:
            return {"result": Error.OFFSET_OUT_OF_RANGE.name}
        self.log.raise_log_start(operation["to"])
        return {"result": "OK"}

    def roll(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.log.roll()
        return {"result": "OK"}

    def reopen(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Close the log, with a snapshot, and open it without its broker's checkpoints. 2.0 recovers every
        segment, because a case has no file that notes a clean stop."""
        self.log.close(clean=True)
        self.log.reopen(self.clock, clean=self.version != "2.0", recovery_point=0, log_start=0)
        return {"result": "OK"}

    def read(self, operation: dict[str, Any]) -> dict[str, Any]:
        if not self.log.log_start <= operation["from"] <= self.log.log_end:
            return {"result": Error.OFFSET_OUT_OF_RANGE.name}
        committed = operation["isolation"] == "read_committed"
        batches, aborted = self.log.read(
            operation["from"],
            committed=committed,
            batches_max=BATCHES_MAX,
            bytes_max=operation.get("max_bytes"),
        )
        if self.through_bytes:
            batches = tuple(read_back(b"".join(bytes_of(batch) for batch in batches)))
        return {
            "result": "OK",
            "batches": [
                {
                    "base_offset": batch.base_offset,
                    "last_offset": batch.last_offset,
                    "pid": batch.producer_id,
                    "control": batch.is_control,
                    "txn": batch.is_transactional,
                }
                for batch in batches
            ],
            "aborted_transactions": [list(pair) for pair in aborted] if committed else None,
        }

    def state(self) -> dict[str, Any]:
        """The log's state, in the form of the cases."""
        log = self.log
        return {
            "leo": log.log_end,
            "hw": log.high_watermark,
            "lso": log.last_stable_offset,
            "log_start": log.log_start,
            "producers": [
                {
                    "pid": producer_id,
                    "epoch": entry.producer_epoch,
                    "coordinator_epoch": entry.coordinator_epoch,
                    "txn_first_offset": entry.transaction_first_offset,
                    "batches": [
                        [
                            batch.first_sequence,
                            batch.last_sequence,
                            batch.first_offset,
                            batch.last_offset,
                            batch.timestamp,
                        ]
                        for batch in entry.batches
                    ],
                }
                for producer_id, entry in sorted(log.producers.entries.items())
            ],
            "aborted_index": [list(line) for line in log.aborted.lines],
        }


def _answer(appended: Appended) -> dict[str, Any]:
    if appended.error is not Error.NONE:
        return {"result": appended.error.name}
    return {
        "result": "DUPLICATE" if appended.is_duplicate else "OK",
        "first_offset": appended.base_offset,
        "last_offset": appended.last_offset,
    }


OPERATIONS: dict[str, Callable[[LogCase, dict[str, Any]], dict[str, Any]]] = {
    "append": LogCase.append,
    "start_verification": LogCase.start_verification,
    "marker": LogCase.marker,
    "hw": LogCase.raise_high_watermark,
    "tick": LogCase.tick,
    "sleep": LogCase.sleep,
    "truncate": LogCase.truncate,
    "delete_records": LogCase.delete_records,
    "roll": LogCase.roll,
    "reopen": LogCase.reopen,
    "read": LogCase.read,
}


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Run one case in one version. Returns the first result or state that differs from Kafka's, or None.

    A case of ``log_transactions`` runs a second time with every batch as bytes.
    """
    failure = _run(LogCase(case.get("config", {}), version), case, version)
    if failure is None and case["topic"] == "log_transactions":
        failure = _run(LogCase(case.get("config", {}), version, through_bytes=True), case, version)
    return failure


def _run(log_case: LogCase, case: dict[str, Any], version: str) -> Failure | None:
    results = expected_for(case, version)["results"]
    known: dict[str, Any] | None = None
    for index, (operation, expected) in enumerate(zip(case["ops"], results, strict=True)):
        got = log_case.do(operation)
        known = expected.get("state", known)
        result = {name: value for name, value in expected.items() if name != "state"}
        for wanted, found in ((result, got), (known or {}, log_case.state())):
            failure = first_difference(f"op {index} {operation['op']}: ", wanted, found)
            if failure is not None:
                return failure
    return None
