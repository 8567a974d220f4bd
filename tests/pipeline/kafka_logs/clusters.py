"""Makes log directories as a cluster with known clocks would write them; tests copy and cut them."""

import struct
from collections.abc import Sequence
from pathlib import Path

from engine.codec.control_record import ControlType
from engine.codec.crc32c import crc32c
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker
from engine.codec.transaction_log_record import TransactionStatus, encode_key
from eosviz.pipeline.kafka_logs.coordinator import partition_of

NOON = 1_795_392_000_000
"""Milliseconds since 1970; tests count all times from here."""
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
LOG = f"{0:020}.log"
PARTITIONS = 4
"""How many partitions `__transaction_state` has."""


def data(
    producer_id: int, epoch: int, at: int, records: int = 1
) -> tuple[int, int, int, int, ControlType | None]:
    """Return a row for a batch of a transaction; `at` is the timestamp that its client gives it."""
    return producer_id, epoch, at, records, None


def marker(
    producer_id: int, epoch: int, at: int, kind: ControlType = ControlType.COMMIT
) -> tuple[int, int, int, int, ControlType | None]:
    """Return a row for a marker; `at` is the time by the clock of the broker that leads the partition."""
    return producer_id, epoch, at, 1, kind


def log(rows: Sequence[tuple[int, int, int, int, ControlType | None]], first: int = 0) -> bytes:
    """Return the bytes of these batches, one after the other from offset `first` on."""
    offset, sequences = first, dict[tuple[int, int], int]()
    written = []
    for producer_id, epoch, at, records, kind in rows:
        if kind is not None:
            written.append(
                encode_marker(
                    kind, 0, producer_id=producer_id, producer_epoch=epoch, timestamp=at, base_offset=offset,
                    partition_leader_epoch=0,
                )
            )  # fmt: skip
        else:
            sequence = sequences.get((producer_id, epoch), 0)
            sequences[producer_id, epoch] = sequence + records
            written.append(
                encode_batch(
                    [Record(offset + number, at, b"k", b"v") for number in range(records)],
                    base_offset=offset,
                    partition_leader_epoch=0,
                    producer_id=producer_id,
                    producer_epoch=epoch,
                    base_sequence=sequence,
                    is_transactional=True,
                )
            )
        offset += records
    return b"".join(written)


def said(
    name: str,
    at: int,
    status: TransactionStatus,
    producer_id: int,
    epoch: int,
    *,
    start: int = -1,
    partitions: Sequence[tuple[str, int]] = (),
    version: int = 2,
) -> tuple[int, bytes, bytes]:
    """Return a record of the coordinator's log, with the transaction version of the client (KIP-890)."""
    groups: dict[str, list[int]] = {}
    for topic, number in partitions:
        groups.setdefault(topic, []).append(number)
    body = struct.pack(">hqhib", 1, producer_id, epoch, 15 * MINUTE, status)
    if status is TransactionStatus.EMPTY:
        body += b"\x00"
    else:
        body += bytes([len(groups) + 1])
        for topic, numbers in groups.items():
            body += bytes([len(topic) + 1]) + topic.encode() + bytes([len(numbers) + 1])
            body += struct.pack(f">{len(numbers)}i", *numbers) + b"\x00"
    body += struct.pack(">qq", at, start)
    body += b"\x01\x02\x02" + struct.pack(">h", version)
    return at, encode_key(name), body


def coordinator(home: Path, records: Sequence[tuple[int, bytes, bytes]], *, others_at: int) -> None:
    """Write all partitions of `__transaction_state`. The last record of each partition without a record in `records`
    has the timestamp `others_at`.
    """
    by_place: dict[str, list[tuple[int, bytes, bytes]]] = {}
    for number in range(10_000):
        # The record of an id without transactions shows how late the copy of its partition is.
        idle = f"idle-{number}"
        place = partition_of(idle, PARTITIONS)
        if place not in by_place:
            by_place[place] = [said(idle, others_at, TransactionStatus.EMPTY, 900 + number, 0)]
        if len(by_place) == PARTITIONS:
            break
    for one in reversed(records):
        name = one[1][4:].decode()
        by_place[partition_of(name, PARTITIONS)].insert(0, one)
    for place, rows in by_place.items():
        batches = (
            encode_batch([Record(offset, at, key, value)], base_offset=offset, partition_leader_epoch=0)
            for offset, (at, key, value) in enumerate(rows)
        )
        write(home / place / LOG, b"".join(batches))
        write(home / place / "leader-epoch-checkpoint", b"0\n1\n0 0\n")


def named(home: Path, cluster: str = "AAAAAAAAAAAAAAAAAAAAAA") -> Path:
    """Write the files that say to which cluster the log directory belongs and how many partitions
    `__transaction_state` has.
    """
    write(home / "meta.properties", f"version=1\ncluster.id={cluster}\n".encode())
    uuid = bytes(range(16))
    topic = b"__transaction_state"
    values = [b"\x01\x02\x00" + bytes([len(topic) + 1]) + topic + uuid + b"\x00"]
    values += [b"\x01\x03\x02" + number.to_bytes(4, "big") + uuid + bytes(20) for number in range(PARTITIONS)]
    records = [Record(offset, NOON, None, value) for offset, value in enumerate(values)]
    write(home / "__cluster_metadata-0" / LOG, encode_batch(records, base_offset=0, partition_leader_epoch=1))
    return home


def snapshot(entries: Sequence[ProducerEntry]) -> bytes:
    body = struct.pack(">i", len(entries)) + b"".join(struct.pack(">qhiqiqiq", *one) for one in entries)
    return struct.pack(">hI", 1, crc32c(body)) + body


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
