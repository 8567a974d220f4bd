"""What a real Kafka 4.1 broker answered, request by request, answered again by the engine's broker."""

from __future__ import annotations

import copy
import json

import pytest

from engine.broker import producer_state
from engine.messages import INT_MAX
from engine.profiles import K28
from engine.vectors import wire, wire_versions
from engine.vectors.outcome import Skip
from engine.vectors.run import run_files
from tests.engine.wire.recorded import LOGS, NAMES, recording

PLAYED = [
    (f"wire_tv{version}", name) for version in (0, 2) for name in NAMES if not version or "idem" in name
]


@pytest.mark.parametrize(("folder", "name"), PLAYED)
def test_every_answer_and_every_state_are_the_recorded_ones(folder, name):
    document = recording(folder, name)
    assert wire.play(document) == wire.Played(len(document["steps"]))


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
        played = wire.play(broken)
        failure = played.failure
        assert failure is not None, f"step {number}: {field}"
        assert (played.passed, played.at_step) == (number, True)
        assert failure.step.startswith(f"step {number} "), failure
        assert field in failure.step
        tried += 1
    assert tried >= 15


@pytest.mark.parametrize(
    "field", ["high_watermark", "last_stable_offset", "aborted_transactions", "records_len", "response_len"]
)
def test_a_wrong_last_fetch_fails(field):
    broken = recording("wire_tv0", "transaction_rules")
    broken["fetch"][1][field] = broken["fetch"][1][field][:1] if field.startswith("ab") else 1
    failure = wire.play(broken).failure
    assert failure is not None
    assert failure.step == f"fetch of 0 read_committed: {field}"


def test_without_verification_the_broker_takes_what_the_recorded_one_refused(monkeypatch):
    monkeypatch.setattr(wire, "RECORDED", K28)
    failure = wire.play(recording("wire_tv0", "transaction_rules")).failure
    assert failure is not None
    assert failure.step == "step 3 Produce: error_code"
    assert (failure.expected, failure.got) == (48, 0)


def test_a_refused_first_batch_holds_later_ones_back(monkeypatch):
    """Once the partition is added, a sequence above the lowest one seen is out of order (KIP-890)."""
    monkeypatch.setattr(
        producer_state.Awaited, "take", lambda self, *_: setattr(self, "lowest_sequence", INT_MAX)
    )
    failure = wire.play(recording("wire_tv0", "transaction_fuzz")).failure
    assert failure is not None
    assert (failure.expected, failure.got) == (45, 0), "the 2.8 broker takes it"


def test_two_differences_are_left():
    assert [found.name for found in wire_versions.DIFFERENCES] == [
        "first producer id",
        "partitions of internal topics",
    ]


def test_the_command_plays_recordings_beside_vectors():
    files = sorted((LOGS / "wire_tv0" / "wire").glob("*.json"))
    report = run_files((file.name, json.loads(file.read_text())) for file in files)
    assert sorted(report.passed) == sorted(f"wire_tv0/{name}" for name in NAMES)
    assert [name for name, _ in report.skipped] == ["api_versions.json"]
    assert list(report.lines())[-2:] == [
        "steps: 317 passed, 0 failed, 0 skipped",
        "4 passed, 0 failed, 1 skipped",
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
