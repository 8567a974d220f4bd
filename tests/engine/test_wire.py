"""What a real Kafka 4.1 broker answered, request by request, answered again by the engine's broker."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from engine.codec.request_bytes import LAYOUTS, read_request
from engine.messages import INT_MAX
from engine.vectors import run_files, wire, wire_versions
from engine.vectors.outcome import Skip

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
NAMES = ("idempotent_sequences", "idempotent_fuzz", "transaction_rules", "transaction_fuzz")
PLAYED = [
    (f"wire_tv{version}", name) for version in (0, 2) for name in NAMES if not version or "idem" in name
]


def recording(folder, name):
    return json.loads((LOGS / folder / "wire" / f"{name}.json").read_text())


@pytest.mark.parametrize(("folder", "name"), PLAYED)
def test_every_answer_and_every_state_are_the_recorded_ones(folder, name):
    assert wire.play(recording(folder, name)) is None


@pytest.mark.parametrize("name", ["transaction_rules", "transaction_fuzz"])
def test_the_later_transaction_protocol_is_told_apart(name):
    with pytest.raises(Skip, match="transaction version 2"):
        wire.play(recording("wire_tv2", name))


def other(value):
    """The same value, changed."""
    if isinstance(value, bool) or value is None:
        return "changed"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        return {name: other(found) for name, found in value.items()} or {"added": 1}
    return [other(found) for found in value] or ["added"]


def changed_steps(document):
    """One change a kind of step and field, each in a copy of its own, with the number of its step."""
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
def test_a_wrong_answer_or_state_fails_at_its_step(name):
    tried = 0
    for number, field, broken in changed_steps(recording("wire_tv0", name)):
        failure = wire.play(broken)
        assert failure is not None, f"step {number}: {field}"
        assert failure.step.startswith(f"step {number} "), failure
        assert field in failure.step
        tried += 1
    assert tried >= 15


@pytest.mark.parametrize(
    "field", ["high_watermark", "last_stable_offset", "aborted_transactions", "records_len"]
)
def test_a_wrong_last_fetch_fails(field):
    broken = recording("wire_tv0", "transaction_rules")
    broken["fetch"][1][field] = broken["fetch"][1][field][:1] if field.startswith("ab") else 1
    failure = wire.play(broken)
    assert failure is not None
    assert failure.step == f"fetch of 0 read_committed: {field}"


def test_without_verification_the_broker_takes_what_the_recorded_one_refused(monkeypatch):
    monkeypatch.setattr(wire_versions.Verification, "refuses", lambda self, request: {})
    failure = wire.play(recording("wire_tv0", "transaction_rules"))
    assert failure is not None
    assert failure.step == "step 3 Produce: error_code"
    assert (failure.expected, failure.got) == (48, 0)


def test_a_refused_first_batch_holds_later_ones_back(monkeypatch):
    """Once the partition is added, a sequence above the lowest one seen is out of order (KIP-890)."""
    monkeypatch.setattr(
        wire_versions._Seen, "note", lambda self, epoch, _: setattr(self, "lowest_sequence", INT_MAX)
    )
    failure = wire.play(recording("wire_tv0", "transaction_fuzz"))
    assert failure is not None
    assert (failure.expected, failure.got) == (45, 0), "the 2.8 broker takes it"


FIELDS = {
    "transactional_id": "transactional_id",
    "transaction_timeout_ms": "transaction_timeout_ms",
    "producer_id": "producer_id",
    "producer_epoch": "producer_epoch",
    "committed": "committed",
    "group_id": "group_id",
    "require_stable": "require_stable",
}


@pytest.mark.parametrize("folder", ["wire_tv0", "wire_tv2"])
@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_read_as_they_were_written(folder, name):
    document = recording(folder, name)
    for step in document["steps"]:
        wire_request = read_request(bytes.fromhex(step["request_hex"]))
        assert (wire_request.api, wire_request.version) == (step["api"], step["version"])
        asked, body = step["request"], wire_request.body
        if step["api"] == "Produce":
            (((partition, batch),)) = body.batches.items()
            assert partition == f"{document['topic']}-{asked['partition']}"
            for field in ("producer_id", "producer_epoch", "base_sequence", "is_transactional"):
                assert getattr(batch, field) == asked[field], step["n"]
            assert batch.record_count == asked["count"]
            continue
        for field, attribute in FIELDS.items():
            if field in asked:
                assert getattr(body, attribute) == asked[field], (step["n"], field)
        if step["api"] == "AddPartitionsToTxn":
            assert body.partitions == tuple(f"{document['topic']}-{found}" for found in asked["partitions"])
        if step["api"] == "TxnOffsetCommit":
            offsets = {f"{document['topic']}-{number}": offset for number, offset in asked["offsets"]}
            assert {found: given.offset for found, given in body.offsets.items()} == offsets


def test_cut_or_lengthened_bytes_name_their_byte():
    document = recording("wire_tv0", "transaction_rules")
    kinds = {step["api"]: bytes.fromhex(step["request_hex"]) for step in document["steps"]}
    kinds["Fetch"] = bytes.fromhex(document["fetch"][0]["request_hex"])
    assert set(kinds) == {layout.name for layout in LAYOUTS.values()}
    for data in kinds.values():
        read_request(data)
        for end in range(len(data)):
            with pytest.raises(ValueError, match="byte"):
                read_request(data[:end])
        with pytest.raises(ValueError, match=f"byte {len(data)}: 1 more than"):
            read_request(data + b"\0")


def test_an_unknown_request_says_which_are_known():
    with pytest.raises(ValueError, match="byte 0: api 3 version 8 is not read; known are Produce 3 to 12"):
        read_request(bytes.fromhex("00030008" + "00" * 20))
    with pytest.raises(ValueError, match="byte 0: Produce version 2 is not read"):
        read_request(bytes.fromhex("00000002" + "00" * 20))


def test_the_command_plays_recordings_beside_vectors():
    files = sorted((LOGS / "wire_tv0" / "wire").glob("*.json"))
    report = run_files((file.name, json.loads(file.read_text())) for file in files)
    assert sorted(report.passed) == sorted(f"wire_tv0/{name}" for name in NAMES)
    assert [name for name, _ in report.skipped] == ["api_versions.json"]
    broken = recording("wire_tv0", "transaction_rules")
    broken["steps"][0]["response"]["producer_epoch"] = 7
    report = run_files([("broken.json", broken)])
    assert [case for case, _, _ in report.failures] == ["wire_tv0/transaction_rules"]
    del broken["steps"][0]["after"]
    broken["steps"][0]["response"]["producer_epoch"] = 0
    with pytest.raises(ValueError, match=r"broken\.json: not a recording"):
        run_files([("broken.json", broken)])
