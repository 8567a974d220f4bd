"""Repeats, in the profile ``k41``, actions that clients took on a real Kafka 4.1, and compares the results
with the recording.

The actions of a folder (``kafka-logs/*/phaseN.json``) become a scenario (``log_actions``). Compared are:
- which calls succeeded;
- at each view: log start, high watermark, last stable offset, and the key and value of each visible record;
- the records and markers of the recorded segments (offset, producer, epochs, sequence);
- the values of ``__transaction_state``;
- the values of ``__consumer_offsets``;
- the leader of a partition, wherever the recording names it;
- the tables that ``kafka-transactions.sh`` printed;
- the offset of each record in the response to its client.

:data:`OPEN` lists the values that the actions do not determine."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.broker.internal_topics import OFFSETS_TOPIC, TRANSACTION_TOPIC
from engine.broker.partition_log import PartitionLog
from engine.codec.batch_message import message_of
from engine.codec.consumer_offsets_record import OffsetKey, decode_key, decode_offset
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_log_record import TransactionLogValue
from engine.codec.transaction_log_record import decode_key as decode_transaction_key
from engine.codec.transaction_log_record import decode_value as decode_transaction_value
from engine.coordinator.transaction_log import LoggedTransaction
from engine.messages import NO_PRODUCER_ID, BatchContent, CommittedOffset, RecordBatch
from engine.scenario.document import Scenario, load
from engine.simulation import Simulation
from engine.topic_partition import topic_of, topic_partition
from engine.vectors.beside import Beside
from engine.vectors.log_actions import CallEnded, LeaderIs, Script, independent, read
from engine.vectors.log_tools import ToolRuns, compare_tables
from engine.vectors.outcome import Failure
from engine.vectors.wire_versions import OpenField, Taken

INTERNAL_PARTITIONS = 4
CALLS_OF_A_FENCED_PRODUCER = ("abort_transaction",)
"""The calls that the Java client allows after a leader fenced it, while librdkafka refuses them."""
LEVEL = re.compile(r"_transaction_version_(\d)")
PLAYED_IN = "k41"
NEWEST_LEVEL = 2
"""The level of ``transaction.version`` in a new cluster of Kafka 4.1."""
STEPS_MAX = 400_000
LOGS_ON_MS = 120_000
"""Virtual ms for which a log may still grow after the last view: a transaction timeout, and the time until the scan
that finds it."""

OPEN = (
    OpenField(
        "producer ids",
        "a real cluster assigns other ids; producers are matched by transactional id and order",
    ),
    OpenField(
        "batches",
        "when a client closes a batch depends on its clock; records are compared with their sequences",
    ),
    OpenField("clocks", "times of records, markers and values, and what a tool prints of them"),
    OpenField(
        "other folders",
        "a list of all transactional ids of the cluster includes those of other folders; only those of this folder are "
        "compared",
    ),
    OpenField(
        "partitions of internal topics",
        "the partition of a transactional id or a group depends on the topic's number of partitions",
    ),
    OpenField(
        "AddPartitionsToTxn",
        "how many partitions one request names depends on the client's clock; if the log has several values in state "
        "Ongoing for one transaction, the last is compared",
    ),
    OpenField(
        "leader epochs",
        "in the engine a topic exists from the start; leader epochs are compared relative to the first one",
    ),
    OpenField(
        "segments",
        "when a segment is rolled depends on the times of its records; the offset at which the cleaner stops is given",
    ),
    OpenField(
        "races of two clients",
        "a client's clock decides when a record is sent, and a marker is written after the call has returned; the "
        "offsets that clients received show which came first",
    ),
    OpenField("members of groups", "joining is not modelled; only the offsets of a group are compared"),
    OpenField(
        "abort of a fenced producer",
        "librdkafka ends a producer that is fenced at a leader; the Java client lets it abort",
    ),
    OpenField(
        "leaders",
        "with several brokers the actions name only the leader of the first partition; the other leaders, the "
        "coordinators and the epochs of both are open",
    ),
)
"""Everything that the actions of a folder do not determine."""


def open_fields() -> list[tuple[str, str]]:
    return [(found.name, found.reason) for found in OPEN]


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of one phase: how many comparisons of each kind were made, and the first difference."""

    failure: Failure | None
    counts: Taken = field(default_factory=Counter)
    """Dict of kind of comparison (records, markers, views, calls, values of internal topics, …) → its count."""
    missing: tuple[str, ...] = ()


def level_of(place: str) -> int:
    """The level of ``transaction.version`` in the cluster of a folder."""
    found = LEVEL.search(place)
    return int(found[1]) if found else NEWEST_LEVEL


def play(document: dict[str, Any], level: int, beside: Beside) -> Compared:
    """Play one phase of a folder, after the phases before it. Raises Skip for actions that the engine cannot make."""
    number = document["phase"]
    is_last = not any(_phase(later, beside) for later in range(number + 1, number + 3))
    counts: Taken = Counter()
    failure: Failure | None = None
    missing: list[str] = []
    for phases in independent([*_earlier(number, beside), document]):
        recorded = _Recorded(phases[-1], beside)
        missing += recorded.missing
        script = read(
            phases,
            recorded.restarts,
            continues=is_last and number == 1,
            last_segment=recorded.last_segment,
        )
        run = _Run(script, level, recorded, counts)
        failure = run.look(script.views[sum(len(phase["views"]) for phase in phases[:-1]) :])
        if failure is None:
            failure = run.compare_logs(is_last)
        if failure is not None:
            break
    return Compared(failure, counts, tuple(missing))


def _earlier(number: int, beside: Beside) -> Iterator[dict[str, Any]]:
    for earlier in range(1, number):
        found = _phase(earlier, beside)
        if found is not None:
            yield found


def _phase(number: int, beside: Beside) -> dict[str, Any] | None:
    data = beside.read(f"phase{number}.json")
    return None if data is None else json.loads(data)


# The recorded files -------------------------------------------------------------------------------

Row = tuple[int, str, str | None, int, int, int | None, int]
"""One record or marker: offset, kind, producer, epoch, sequence, coordinator epoch, leader epoch."""


class _Recorded:
    """The files that the brokers of a folder have written."""

    def __init__(self, document: dict[str, Any], beside: Beside) -> None:
        self.beside = beside
        self.partitions = sorted(document["views"][-1]["partitions"])
        self.is_cluster = any("replication.factor" in topic["config"] for topic in document["topics"])
        """Whether there were several brokers."""
        self.values: dict[str, list[tuple[int, TransactionLogValue]]] = {}
        """Dict of transactional id → the values of its records, each with the version of its bytes."""
        self.offsets: list[tuple[RecordBatch, list[tuple[OffsetKey, int]]]] = []
        self.leader_epochs = 1
        for name in beside.names("../_internal"):
            if name.startswith(f"{TRANSACTION_TOPIC}-"):
                self._read_transactions(f"../_internal/{name}")
            elif name.startswith(f"{OFFSETS_TOPIC}-"):
                self._read_offsets(f"../_internal/{name}")
        self.batches = {name: [message_of(row, 0) for row in self._rows(name)] for name in self.partitions}
        self.last_segment = max((self._last_segment(name) for name in self.partitions), default=0)
        self.missing = tuple(name for name, found in self.batches.items() if not found)
        self.owners = owners_of(
            (name, value.producer_id) for name, found in self.values.items() for _, value in found
        )

    @property
    def restarts(self) -> bool:
        """Whether the only broker was restarted between phases."""
        return self.leader_epochs > 1 and not self.is_cluster

    def _rows(self, folder: str) -> Iterator[BatchRow]:
        for name in self.beside.names(folder):
            if name.endswith(".log"):
                data = self.beside.read(f"{folder}/{name}") or b""
                for row in SegmentReader().rows(data):
                    if isinstance(row, BatchRow):
                        yield row

    def _last_segment(self, folder: str) -> int:
        names = [name for name in self.beside.names(folder) if name.endswith(".log")]
        return int(names[-1].partition(".")[0]) if names else 0

    def _read_transactions(self, folder: str) -> None:
        for row in self._rows(folder):
            for record in row.records:
                key = decode_transaction_key(record.key or b"")
                if record.value is not None:
                    version = int.from_bytes(record.value[:2], "big")
                    self.values.setdefault(key, []).append((version, decode_transaction_value(record.value)))
        epochs = (self.beside.read(f"{folder}/leader-epoch-checkpoint") or b"").split()
        self.leader_epochs = max(self.leader_epochs, int(epochs[1]) if len(epochs) > 1 else 1)

    def _read_offsets(self, folder: str) -> None:
        for row in self._rows(folder):
            found = []
            for record in row.records:
                if row.control is not None or record.value is None:
                    continue
                key = decode_key(record.key or b"")
                if isinstance(key, OffsetKey):
                    found.append((key, decode_offset(record.value).offset))
            if found or row.control is not None:
                self.offsets.append((message_of(row, 0), found))


def owners_of(seen: Iterable[tuple[str, int]]) -> dict[int, str]:
    """Dict of producer id → a name that is the same in the engine's and in the recorded log: the transactional id,
    and a number (``tx 2``)."""
    owners: dict[int, str] = {}
    counts: Counter[str] = Counter()
    for name, producer_id in seen:
        if producer_id not in owners:
            counts[name] += 1
            owners[producer_id] = f"{name} {counts[name]}"
    return owners


def rows_of(batches: Iterable[RecordBatch], owners: dict[int, str]) -> list[Row]:
    """The rows of a log, one for each record or marker, and one for each batch that the log cleaner emptied.
    Leader epochs are relative to the log's first one."""
    rows: list[Row] = []
    others: dict[int, str] = {}
    first_epoch: int | None = None
    for batch in batches:
        first_epoch = batch.leader_epoch if first_epoch is None else first_epoch
        owner = None
        if batch.producer_id != NO_PRODUCER_ID:
            owner = owners.get(batch.producer_id) or others.setdefault(
                batch.producer_id, f"idempotent {len(others) + 1}"
            )
        epoch = batch.leader_epoch - first_epoch
        if batch.is_control:
            kind = str(batch.control_type)
            rows.append(
                (batch.base_offset, kind, owner, batch.producer_epoch, -1, batch.coordinator_epoch, epoch)
            )
            continue
        kind = "transactional" if batch.is_transactional else "record"
        if not batch.record_count:
            # The log cleaner emptied this batch; it stays because it holds the sequence numbers of its
            # producer's newest batch.
            last = batch.last_sequence
            rows.append(
                (batch.last_offset, f"emptied {kind}", owner, batch.producer_epoch, last, None, epoch)
            )
            continue
        deltas = None if batch.content is None else batch.content.offset_deltas
        for delta in range(batch.last_offset_delta + 1) if deltas is None else deltas:
            sequence = -1 if batch.base_sequence < 0 else batch.base_sequence + delta
            rows.append((batch.base_offset + delta, kind, owner, batch.producer_epoch, sequence, None, epoch))
    return rows


ROW_FIELDS = ("offset", "kind", "producer", "epoch", "sequence", "coordinator epoch", "leader epoch")


def _due(check: CallEnded | LeaderIs | ToolRuns) -> int:
    return check.ended if isinstance(check, ToolRuns) else check.at


# The run --------------------------------------------------------------------------------------------


class _Run:
    """Runs the scenario of a folder, and makes the comparisons at their times."""

    def __init__(self, script: Script, level: int, recorded: _Recorded, counts: Taken) -> None:
        self.script = script
        self.level = level
        self.recorded = recorded
        self.counts = counts
        self.simulation = self._begun()
        self.checks = sorted(script.checks, key=_due)

    def _begun(self) -> Simulation:
        return Simulation(scenario_of(self.script, self.level))

    def look(self, views: list[tuple[int, dict[str, Any]]]) -> Failure | None:
        for at, view in views:
            failure = self._run_to(at)
            if failure is None:
                failure = self._compare_view(view)
            if failure is not None:
                return failure
        return self._run_to(self.script.now)

    def _run_to(self, until: int) -> Failure | None:
        while self.checks and _due(self.checks[0]) <= until:
            check = self.checks.pop(0)
            self.simulation.run(until=_due(check))
            failure = None
            if isinstance(check, CallEnded):
                failure = self._compare_call(check)
            elif isinstance(check, LeaderIs):
                failure = self._compare_leader(check)
            else:
                failure = self._compare_tool(check)
            if failure is not None:
                return failure
        self.simulation.run(until=until)
        return None

    def _compare_call(self, check: CallEnded) -> Failure | None:
        state = self.simulation.world.applications[f"app-{check.client}"].last_result
        self.counts["calls"] += 1
        if (state == "done") == check.ok or (state == "done" and check.call in CALLS_OF_A_FENCED_PRODUCER):
            return None
        return Failure(f"{check.call} of {check.client} at {check.at} ms: ended well", check.ok, state)

    def _compare_leader(self, check: LeaderIs) -> Failure | None:
        first = self.recorded.partitions[0]
        leader = self.simulation.world.controller.partitions[first].leader
        self.counts["leaders"] += 1
        return None if leader == check.broker else Failure(f"leader of {first}", check.broker, leader)

    def _compare_tool(self, ran: ToolRuns) -> Failure | None:
        owners = owners_of(
            (name, value.producer_id) for name, found in self._images().items() for value in found
        )
        shown = self.simulation.view()["tool"]
        equal, failure = compare_tables(ran, shown, self.recorded.owners, owners)
        self.counts["commands of kafka-transactions.sh"] += 1
        self.counts["rows that it printed"] += equal
        return failure

    def _log(self, partition: str) -> PartitionLog:
        log = self.simulation.world.leader_log(partition)
        if log is None:
            raise LookupError(f"{partition} has no leader")
        return log

    def _compare_view(self, view: dict[str, Any]) -> Failure | None:
        shown = self.simulation.view()
        for partition, wanted in view["partitions"].items():
            log = self._log(partition)
            place = f"{view['label']}: {partition}"
            seen = {
                "log_start": log.log_start,
                "high_watermark": log.high_watermark,
                "last_stable_offset": log.last_stable_offset,
                "read_uncommitted": delivered(shown, "uncommitted", partition, log),
                "read_committed": delivered(shown, "committed", partition, log),
            }
            expected = {
                **{name: wanted[name] for name in ("log_start", "high_watermark", "last_stable_offset")},
                "read_uncommitted": [record["offset"] for record in wanted["read_uncommitted"]],
                "read_committed": wanted["read_committed_offsets"],
            }
            self.counts["views"] += 1
            for name, value in expected.items():
                if seen[name] != value:
                    return Failure(f"{place}: {name}", value, seen[name])
            failure = self._compare_values(place, log, wanted["read_uncommitted"])
            if failure is not None:
                return failure
        return None

    def _compare_values(self, place: str, log: PartitionLog, records: list[dict[str, Any]]) -> Failure | None:
        """Compare each visible record with the action that sent it."""
        sent = {
            offset: self.script.sent[serial - 1]
            for batch in log.batches
            for offset, serial in zip(offsets_in(batch), batch.serials, strict=False)
        }
        for record in records:
            found = sent[record["offset"]]
            self.counts["records"] += 1
            if (found.key, found.value) != (record["key"], record["value"]):
                wanted = (record["key"], record["value"])
                return Failure(f"{place}: record at {record['offset']}", wanted, (found.key, found.value))
        return None

    # The content of the files ---------------------------------------------------------------------

    def compare_logs(self, is_last: bool) -> Failure | None:
        """Compare the offsets in responses, the logs, and the values of both internal topics. After every phase but
        the last, the engine's logs must be a prefix of the recorded files."""
        if is_last:
            self._run_on()
        images = self._images()
        owners = owners_of((name, value.producer_id) for name, found in images.items() for value in found)
        for partition in self.recorded.partitions:
            failure = self._compare_places(partition) or self._compare_log(partition, owners, is_last)
            if failure is not None:
                return failure
        for name, found in images.items():
            failure = self._compare_images(name, found, is_last)
            if failure is not None:
                return failure
        return self._compare_offsets(owners, is_last)

    def _run_on(self) -> None:
        """Run on until the logs are as long as the recorded ones, because a transaction may time out after the last
        view."""
        end = self.script.now + LOGS_ON_MS
        while self.simulation.now < end and any(
            self._log(name).log_end < found[-1].last_offset + 1
            for name, found in self.recorded.batches.items()
            if found and self.simulation.world.leader_log(name) is not None
        ):
            before = self.simulation.now
            if not self.simulation.run(steps=20) and self.simulation.now == before:
                return

    def _compare_places(self, partition: str) -> Failure | None:
        """Check that each stored record is at the offset in its response."""
        for batch in self._log(partition).batches:
            for offset, serial in zip(offsets_in(batch), batch.serials, strict=False):
                sent = self.script.sent[serial - 1]
                self.counts["offsets of clients"] += 1
                if (sent.partition, sent.offset) != (partition, offset):
                    wanted = f"{sent.partition} at {sent.offset}"
                    return Failure(f"record {serial} of the clients", wanted, f"{partition} at {offset}")
        return None

    def _compare_log(self, partition: str, owners: dict[int, str], is_last: bool) -> Failure | None:
        wanted = rows_of(self.recorded.batches[partition], self.recorded.owners)
        seen = rows_of(self._log(partition).batches, owners)
        if not wanted:
            return None
        for mine, theirs in zip(seen, wanted, strict=False):
            self.counts["markers" if theirs[5] is not None else "log records"] += 1
            for name, one, other in zip(ROW_FIELDS, mine, theirs, strict=True):
                if one != other and not self._is_open(name, partition):
                    return Failure(f"log of {partition} at {theirs[0]}: {name}", other, one)
        if len(seen) != len(wanted) and (is_last or len(seen) > len(wanted)):
            return Failure(f"log of {partition}: records and markers", len(wanted), len(seen))
        return None

    def _is_open(self, name: str, partition: str) -> bool:
        """Whether the actions do not determine this field of a partition's records."""
        if not self.recorded.is_cluster:
            return False
        return name == "coordinator epoch" or (
            name == "leader epoch" and partition != self.recorded.partitions[0]
        )

    def _images(self) -> dict[str, list[LoggedTransaction]]:
        found: dict[str, list[LoggedTransaction]] = {}
        for batch in self._internal(TRANSACTION_TOPIC):
            content = batch.content or BatchContent()
            for key, value in zip(content.keys, content.values, strict=True):
                if isinstance(value, LoggedTransaction):
                    found.setdefault(str(key), []).append(value)
        return found

    def _internal(self, topic: str) -> Iterator[RecordBatch]:
        for number in range(INTERNAL_PARTITIONS):
            log = self.simulation.world.leader_log(f"{topic}-{number}")
            if log is not None:
                yield from log.batches

    def _compare_images(self, name: str, found: list[LoggedTransaction], is_last: bool) -> Failure | None:
        owners = owners_of((name, value.producer_id) for value in found)
        theirs = self.recorded.values.get(name, [])
        wanted = last_of_each(
            [_recorded_image(version, value, self.recorded.owners) for version, value in theirs]
        )
        seen = last_of_each([_made_image(value, owners) for value in found])
        for number, (mine, other) in enumerate(zip(seen, wanted, strict=False)):
            self.counts["values of __transaction_state"] += 1
            if mine != other:
                return Failure(f"{TRANSACTION_TOPIC}: value {number} of {name}", other, mine)
        if len(seen) != len(wanted) and (is_last or len(seen) > len(wanted)):
            rest = (seen if len(seen) > len(wanted) else wanted)[min(len(seen), len(wanted))]
            return Failure(f"{TRANSACTION_TOPIC}: values of {name}, then {rest}", len(wanted), len(seen))
        return None

    def _compare_offsets(self, owners: dict[int, str], is_last: bool) -> Failure | None:
        wanted = [
            row
            for batch, offsets in self.recorded.offsets
            if (row := _offsets_row(batch, offsets, self.recorded.owners, self.script)) is not None
        ]
        seen = [
            row
            for batch in self._internal(OFFSETS_TOPIC)
            if (row := _offsets_row(batch, _committed(batch), owners, self.script)) is not None
        ]
        for number, (mine, other) in enumerate(zip(seen, wanted, strict=False)):
            self.counts["values of __consumer_offsets"] += 1
            if mine != other:
                return Failure(f"{OFFSETS_TOPIC}: batch {number}", other, mine)
        if len(seen) != len(wanted) and is_last:
            return Failure(f"{OFFSETS_TOPIC}: batches", len(wanted), len(seen))
        return None


def offsets_in(batch: RecordBatch) -> list[int]:
    deltas = None if batch.content is None else batch.content.offset_deltas
    return [batch.base_offset + delta for delta in (range(batch.record_count) if deltas is None else deltas)]


def delivered(view: dict[str, Any], consumer: str, partition: str, log: PartitionLog) -> list[int]:
    """The offsets that a consumer got and the log still has. A new consumer would get the same offsets."""
    stretches = view["consumers"][consumer]["lanes"][partition]["stretches"]
    there = {offset for batch in log.batches for offset in offsets_in(batch) if offset >= log.log_start}
    return [
        offset
        for first, last, fate in stretches
        if fate == "delivered"
        for offset in range(first, last + 1)
        if offset in there
    ]


def last_of_each(images: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The images in their order. Of successive images of one transaction in state Ongoing, only the last one
    is kept, because it has all partitions."""
    kept: list[tuple[Any, ...]] = []
    for image in images:
        if kept and image[0] == "Ongoing" == kept[-1][0] and image[1:3] == kept[-1][1:3]:
            kept[-1] = image
        else:
            kept.append(image)
    return kept


def _recorded_image(version: int, value: TransactionLogValue, owners: dict[int, str]) -> tuple[Any, ...]:
    partitions = sorted({_open_partition(f"{topic}-{number}") for topic, number in value.partitions})
    return (
        value.status.kafka_name,
        owners[value.producer_id],
        value.producer_epoch,
        value.timeout_ms,
        tuple(partitions),
        version,
        value.client_transaction_version,
    )


def _made_image(value: LoggedTransaction, owners: dict[int, str]) -> tuple[Any, ...]:
    return (
        value.state,
        owners[value.producer_id],
        value.producer_epoch,
        value.timeout_ms,
        tuple(sorted({_open_partition(name) for name in value.partitions})),
        value.value_version,
        value.client_version,
    )


def _open_partition(name: str) -> str:
    """The name of a partition; for a partition of ``__consumer_offsets`` only the topic."""
    return OFFSETS_TOPIC if topic_of(name) == OFFSETS_TOPIC else name


def _committed(batch: RecordBatch) -> list[tuple[OffsetKey, int]]:
    if batch.content is None:
        return []
    found = []
    for key, value in zip(batch.content.keys, batch.content.values, strict=True):
        if isinstance(value, CommittedOffset) and isinstance(key, tuple):
            group, partition = key
            topic, number = topic_partition(partition)
            found.append((OffsetKey(group, topic, number), value.offset))
    return found


def _offsets_row(
    batch: RecordBatch, offsets: list[tuple[OffsetKey, int]], owners: dict[int, str], script: Script
) -> tuple[Any, ...] | None:
    """A row for a commit or a marker in the offsets log; None for a batch that is not compared."""
    owner = owners.get(batch.producer_id)
    mine = {found["settings"].get("transactional_id") for found in script.producers.values()}
    if owner is None or owner.rpartition(" ")[0] not in mine or not (offsets or batch.is_control):
        return None
    committed = tuple(sorted((*key, offset) for key, offset in offsets))
    return (owner, batch.producer_epoch, batch.control_type, batch.coordinator_epoch, committed)


def scenario_of(script: Script, level: int) -> Scenario:
    """The scenario for the actions, with the versions of its brokers and clients and the level of
    ``transaction.version``."""
    scenario = load(_document_of(script))
    document = scenario.document
    document["profile"] = PLAYED_IN
    document["cluster"]["transaction_version"] = level
    for producer, row in zip(script.producers.values(), document["producers"], strict=True):
        row["profile"] = producer["profile"]
    return scenario


def _document_of(script: Script) -> dict[str, Any]:
    names = {producer: script.name(producer) for producer in script.producers}
    return {
        "id": "recorded",
        "title": {"en": "What real clients did", "zh-Hans": "真实客户端的操作"},
        "limits": {"steps": STEPS_MAX},
        "cluster": {
            "brokers": script.brokers,
            "latency_ms": 1,
            "broker": {
                "transaction_state_partitions": INTERNAL_PARTITIONS,
                "offsets_partitions": INTERNAL_PARTITIONS,
            },
        },
        "topics": [
            {
                "name": name,
                "partitions": found["partitions"],
                "replication": script.brokers,
                **({"leaders": [script.leader]} if script.leader else {}),
            }
            for name, found in script.topics.items()
        ],
        "producers": [
            {"name": names[producer], "settings": found["settings"]}
            for producer, found in script.producers.items()
        ],
        "consumers": [
            {"name": "committed", "isolation": "read_committed"},
            {"name": "uncommitted", "isolation": "read_uncommitted"},
        ],
        "applications": [
            {"name": f"app-{names[producer]}", "client": names[producer], "calls": calls}
            for producer, calls in script.calls.items()
        ],
        "faults": script.faults,
    }
