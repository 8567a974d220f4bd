"""Runs the cases of `accumulator` with the producer's own accumulator.

A case lists times, record sizes, leaders and operations. Its expected results, which come from Kafka, are compared
field by field. Only the case moves the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.client.accumulator import RecordAccumulator
from engine.client.application import Call
from engine.client.batch import Batch
from engine.client.configuration import resolve
from engine.client.record_size import payload_size
from engine.messages import INT_MAX
from engine.profile import Profile
from engine.profiles import PROFILES
from engine.switches import Switches
from engine.vectors.outcome import UNKNOWN, Failure, Outcome, Skip, first_difference
from engine.watching import Watch

VERSIONS = {"2.0": "k20", "2.8": "k28"}
REQUEST_TIMEOUT_MS = 30_000
"""The default of ``request.timeout.ms``, after which Kafka 2.0 lets batches expire. The cases never change it."""
DEFAULTS = {
    "batch_size": 1086,
    "linger_ms": 0,
    "retry_backoff_ms": 100,
    "delivery_timeout_ms": 3200,
    "buffer_memory": 1_048_576,
}
"""Settings that apply if a case leaves them out; they are those of Kafka's own accumulator tests."""
KEY_BYTES, VALUE_BYTES = 3, 5
_NO_MEMORY = {"2.0": "TimeoutException", "2.8": "BufferExhaustedException"}
"""Dict of version → the exception of ``send()`` when no memory is free in time."""


def run(case: dict[str, Any], version: str) -> Outcome:
    """Run one case in one version. Returns the first difference from Kafka, or None. Raises Skip if the engine does not
    have the version."""
    if version not in VERSIONS:
        raise Skip(f"the engine has no profile for Kafka {version}")
    driver = _Driver(case, PROFILES[VERSIONS[version]])
    expected = _results(case, version)
    for number, (operation, wanted) in enumerate(zip(case["ops"], expected, strict=True)):
        got = driver.do(operation)
        if "exception" in got:
            got["exception"] = _NO_MEMORY[version]
        # Kafka returns sets here, whose order has no meaning.
        sets = {
            name: sorted(wanted[name]) for name in ("ready_nodes", "unknown_leader_topics") if name in wanted
        }
        failure = first_difference(
            f"op {number} {operation['op']}: ", {**wanted, **sets}, got, missing=UNKNOWN
        )
        if failure is not None:
            return failure
        if "exception" in got and "exception" not in wanted:
            return Failure(f"op {number} {operation['op']}: exception", None, got["exception"])
    return None


def _results(case: dict[str, Any], version: str) -> list[Any]:
    for entry in case["expected"]:
        if version in entry["versions"]:
            return list(entry["results"])
    raise Skip(f"the case says nothing about Kafka {version}")


class _Driver:
    """One accumulator under a clock that the case moves."""

    def __init__(self, case: dict[str, Any], profile: Profile) -> None:
        config = case.get("config", {})
        given = {name: config.get(name, default) for name, default in DEFAULTS.items()}
        expiry = given["delivery_timeout_ms"] if profile.expiry_from_creation else REQUEST_TIMEOUT_MS
        settings = resolve(
            {
                "batch_size": given["batch_size"],
                "linger_ms": given["linger_ms"],
                "retry_backoff_ms": given["retry_backoff_ms"],
                "buffer_memory": given["buffer_memory"],
                "batch_expiry_ms": expiry,
            },
            profile,
            Switches(),
        )
        self.accumulator = RecordAccumulator("p1", settings, profile, Switches(), Watch())
        self.leaders: dict[str, int | None] = {
            partition: None if node < 0 else node for partition, node in case.get("leaders", {}).items()
        }
        self.led_by: dict[int, list[str]] = {}
        for partition, node in self.leaders.items():
            if node is not None:
                self.led_by.setdefault(node, []).append(partition)
        self.now = 0
        self.serial = 0
        self.drained: list[Batch] = []

    def do(self, operation: dict[str, Any]) -> dict[str, Any]:
        handler = OPERATIONS.get(operation["op"])
        if handler is None:
            raise Skip(f"the engine has no operation {operation['op']!r}")
        return handler(self, operation)

    def _append(self, operation: dict[str, Any]) -> dict[str, Any]:
        payload = payload_size(
            operation.get("key_bytes", KEY_BYTES), operation.get("value_bytes", VALUE_BYTES)
        )
        new = 0
        full = False
        for _ in range(operation.get("n", 1)):
            self.serial += 1
            appended = self.accumulator.append(operation["partition"], self.serial, payload, self.now)
            if appended is None:
                return self._give_up(payload)
            new += appended.new_batch
            full = appended.batch_is_full
        return {"batch_is_full": full, "new_batches": new}

    def _give_up(self, payload: int) -> dict[str, Any]:
        """Let the call wait for memory and fail at once."""
        pool = self.accumulator.pool
        pool.wait(Call("send"), self.accumulator.memory_for(payload), self.now, self.now)
        return {"exception": [waiter.size for waiter in pool.expire(self.now)]}

    def _ready(self, operation: dict[str, Any]) -> dict[str, Any]:
        ready = self.accumulator.ready(self.leaders, self.now)
        return {
            "ready_nodes": sorted(ready.nodes),
            "next_ready_check_delay_ms": ready.next_check_delay,
            "unknown_leader_topics": sorted(ready.unknown_leader_topics),
        }

    def _advance(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.now += operation["ms"]
        return {}

    def _drain(self, operation: dict[str, Any]) -> dict[str, Any]:
        size = operation.get("max_size", INT_MAX)
        taken = self.accumulator.drain(operation["nodes"], self.led_by, size, self.now)
        self.drained += [batch for _, batches in taken for batch in batches]
        return {"batches": [{"node": node, **_shown(batch)} for node, batches in taken for batch in batches]}

    def _reenqueue(self, operation: dict[str, Any]) -> dict[str, Any]:
        batch = self.drained.pop(0)
        self.accumulator.requeue(batch, self.now)
        return _shown(batch)

    def _expired(self, operation: dict[str, Any]) -> dict[str, Any]:
        return {"expired": [_shown(batch) for batch in self.accumulator.expired(self.now)]}

    def _has_undrained(self, operation: dict[str, Any]) -> dict[str, Any]:
        return {"has_undrained": self.accumulator.has_undrained}

    def _mute(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.accumulator.set_muted(operation["partition"], True)
        return {}

    def _unmute(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.accumulator.set_muted(operation["partition"], False)
        return {}

    def _begin_flush(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.accumulator.flushes += 1
        return {}

    def _close(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.accumulator.closed = True
        return {}


OPERATIONS: dict[str, Callable[[_Driver, dict[str, Any]], dict[str, Any]]] = {
    "append": _Driver._append,
    "ready": _Driver._ready,
    "advance": _Driver._advance,
    "drain": _Driver._drain,
    "reenqueue": _Driver._reenqueue,
    "expired": _Driver._expired,
    "has_undrained": _Driver._has_undrained,
    "mute": _Driver._mute,
    "unmute": _Driver._unmute,
    "flush": _Driver._begin_flush,
    "begin_flush": _Driver._begin_flush,
    "close": _Driver._close,
}


def _shown(batch: Batch) -> dict[str, Any]:
    return {"partition": batch.partition, "records": batch.record_count, "attempts": batch.attempts}
