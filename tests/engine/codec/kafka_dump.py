"""Parses the text that Kafka's own dump tool has printed for a segment."""

import re
from dataclasses import dataclass
from pathlib import Path

KAFKA_LOGS = Path(__file__).resolve().parents[2] / "oracles" / "kafka-logs"

_BATCH = re.compile(
    r"baseOffset: (?P<base_offset>\d+) lastOffset: (?P<last_offset>\d+) count: (?P<count>\d+)"
    r" baseSequence: (?P<base_sequence>-?\d+) lastSequence: (?P<last_sequence>-?\d+)"
    r" producerId: (?P<producer_id>-?\d+) producerEpoch: (?P<producer_epoch>-?\d+)"
    r" partitionLeaderEpoch: (?P<leader_epoch>-?\d+) isTransactional: (?P<transactional>true|false)"
    r" isControl: (?P<control>true|false) deleteHorizonMs: OptionalLong(?P<delete_horizon>\.empty|\[\d+\])"
    r" position: (?P<position>\d+) (?P<timestamp_type>CreateTime|LogAppendTime): (?P<max_timestamp>-?\d+)"
    r" size: (?P<size>\d+) magic: (?P<magic>\d) compresscodec: (?P<codec>\w+) crc: (?P<crc>\d+)"
    r" isvalid: (?P<valid>true|false)\n?"
)
_RECORD = re.compile(
    r"\| offset: (?P<offset>\d+) (?:CreateTime|LogAppendTime): (?P<timestamp>-?\d+)"
    r" keySize: (?P<key_size>-?\d+) valueSize: (?P<value_size>-?\d+) sequence: (?P<sequence>-?\d+)"
    r" headerKeys: \[(?P<header_keys>.*?)\](?P<rest>.*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class DumpedRecord:
    offset: int
    timestamp: int
    key_size: int
    value_size: int
    sequence: int
    header_keys: str
    """The keys of the headers, joined with commas."""
    rest: str
    """The rest of the dump's line: ` key: … payload: …`, or ` endTxnMarker: COMMIT coordinatorEpoch: 0`."""


@dataclass(frozen=True)
class DumpedBatch:
    header: dict[str, str]
    """Name of a field → its text in the dump."""
    records: tuple[DumpedRecord, ...]


def dumped_segments() -> list[Path]:
    """Return the paths of all segments that have a dump, sorted."""
    logs = sorted(KAFKA_LOGS.rglob("*.log"))
    return [log for log in logs if dump_of(log).exists()]


def dump_of(log: Path) -> Path:
    return log.with_name(log.name + ".dump.txt")


def parse_dump(log: Path) -> list[DumpedBatch]:
    """Return the batches of the dump that belongs to `log`. Fails on a line that it cannot parse."""
    text = dump_of(log).read_bytes().decode("utf-8")
    _, *blocks = re.split(r"^(?=baseOffset: )", text, flags=re.MULTILINE)
    batches = []
    for block in blocks:
        head, *lines = re.split(r"^(?=\| offset: )", block, flags=re.MULTILINE)
        match = _BATCH.fullmatch(head)
        assert match, f"{log}: {head!r}"
        batches.append(DumpedBatch(match.groupdict(), tuple(_record(log, line) for line in lines)))
    return batches


def _record(log: Path, line: str) -> DumpedRecord:
    match = _RECORD.fullmatch(line.removesuffix("\n"))
    assert match, f"{log}: {line!r}"
    fields = match.groupdict()
    numbers = {
        name: int(fields[name]) for name in ("offset", "timestamp", "key_size", "value_size", "sequence")
    }
    return DumpedRecord(header_keys=fields["header_keys"], rest=fields["rest"], **numbers)
