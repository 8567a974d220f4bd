"""Runs the cases about the records that applications get (schema ``read-committed-v1``).

For each isolation level, up to three responses go through the consumer's own filter:

- the response in the case;
- the same response, after ``engine/codec`` has written its batches to bytes and read them back;
- the response of a partition log to which all batches of the case's partition were appended, also read back from
  bytes. It is left out if no log of Kafka could give the case's response (``_log_would_answer``).
"""

from __future__ import annotations

from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.client.reading import READ_COMMITTED, READ_UNCOMMITTED, take
from engine.codec.batch_message import bytes_of, read_back
from engine.errors import Error
from engine.messages import NO_PRODUCER_ID, NO_SEQUENCE, PartitionFetchResponse, RecordBatch
from engine.profiles import K41, PROFILES
from engine.switches import Switches
from engine.vectors.outcome import Failure
from engine.vectors.run import SNAPSHOT
from engine.watching import Watch

PROFILE_OF = {profile.version: profile for profile in PROFILES.values()} | {SNAPSHOT: K41}
BATCHES_MAX = 10_000


def _batch(described: dict[str, Any]) -> RecordBatch:
    """A batch of a case. The case has no sequence numbers; here they equal the offsets."""
    offset, producer_id, marker = described["offset"], described["pid"], described.get("marker")
    count = 1 if marker else described["n"]
    has_sequence = marker is None and producer_id != NO_PRODUCER_ID
    return RecordBatch(
        record_count=count,
        last_offset_delta=count - 1,
        producer_id=producer_id,
        producer_epoch=-1 if producer_id == NO_PRODUCER_ID else 0,
        base_sequence=offset if has_sequence else NO_SEQUENCE,
        last_sequence=offset + count - 1 if has_sequence else NO_SEQUENCE,
        is_transactional=marker is not None or described["txn"],
        is_control=marker is not None,
        control_type=marker,
        coordinator_epoch=-1 if marker is None else 0,
        base_offset=offset,
        leader_epoch=0,
    )


def _through_bytes(batches: list[RecordBatch]) -> list[RecordBatch]:
    return read_back(b"".join(bytes_of(batch) for batch in batches))


def _answer(batches: tuple[RecordBatch, ...], aborted: tuple[tuple[int, int], ...]) -> PartitionFetchResponse:
    return PartitionFetchResponse(error=Error.NONE, batches=batches, aborted=aborted)


def _from_log(
    batches: list[RecordBatch], fetch_offset: int, isolation: str, version: str
) -> PartitionFetchResponse:
    log = PartitionLog(
        "t-0",
        1,
        profile=PROFILE_OF[version],
        switches=Switches(),
        configuration=BrokerConfiguration(),
        watch=Watch(),
    )
    for batch in batches:
        log.append_as_follower([batch], 0)
    log.set_high_watermark(log.log_end)
    found, aborted = log.read(fetch_offset, committed=isolation == READ_COMMITTED, batches_max=BATCHES_MAX)
    return _answer(found, aborted)


def _log_would_answer(whole: list[RecordBatch], given: list[RecordBatch], case: dict[str, Any]) -> bool:
    """Whether a log could return the case's response. Three things are impossible for a log:
    - to leave out a batch from the fetch offset on;
    - to leave out an aborted transaction from the list;
    - to accept a batch outside transactions while its producer has an open transaction (LOG-6).
    """
    offset = case["fetch_offset"]
    if given != [batch for batch in whole if batch.last_offset >= offset]:
        return False
    began: dict[int, int] = {}
    aborted: set[tuple[int, int]] = set()
    for batch in whole:
        producer_id = batch.producer_id
        if batch.is_control:
            first = began.pop(producer_id, None)
            if batch.control_type == "ABORT" and first is not None and batch.base_offset >= offset:
                aborted.add((producer_id, first))
        elif batch.is_transactional:
            began.setdefault(producer_id, batch.base_offset)
        elif producer_id in began:
            return False
    return aborted <= {(producer_id, first) for producer_id, first in case["aborted_transactions"]}


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Run one case. Returns the first difference from Kafka in the offsets that the application gets or in the next
    fetch offset, or None."""
    given = case["input"]
    offset = given["fetch_offset"]
    batches = [_batch(described) for described in given["response_batches"]]
    whole = [_batch(described) for described in given.get("full_log", ())]
    aborted = tuple((producer_id, first) for producer_id, first in given["aborted_transactions"])
    asks_log = _log_would_answer(whole, batches, given)
    for isolation in (READ_COMMITTED, READ_UNCOMMITTED):
        listed = aborted if isolation == READ_COMMITTED else ()
        answers = {
            "as given": _answer(tuple(batches), listed),
            "through bytes": _answer(tuple(_through_bytes(batches)), listed),
        }
        if asks_log:
            answers["from a log of bytes"] = _from_log(_through_bytes(whole), offset, isolation, version)
        for way, answer in answers.items():
            taken = take(answer, isolation, offset)
            got = {"offsets": taken.offsets, "next_fetch_offset": taken.position}
            expected = case["expected"][isolation]
            for name, value in expected.items():
                if got[name] != value:
                    return Failure(f"{isolation} {way}: {name}", value, got[name])
    return None
