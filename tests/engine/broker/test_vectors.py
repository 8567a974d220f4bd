"""The engine against outcomes of Kafka's own code: partition logs, blocks of producer ids, sequence arithmetic,
recorded requests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest import ParameterSet

from engine.profiles import K39
from engine.vectors import pid_blocks, producer_state, read_committed, sequence_math
from engine.vectors.run import SNAPSHOT, versions_played
from tests.engine.kafka_cases import cases_of

ORACLES = Path(__file__).parents[2] / "oracles"
LOG_TOPICS = ("producer_state", "log_transactions", "log_recovery")


def cases(*topics: str) -> Iterator[ParameterSet]:
    for topic in topics:
        for case in cases_of(topic):
            for version in versions_played(case):
                yield pytest.param(case, version, id=f"{case['id']}-{version}")


@pytest.mark.parametrize(("case", "version"), cases(*LOG_TOPICS))
def test_partition_log(case: dict[str, Any], version: str) -> None:
    assert producer_state.run(case, version) is None


@pytest.mark.parametrize(("case", "version"), cases("read_committed"))
def test_what_consumers_hand_out(case: dict[str, Any], version: str) -> None:
    assert read_committed.run(case, version) is None


def test_a_wrong_offset_handed_out_fails() -> None:
    case = next(iter(cases("read_committed"))).values[0]
    broken = json.loads(json.dumps(case))
    broken["expected"]["read_committed"]["offsets"].append(10**6)
    failure = read_committed.run(broken, "2.8")
    assert failure is not None
    assert failure.step == "read_committed as given: offsets"


@pytest.mark.parametrize(("case", "version"), cases("pid_blocks"))
def test_producer_id_blocks(case: dict[str, Any], version: str) -> None:
    assert pid_blocks.run(case, version) is None


@pytest.mark.parametrize(("case", "version"), cases("sequence_math"))
def test_sequence_math(case: dict[str, Any], version: str) -> None:
    assert sequence_math.run(case, version) is None


def test_a_wrong_expectation_fails() -> None:
    """The runners compare: a case whose expectation was changed must not pass."""
    case = next(iter(cases("producer_state"))).values[0]
    broken = json.loads(json.dumps(case))
    broken["expected"][0]["results"][-1]["result"] = "NONSENSE"
    failure = producer_state.run(broken, "2.8")
    assert failure is not None
    assert failure.expected == "NONSENSE"


def test_a_wrong_state_fails() -> None:
    case = next(iter(cases("producer_state"))).values[0]
    broken = json.loads(json.dumps(case))
    broken["expected"][0]["results"][0]["state"]["leo"] += 1
    failure = producer_state.run(broken, "2.8")
    assert failure is not None
    assert failure.step.endswith("leo")


@pytest.mark.parametrize("verifies_each_epoch", [False, True])
def test_what_an_earlier_epoch_left_open_needs_no_verification_in_3_9(
    monkeypatch: pytest.MonkeyPatch, verifies_each_epoch: bool
) -> None:
    """In 3.9, ``UnifiedLog.hasOngoingTransaction`` checks only the producer id, not the epoch."""
    profile = replace(K39, verifies_each_epoch=verifies_each_epoch)
    monkeypatch.setitem(producer_state.PROFILE_OF, SNAPSHOT, profile)
    log = producer_state.LogCase({"verification": True}, SNAPSHOT)
    first = {"pid": 1, "epoch": 0, "seq": 0}
    assert log.do({"op": "start_verification", **first})["needs_verification"]
    assert log.do({"op": "append", **first, "txn": True, "verified": True})["result"] == "OK"
    later = {"pid": 1, "epoch": 1, "seq": 0}
    assert log.do({"op": "start_verification", **later})["needs_verification"] == verifies_each_epoch
    unverified = log.do({"op": "append", **later, "txn": True})["result"]
    assert unverified == ("INVALID_TXN_STATE" if verifies_each_epoch else "OK")
    assert log.log.last_stable_offset == 0
