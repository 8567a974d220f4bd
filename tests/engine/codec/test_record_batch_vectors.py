"""Kafka's vectors for record batches and transaction log records, run through the codec."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.vectors import run
from engine.vectors.outcome import Failure, Skip

VECTORS = Path(__file__).resolve().parents[2] / "oracles" / "vectors"
COUNTS = {"record_batch": 13, "txn_log_record": 5}


def cases(topic: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{topic}.json").read_text(encoding="utf-8"))[
        "vectors"
    ]
    return found


ALL = [(case, version) for topic in COUNTS for case in cases(topic) for version in case["versions"]]


@pytest.mark.parametrize(("case", "version"), ALL, ids=[f"{case['id']} {version}" for case, version in ALL])
def test_case_holds(case: dict[str, Any], version: str) -> None:
    assert run(case, version) is None


@pytest.mark.parametrize("topic", COUNTS)
def test_no_case_is_missing(topic: str) -> None:
    assert len(cases(topic)) == COUNTS[topic]


def changed(value: object) -> object:
    """Return another value of the same type; for bytes in hexadecimal, the last bit is flipped."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    assert isinstance(value, str)
    return f"{int(value, 16) ^ 1:0{len(value)}x}" if set(value) <= set("0123456789abcdef") else value + "x"


@pytest.mark.parametrize("topic", COUNTS)
def test_every_expected_field_is_compared(topic: str) -> None:
    for case in cases(topic):
        for field, value in case["expected"].items():
            other = {**case, "expected": {**case["expected"], field: changed(value)}}
            assert isinstance(run(other, "2.8"), Failure), f"{case['id']}: {field} is not compared"


def test_a_batch_with_the_time_of_the_append_is_compared_as_a_reader_sees_it() -> None:
    records = [Record(5, 10, b"k", b"v"), Record(6, 12, None, b"w")]
    data = encode_batch(records, base_offset=5, append_timestamp=99)
    (case,) = [case for case in cases("record_batch") if case["id"] == "record_batch/batch_1"]
    given = {
        **case["input"],
        "records": [
            {"timestamp": 10, "key": "k", "value": "v"},
            {"timestamp": 12, "key": None, "value": "w"},
        ],
        "base_offset": 5,
        "timestamp_type": "LogAppendTime",
    }
    expected = {"hex": data.hex(), "max_timestamp": 99, "count": 2, "last_offset": 6}
    assert run({**case, "input": given, "expected": expected}, "2.8") is None
    expected["max_timestamp"] = 98
    assert isinstance(run({**case, "input": given, "expected": expected}, "2.8"), Failure)


def test_another_topic_is_skipped_with_its_reason() -> None:
    with pytest.raises(Skip, match="pid_blocks"):
        run({"id": "pid_blocks/1", "topic": "pid_blocks"}, "2.8")
