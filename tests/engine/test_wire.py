"""What a real Kafka 4.1 broker responded is compared, request by request, with what the engine's broker responds."""

from __future__ import annotations

import copy
import json
import shutil
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import Neighbours
from engine.broker import producer_state
from engine.codec.crc32c import crc32c
from engine.errors import Error
from engine.messages import INT_MAX
from engine.profiles import K28, K39
from engine.vectors import wire
from engine.vectors.run import Report, run_file, run_files
from engine.vectors.wire import Played
from engine.vectors.wire_broker import STEP_MS, Recording
from engine.vectors.wire_versions import GIVEN, MARKER_TIME, OPEN, Generation, recorded
from engine.wire.wire_error import WireError
from tests.engine.narrowing import present
from tests.engine.wire.recorded import FOLDERS, LOGS, NAMES, recording

FOLDER = LOGS / "wire_tv0" / "wire"


def played(document: dict[str, Any], folder: Path = FOLDER) -> Played:
    """Play a recording with a broker of Kafka 4.1 at the recording's level of ``transaction.version``. ``folder``: has
    the recorded logs, which are compared after the last step."""
    return wire.play(document, recorded(document["transaction_version"]), Neighbours(folder))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_byte_and_every_state_are_the_recorded_ones(folder: str, name: str) -> None:
    document = recording(folder, name)
    result = played(document, LOGS / folder / "wire")
    assert (result.passed, result.failure, result.missing) == (len(document["steps"]), None, ())
    assert result.taken.keys() <= {MARKER_TIME.name}, "no other field of these recordings is open"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_list_of_requests_is_the_recorded_one(folder: str) -> None:
    document = json.loads((LOGS / folder / "wire" / "api_versions.json").read_text())
    assert played(document).failure is None
    document["api_versions"]["0"] = [0, 12]
    assert present(played(document).failure).step == "ApiVersions: api_versions"


def other(value: Any) -> Any:
    """Return another value of the same shape."""
    if isinstance(value, bool) or value is None:
        return "changed"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        return {name: other(found) for name, found in value.items()} or {"added": 1}
    return [other(found) for found in value] or ["added"]


def changed_steps(document: dict[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield one change for each kind of step and field, each in a copy of the document, with the number of its step."""
    seen = {("InitProducerId", "NONE", "response", "producer_id")}  # The first one is where ids start.
    for number, step in enumerate(document["steps"]):
        places = [("response", name) for name in step["response"]]
        places += [("after", name) for name, found in step["after"].items() if found]
        for place, name in places:
            kind = (step["api"], step["response"].get("error"), place, name)
            if kind not in seen:
                seen.add(kind)
                broken = copy.deepcopy(document)
                broken["steps"][number][place][name] = other(step[place][name])
                yield number, name, broken


@pytest.mark.parametrize("name", ["transaction_rules", "idempotent_sequences"])
def test_a_wrong_answer_or_state_fails_at_its_step(name: str) -> None:
    tried = 0
    for number, field, broken in changed_steps(recording("wire_tv0", name)):
        result = played(broken)
        failure = result.failure
        assert failure is not None, f"step {number}: {field}"
        assert (result.passed, result.at_step) == (number, True)
        assert failure.step.startswith(f"step {number} "), failure
        assert field in failure.step
        tried += 1
    assert tried >= 15


def test_each_byte_of_a_response_is_compared() -> None:
    """A changed byte makes the comparison fail, and the field is named; the correlation id is part of the header."""
    named = set()
    for step in (1, 3):
        document = recording("wire_tv0", "transaction_rules")
        data = bytes.fromhex(document["steps"][step]["response_hex"])
        for place in range(len(data)):
            broken = copy.deepcopy(document)
            changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            broken["steps"][step]["response_hex"] = changed.hex()
            try:
                result = played(broken)
            except WireError:
                continue
            if result.failure is None:
                assert set(result.taken) - {MARKER_TIME.name}, "only an open field may differ"
                named |= set(result.taken)
            else:
                assert result.passed == step
                named.add(result.failure.step.split(": ")[1])
    assert {"header.correlation_id", "error_code", "throttle_time"} <= named
    assert any("error_message" in found for found in named)


@pytest.mark.parametrize(
    "field",
    [
        *("high_watermark", "last_stable_offset", "aborted_transactions"),
        *("records_len", "records_sha256", "response_len"),
    ],
)
def test_a_wrong_last_fetch_fails(field: str) -> None:
    broken = recording("wire_tv0", "transaction_rules")
    broken["fetch"][1][field] = broken["fetch"][1][field][:1] if field.startswith("ab") else 1
    failure = played(broken).failure
    assert failure is not None
    assert failure.step == f"fetch of 0 read_committed: {field}"


def test_a_changed_byte_of_the_log_fails_at_its_batch(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "w-txn-public-0", tmp_path / "w-txn-public-0")
    log = tmp_path / "w-txn-public-0" / "00000000000000000000.log"
    data = bytearray(log.read_bytes())
    document = recording("wire_tv0", "transaction_rules")
    document["fetch"] = []
    log.write_bytes(data[:-1])
    assert present(played(document, tmp_path).failure).step.startswith("log of w-txn-public-0")
    data[52] ^= 1
    log.write_bytes(data)
    failure = played(document, tmp_path).failure
    assert present(failure).step == "log of w-txn-public-0: producer_epoch of the batch at 0"
    assert played(document, tmp_path / "w-txn-public-0").missing == ("w-txn-public-0", "w-txn-public-1")


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("txnindex", "aborted transactions of w-txn-public-0"),
        ("snapshot", "producers of w-txn-public-0 at the end"),
    ],
)
def test_a_changed_file_beside_the_log_fails(tmp_path: Path, kind: str, place: str) -> None:
    shutil.copytree(FOLDER / "w-txn-public-0", tmp_path / "w-txn-public-0")
    (file,) = (tmp_path / "w-txn-public-0").glob(f"*.{kind}")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    if kind == "snapshot":
        data[2:6] = struct.pack(">I", crc32c(bytes(data[6:])))
    file.write_bytes(data)
    failure = played(recording("wire_tv0", "transaction_rules"), tmp_path).failure
    assert failure is not None
    assert failure.step == place


def test_without_verification_the_broker_takes_what_the_recorded_one_refused() -> None:
    result = wire.play(
        recording("wire_tv0", "transaction_rules"), Generation(replace(K28, describes_transactions=True), 0)
    )
    assert present(result.failure).step == "step 3 Produce: error_code"
    assert (present(result.failure).expected, present(result.failure).got) == (48, 0)


def test_a_difference_of_another_version_is_named_by_its_row() -> None:
    document = recording("wire_tv0", "transaction_rules")
    older, first = Generation(replace(K39, verifies_partitions=False), 0), recorded(0)
    result = wire.play(document, older)
    assert "verifies_partitions" in wire.rows_of_difference(document, older, first, result)


def test_no_row_is_named_for_a_difference_that_only_a_file_beside_causes(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "w-txn-public-0", tmp_path / "w-txn-public-0")
    log = tmp_path / "w-txn-public-0" / "00000000000000000000.log"
    log.write_bytes(log.read_bytes()[:-1])
    document, beside = recording("wire_tv0", "transaction_rules") | {"fetch": []}, Neighbours(tmp_path)
    older, first = Generation(K39, 0), recorded(0)
    result = wire.play(document, older, beside)
    assert present(result.failure).step.startswith("log of w-txn-public-0")
    assert wire.rows_of_difference(document, older, first, result, beside) == ()


def test_a_level_that_no_version_knows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"transaction_version 3; Kafka 4\.1 knows 0 to 2"):
        played(recording("wire_tv0", "transaction_rules") | {"transaction_version": 3})


def test_a_refused_first_batch_holds_later_ones_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the partition has been added, a sequence above the lowest one seen is out of order (KIP-890)."""
    monkeypatch.setattr(
        producer_state.Awaited, "take", lambda self, *_: setattr(self, "lowest_sequence", INT_MAX)
    )
    failure = played(recording("wire_tv0", "transaction_fuzz")).failure
    assert failure is not None
    assert (failure.expected, failure.got) == (45, 0), "the 2.8 broker takes it"


def test_what_is_given_and_what_is_open_are_closed_lists() -> None:
    assert [found.name for found in GIVEN] == ["first producer id", "level of transaction.version"]
    assert [found.name for found in OPEN] == [
        "throttle_time",
        "log_append_time",
        "timestamp of a marker",
        "partition of __consumer_offsets",
    ]


def test_the_command_plays_recordings_beside_vectors() -> None:
    report = Report()
    for file in sorted(FOLDER.glob("*.json")):
        run_file(file.name, json.loads(file.read_text()), report, Neighbours(FOLDER))
    assert sorted(report.passed) == sorted(f"wire_tv0/{name}" for name in (*NAMES, "api_versions"))
    assert report.unplayed == []
    assert list(report.lines())[-4:] == [
        "OPEN partition of __consumer_offsets, a recording does not say how many partitions the topic has: "
        "taken 0 times",
        "also in 3.9 at transaction.version 0: 317 passed, 0 failed, 0 skipped",
        "steps: 317 passed, 0 failed, 0 skipped",
        "5 passed, 0 failed, 0 skipped",
    ]
    broken = recording("wire_tv0", "transaction_rules")
    broken["steps"][0]["response"]["producer_epoch"] = 7
    report = run_files([("broken.json", broken)])
    assert [case for case, _, _ in report.failures] == ["wire_tv0/transaction_rules"]
    assert report.to_json()["steps"] == {"passed": 0, "failed": 1, "skipped": 56}
    del broken["steps"][0]["after"]
    broken["steps"][0]["response"]["producer_epoch"] = 0
    with pytest.raises(ValueError, match=r"broken\.json: not a recording"):
        run_files([("broken.json", broken)])


def test_a_request_that_the_broker_keeps_for_a_while_is_waited_for() -> None:
    """The transaction is still completing: the leader asks again before it tells the producer to retry
    (KAFKA-18575).
    """
    document = recording("wire_tv2", "transaction_rules")
    player = Recording(document, recorded(2))
    steps = iter(document["steps"])
    for step in steps:
        player.ask(step)
        if step["api"] == "EndTxn" and step["response"]["error"] == "NONE":
            break
    metadata = present(player.broker.transactions).coordinator.metadata["w-t1-public"]
    metadata.state = "PrepareAbort"
    produce = next(step for step in steps if step["api"] == "Produce" and step["version"] == 12)
    before = player.now
    _, answer = player.ask(produce)
    (part,) = answer.partitions.values()
    assert part.error is Error.CONCURRENT_TRANSACTIONS
    assert player.now - before > STEP_MS
