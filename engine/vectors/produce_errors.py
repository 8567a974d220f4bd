"""Runs the cases of `produce_errors` with the transaction manager that scenarios use.

Three batches of t-0 with one record each (sequences 0, 1, 2) are in flight. One of them gets the error.
"""

from __future__ import annotations

from typing import Any

from engine.client import client_states as states
from engine.client.batch import Batch
from engine.client.configuration import resolve
from engine.client.control_requests import END, GROUP, PRIORITIES, TRANSACTION, PendingRequest
from engine.client.record_size import payload_size
from engine.client.transaction_manager import TransactionManager
from engine.explain.exceptions import exception_name
from engine.profile import Profile
from engine.profiles import K28
from engine.switches import Switches
from engine.vectors.exceptions import error_named
from engine.vectors.outcome import UNKNOWN, Failure, Outcome, Skip, first_difference
from engine.vectors.run import SNAPSHOT
from engine.vectors.snapshot_client import AT_SNAPSHOT
from engine.watching import Watch

_PROFILES = {K28.version: K28, SNAPSHOT: AT_SNAPSHOT}
PARTITION = "t-0"
PRODUCER_ID, PRODUCER_EPOCH = 13, 1
COORDINATOR = 1
LOG_START_OFFSET = 0
"""The log start in the response. It is above the last acknowledged offset, because nothing is acknowledged yet."""


def run(case: dict[str, Any], version: str) -> Outcome:
    """Run one case in one version. Returns the first difference from Kafka, or None."""
    expected = _outcome(case, version)
    given = case["input"]
    # "any" means that the value makes no difference: both values must give the expected outcome.
    for supports_bump in _ways(given["coordinator_supports_epoch_bump"], (True, False)):
        for batch in _ways(given["batch"], ("next_in_order", "later_in_flight")):
            failure = _run_once(_PROFILES[version], given, supports_bump, batch, expected)
            if failure is not None:
                return failure
    return None


def _ways(value: Any, both: tuple[Any, Any]) -> tuple[Any, ...]:
    return both if value == "any" else (value,)


def _outcome(case: dict[str, Any], version: str) -> dict[str, Any]:
    listed = [entry["outcome"] for entry in case["expected"] if version in entry["versions"]]
    if not listed:
        raise Skip(f"the case says nothing about Kafka {version}")
    if version not in _PROFILES:
        raise Skip(f"the engine has no profile for Kafka {version}")
    outcome: dict[str, Any] = listed[0]
    return outcome


def _run_once(
    profile: Profile, given: dict[str, Any], supports_bump: bool, which: str, expected: dict[str, Any]
) -> Outcome:
    manager, batches = _in_flight(profile, given["transactional"], supports_bump, given["completing"])
    batch = batches[0] if which == "next_in_order" else batches[1]
    error = error_named(given["error"])
    can_retry, _, _ = manager.can_retry(batch, error, LOG_START_OFFSET)
    where = f"{which}, coordinator {'can' if supports_bump else 'cannot'} bump"
    if can_retry != expected["can_retry"]:
        return Failure(f"{where}: can_retry", expected["can_retry"], can_retry)
    failure = _compare(f"{where}: after can_retry", manager, expected["after_can_retry"])
    if failure is not None or can_retry:
        return failure
    manager.failed(batch, error, adjust=True)
    failure = _compare(f"{where}: after failed batch", manager, expected["after_failed_batch"])
    if failure is not None:
        return failure
    next_sequence = manager.entry(PARTITION).next_sequence
    if next_sequence != expected["next_sequence"]:
        return Failure(f"{where}: next_sequence", expected["next_sequence"], next_sequence)
    return None


def _in_flight(
    profile: Profile, transactional: bool, supports_bump: bool, completing: bool
) -> tuple[TransactionManager, list[Batch]]:
    """A transaction manager with an identity, in the case's state, with three numbered batches in flight."""
    settings: dict[str, Any] = {"transactional_id": "tid"} if transactional else {"enable_idempotence": True}
    config = resolve(settings, profile, Switches())
    manager = TransactionManager("p1", config, profile, Switches(), Watch())
    manager.coordinator_supports_bump = supports_bump
    manager.transition(states.INIT if transactional else states.NEED_ID)
    manager.identity_received(PRODUCER_ID, PRODUCER_EPOCH)
    if transactional:
        manager.transition(states.BEGIN)
        manager.added_partitions[PARTITION] = None
        manager.coordinators[TRANSACTION] = COORDINATOR
    batches = []
    for serial in (1, 2, 3):
        batch = Batch(f"b{serial}", PARTITION, config.batch_size, 0, "p1", Watch())
        batch.try_append(serial, payload_size(3, 5), 0)
        manager.assign(batch)
        batch.drain(0)
        batches.append(batch)
    if completing:
        manager.transition(states.COMMIT)
        manager.enqueue(PendingRequest(END, None, PRIORITIES[END]))
    return manager, batches


def _compare(step: str, manager: TransactionManager, expected: dict[str, Any]) -> Outcome:
    got = {
        "state": manager.state,
        "last_error": None if manager.last_error is None else exception_name(manager.last_error),
        "pid": manager.producer_id,
        "epoch": manager.producer_epoch,
        "pending_requests": [request.api for request in manager.requests],
        "coordinator_known": manager.coordinators[TRANSACTION] is not None,
        "group_coordinator_known": manager.coordinators[GROUP] is not None,
        "epoch_bump_required": manager.bump_required,
        "new_partitions": list(manager.new_partitions),
        "pending_partitions": list(manager.pending_partitions),
        "partitions_in_txn": list(manager.added_partitions),
    }
    return first_difference(f"{step}: ", expected, got, missing=UNKNOWN)
