"""2.8 identifies the batches of a partition in flight only by their first sequence number
(``inflightBatchesBySequence``).
"""

from __future__ import annotations

import pytest

from engine.client.batch import Batch
from engine.client.in_flight_order import BY_BATCH, BY_NUMBER
from engine.client.partition_sequences import PartitionSequences
from engine.profile import Profile
from engine.profiles import K20, K28, K39, K41
from engine.vectors.sender import _Driver
from engine.watching import Watch


def late_failure_of_a_batch_that_is_over() -> _Driver:
    """Three batches are sent. The first expires and the second is refused, so the third gets number 0 of a new epoch.
    Then the failure of the first one arrives.
    """
    driver = _Driver(
        {"config": {"delivery_timeout_ms": 300, "request_timeout_ms": 10_000, "retry_backoff_ms": 0}}
    )
    send, run = {"op": "send", "partition": "t-0"}, {"op": "run"}
    refused = {"op": "respond", "error": "TOPIC_AUTHORIZATION_FAILED", "index": 1}
    late = {"op": "respond", "error": "NOT_LEADER_OR_FOLLOWER"}
    for operation in (send, run, {"op": "advance", "ms": 100}, send, run, send, run):
        driver.do(operation)
    for operation in ({"op": "advance", "ms": 210}, run, refused, run, late):
        driver.do(operation)
    return driver


def statuses(driver: _Driver) -> list[str]:
    return [future.get("error", future["status"]) for future in driver.state()["futures"]]


@pytest.mark.requirement("ORD-4")
def test_a_late_failure_stands_for_another_batch_that_has_its_number_now() -> None:
    driver = late_failure_of_a_batch_that_is_over()
    entry = driver.state()["partitions"]["t-0"]
    assert statuses(driver) == ["TimeoutException", "TopicAuthorizationException", "pending"]
    assert (driver.state()["epoch"], entry["next_sequence"]) == (1, 1)
    assert not driver.client.memory.transactions.tracks("t-0")  # type: ignore[union-attr]


@pytest.mark.requirement("ORD-2")
def test_a_batch_that_nothing_tracks_is_not_resent_and_expires() -> None:
    driver = late_failure_of_a_batch_that_is_over()
    driver.do({"op": "respond", "error": "NOT_LEADER_OR_FOLLOWER"})
    driver.do({"op": "run", "times": 3})
    assert driver.state()["in_flight"] == []
    assert statuses(driver)[-1] == "pending"
    driver.do({"op": "advance", "ms": 100})
    driver.do({"op": "run"})
    assert statuses(driver)[-1] == "TimeoutException"


@pytest.mark.requirement("ORD-4")
@pytest.mark.parametrize("profile", [K20, K28, K39, K41], ids=lambda profile: profile.name)
def test_other_versions_know_the_batch_itself(profile: Profile) -> None:
    entry = PartitionSequences(
        "t-0", "p1", Watch(), BY_NUMBER if profile.knows_batches_by_number else BY_BATCH
    )
    over, live = (Batch(f"b{number}", "t-0", 1_000, 0, "p1", Watch()) for number in (1, 2))
    over.set_identity(0, 0, 0, False)
    live.set_identity(0, 1, 0, False)
    entry.in_flight = [live]
    entry.untrack(over)
    assert entry.in_flight == ([] if profile is K28 else [live])
