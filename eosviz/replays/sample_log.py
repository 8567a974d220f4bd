"""A small log that visitors can open with one click: the files that Kafka's brokers would have after one run.

The run is SC-101 of the library on Kafka 2.8. In it, a write arrives after its transaction was aborted and
begins a transaction that nothing ends; the record of another producer waits behind it. Names, times and
records without a transaction are invented. Everything else comes from the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from engine.codec.control_record import ControlType, encode_control_key, encode_marker_value
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.transaction_log_record import (
    STATUS_BY_NAME,
    TransactionLogValue,
    encode_key,
    encode_value,
)
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.replays.log_options import LogOptions

Json = dict[str, Any]

SCENARIO, VARIANT = "SC-101", "k28"
TOPICS = {"t": "orders"}
TRANSACTIONAL_IDS = {"txn-1": "billing-3"}
BEGUN_MS = int(datetime(2026, 11, 20, 9, 12, tzinfo=UTC).timestamp() * 1000)
SLOWED = 1000
"""A millisecond of the run becomes this many milliseconds of the log, because in practice such a transaction
is noticed only after minutes."""
TIMEOUT_MS = 900_000
HOUR_MS = 3_600_000
SEGMENT = "00000000000000000000.log"
SAMPLE_OPTIONS = LogOptions(now=BEGUN_MS + 2 * HOUR_MS, one_cluster=True, copied_after=BEGUN_MS + HOUR_MS)
"""What the engineer on call states about the files."""


def sample_log() -> Iterator[tuple[str, bytes]]:
    """(path, content) of every file of the log."""
    simulation = Simulation(entry(SCENARIO).scenario(VARIANT), watching="bare")
    simulation.run()
    view = simulation.view()
    for name, partition in view["partitions"].items():
        replica = partition.get("replicas", {}).get(str(partition["leader"]))
        if replica is not None and replica.get("batches"):
            segment = b"".join(_bytes_of(batch) for batch in replica["batches"].values())
            yield f"{_renamed(name)}/{SEGMENT}", segment


def _renamed(partition: str) -> str:
    topic, _, number = partition.rpartition("-")
    return f"{TOPICS.get(topic, topic)}-{number}"


def _at(milliseconds: int) -> int:
    return BEGUN_MS + milliseconds * SLOWED if milliseconds >= 0 else -1


def _bytes_of(batch: Json) -> bytes:
    content = batch.get("content")
    at = _at(batch["appended_at"])
    offsets = range(batch["base_offset"], batch["last_offset"] + 1)
    control = batch["control"]
    if control is not None:
        value = encode_marker_value(batch["coordinator_epoch"])
        records = [Record(offset, at, encode_control_key(ControlType[control]), value) for offset in offsets]
    elif content is None:
        records = [Record(offset, at, f"order-{offset}".encode(), b'{"state":"paid"}') for offset in offsets]
    else:
        pairs = zip(offsets, content["keys"], content["values"], strict=True)
        records = [Record(offset, at, *_logged(key, value)) for offset, key, value in pairs]
    return encode_batch(
        records,
        base_offset=batch["base_offset"],
        partition_leader_epoch=batch["leader_epoch"],
        producer_id=batch["producer_id"],
        producer_epoch=batch["producer_epoch"],
        base_sequence=batch["first_sequence"],
        is_transactional=batch["transactional"],
        is_control=control is not None,
    )


def _logged(transactional_id: str, image: Json) -> tuple[bytes, bytes]:
    """The key and the value of a record of `__transaction_state`."""
    partitions = [_renamed(name).rpartition("-") for name in image["partitions"]]
    value = TransactionLogValue(
        producer_id=image["producer_id"],
        producer_epoch=image["producer_epoch"],
        timeout_ms=TIMEOUT_MS,
        status=STATUS_BY_NAME[image["state"]],
        partitions=tuple((topic, int(number)) for topic, _, number in partitions),
        last_update_ms=_at(image["last_update_ms"]),
        start_ms=_at(image["start_ms"]),
    )
    return encode_key(TRANSACTIONAL_IDS.get(transactional_id, transactional_id)), encode_value(value)
