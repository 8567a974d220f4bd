"""Runs the cases about a group's offsets (schema ``group-txn-offsets-v1``) on the coordinator's own group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.client.thrown import ILLEGAL_STATE_EXCEPTION
from engine.coordinator.group_offsets import Group, Moved
from engine.messages import CommittedOffset
from engine.vectors.outcome import Failure, Skip, first_difference


def _offsets(operation: dict[str, Any]) -> dict[str, CommittedOffset]:
    return {name: CommittedOffset(offset=offset) for name, offset in operation["offsets"].items()}


def _prepare_transaction(group: Group, operation: dict[str, Any]) -> None:
    group.stage_pending(operation["pid"], _offsets(operation))


def _append_transaction(group: Group, operation: dict[str, Any]) -> None:
    group.place_pending(operation["pid"], _offsets(operation), operation["log_offset"])


def _fail_transaction(group: Group, operation: dict[str, Any]) -> None:
    group.fail_pending(operation["pid"], operation["partitions"])


def _marker(group: Group, operation: dict[str, Any]) -> list[Moved]:
    return group.end(operation["pid"], operation["type"] == "COMMIT")


def _prepare(group: Group, operation: dict[str, Any]) -> None:
    group.stage(_offsets(operation))


def _append(group: Group, operation: dict[str, Any]) -> None:
    for name, offset in _offsets(operation).items():
        group.placed(name, offset, operation["log_offset"])


def _fail(group: Group, operation: dict[str, Any]) -> None:
    named = operation.get("partitions")
    offsets = _offsets(operation) if named is None else {name: group.staged.get(name) for name in named}
    for name, offset in offsets.items():
        if offset is not None:
            group.failed(name, offset)


OPERATIONS: dict[str, Callable[[Group, dict[str, Any]], list[Moved] | None]] = {
    "prepare_txn": _prepare_transaction,
    "append_txn": _append_transaction,
    "fail_txn": _fail_transaction,
    "marker": _marker,
    "prepare": _prepare,
    "append": _append,
    "fail": _fail,
}


def _state(group: Group, partitions: list[str]) -> dict[str, Any]:
    return {
        "committed": {name: group.committed(name) for name in sorted(group.visible)},
        "pending_pids": sorted(group.pending),
        "unstable_partitions": [name for name in partitions if group.is_unstable(name)],
    }


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Run one case. Returns the first difference from Kafka in the result or the state after an operation, or None.
    The version makes no difference."""
    group = Group("g")
    partitions = sorted({name for operation in case["ops"] for name in operation.get("offsets", ())})
    for index, (operation, expected) in enumerate(zip(case["ops"], case["expected"], strict=True)):
        handler = OPERATIONS.get(operation["op"])
        if handler is None:
            raise Skip(f"the engine has no operation {operation['op']!r}")
        moves = handler(group, operation) or []
        result = ILLEGAL_STATE_EXCEPTION if any(moved.failed for moved in moves) else "OK"
        got = {"result": result, **_state(group, partitions)}
        failure = first_difference(f"op {index} {operation['op']}: ", expected, got)
        if failure is not None:
            return failure
    return None
