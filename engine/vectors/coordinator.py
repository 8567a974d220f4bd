"""Runs the cases of the transaction coordinator, with one partition of its log.

For each operation, the engine's responses, written images, markers to send and states must equal Kafka's. The log of
a case holds the newest image of each id. A *held* image is in the log, but the coordinator has not received the
result of its append.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.broker.verification import verify
from engine.coordinator.coordinator_effects import Answer, Completed, SendMarkers, Write
from engine.coordinator.transaction_coordinator import Level, TransactionCoordinator
from engine.coordinator.transaction_metadata import Image, TransactionMetadata
from engine.errors import EngineError, Error
from engine.messages import TransactionPartitions
from engine.profiles import K20, K28, K39, K41
from engine.vectors.exceptions import error_named
from engine.vectors.outcome import Failure, Skip
from engine.vectors.run import GA, SNAPSHOT, expected_for
from engine.vectors.snapshot_coordinator import SnapshotCoordinator
from engine.watching import Watch

PROFILES = {
    "2.0": K20,
    "2.8": K28,
    "3.9-like": K39,
    SNAPSHOT: replace(K41, waits_before_identity=False),
    GA: K41,
}
PARTITION = 0


class Counter:
    """A source of producer ids that counts upwards."""

    def __init__(self, first: int) -> None:
        self.next = first

    def take(self) -> int:
        self.next += 1
        return self.next - 1


class Stage:
    """The coordinator, its log and its clock."""

    def __init__(self, config: dict[str, Any], version: str, named: frozenset[str]) -> None:
        self.named = named
        """Every transactional id in the case. Their states are compared after each operation, even before the
        coordinator knows them."""
        self.now = int(config.get("start_ms", 0))
        made = SnapshotCoordinator if version == SNAPSHOT else TransactionCoordinator
        self.coordinator = made(
            "broker-0",
            profile=PROFILES[version],
            watch=Watch(),
            producer_ids=Counter(int(config.get("next_pid", 0))),
            features=Level(PROFILES[version].transaction_version),
            partition_count=1,
            max_timeout_ms=int(config.get("max_timeout_ms", 900_000)),
            id_expiration_ms=int(config.get("transactional_id_expiration_ms", 604_800_000)),
        )
        self.coordinator.elect(PARTITION, 0, {}, self.now)
        self.log: dict[str, Image] = {}
        self.append_error = Error.NONE
        self.holding = False
        self.held: list[tuple[int, int]] = []
        """For each held image: its token, and the index of the operation that caused the append."""
        self.operation = 0
        self.responses: list[tuple[int, Answer]] = []
        self.verified: dict[int, dict[str, Error]] = {}
        """Dict of index of a ``verify_partitions`` operation → the error for each of its partitions."""
        self.writes: list[Image | None] = []
        self.markers: list[SendMarkers] = []
        self.under_way: set[str] = set()
        """Ids whose markers are not all acknowledged."""
        self.acknowledged: dict[str, int] = {}
        """Dict of id → the index of the operation that acknowledged its last marker, until the completion is in the
        log."""

    def settle(self) -> None:
        """Carry out the coordinator's effects until there are none."""
        outbox = self.coordinator.outbox
        while outbox:
            effect = outbox.pop(0)
            if isinstance(effect, Answer):
                # An answer without a request is an exception of a background task; it is counted as the
                # operation's own answer.
                if effect.to is None:
                    effect = replace(effect, to=self.operation)
                self.responses.append((int(str(effect.to)), effect))
            elif isinstance(effect, Completed):
                asked = self.acknowledged.pop(effect.transactional_id, self.operation)
                self.responses.append((asked, Answer(to=asked, error=effect.error)))
            elif isinstance(effect, SendMarkers):
                self.markers.append(effect)
                self.under_way.add(effect.transactional_id)
            else:
                self._write(effect)

    def _write(self, effect: Write) -> None:
        if self.append_error is not Error.NONE:
            self.coordinator.written(effect.token, self.append_error, self.now)
            return
        self.writes.append(effect.image)
        if effect.image is None:
            self.log.pop(effect.transactional_id, None)
        else:
            self.log[effect.transactional_id] = effect.image
        if self.holding:
            self.held.append((effect.token, self.operation))
        else:
            self.coordinator.written(effect.token, Error.NONE, self.now)

    # -- operations ------------------------------------------------------------------------------------

    def do(self, op: dict[str, Any]) -> None:
        handler = OPERATIONS.get(op["op"])
        if handler is None:
            raise Skip(f"the engine has no operation {op['op']!r}")
        handler(self, op)
        self.settle()

    def _set(self, op: dict[str, Any]) -> None:
        metadata = TransactionMetadata(op["tid"], op["pid"], op["timeout_ms"], op["last_update_ms"])
        metadata.state = op["state"]
        metadata.producer_epoch = op["epoch"]
        metadata.last_producer_epoch = op.get("last_epoch", -1)
        metadata.last_producer_id = op.get("last_pid", -1)
        metadata.partitions = frozenset(op.get("partitions", ()))
        metadata.start_ms = op.get("start_ms", -1)
        metadata.pending_state = op.get("pending_state")
        metadata.client_version = op.get("client_tv", 0)
        self.coordinator.metadata[op["tid"]] = metadata

    def _init_pid(self, op: dict[str, Any]) -> None:
        expected = (op["pid"], op["epoch"]) if "pid" in op and op["pid"] != -1 else None
        self.coordinator.init_producer_id(self.operation, op["tid"], op["timeout_ms"], self.now, expected)

    def _add_partitions(self, op: dict[str, Any]) -> None:
        self.coordinator.add_partitions(
            self.operation, op["tid"], op["pid"], op["epoch"], frozenset(op["partitions"]), self.now
        )

    def _end_txn(self, op: dict[str, Any]) -> None:
        commits = op["result"] == "COMMIT"
        self.coordinator.end_transaction(
            self.operation, op["tid"], op["pid"], op["epoch"], commits, self.now, op.get("tv", 0)
        )

    def _verify_partitions(self, op: dict[str, Any]) -> None:
        asked = TransactionPartitions(
            transactional_id=op["tid"],
            producer_id=op["pid"],
            producer_epoch=op["epoch"],
            partitions=tuple(op["partitions"]),
        )
        self.verified[self.operation] = verify(self.coordinator, asked)

    def _complete_markers(self, op: dict[str, Any]) -> None:
        """Deliver the last acknowledgement of an id's markers, if it has markers in flight."""
        if op["tid"] in self.under_way:
            self.under_way.discard(op["tid"])
            self.acknowledged[op["tid"]] = self.operation
            self.coordinator.all_markers_acknowledged(op["tid"])

    def _advance(self, op: dict[str, Any]) -> None:
        self.now += op["ms"]

    def _expire_timed_out(self, op: dict[str, Any]) -> None:
        self.coordinator.abort_timed_out(self.now)

    def _expire_ids(self, op: dict[str, Any]) -> None:
        self.coordinator.expire_ids(self.now)

    def _append_error(self, op: dict[str, Any]) -> None:
        self.append_error = error_named(op["error"])

    def _hold_appends(self, op: dict[str, Any]) -> None:
        self.holding = True

    def _release_append(self, op: dict[str, Any]) -> None:
        self.holding = bool(op.get("keep_holding", 0))
        error = error_named(op["error"])
        held, self.held = self.held, []
        for token, _ in held:
            self.coordinator.written(token, error, self.now)

    def _resign(self, op: dict[str, Any]) -> None:
        self.under_way.clear()
        self.coordinator.resign(PARTITION)

    def _elect(self, op: dict[str, Any]) -> None:
        self.coordinator.elect(PARTITION, op["coordinator_epoch"], dict(self.log), self.now)

    # -- what is seen ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for name in sorted(self.named):
            error = self.coordinator.lookup(name)
            if error is not Error.NONE:
                shown[name] = error.name
                continue
            metadata = self.coordinator.metadata.get(name)
            if metadata is None:
                shown[name] = None
                continue
            shown[name] = {
                "state": metadata.state,
                "pending_state": metadata.pending_state,
                "pid": metadata.producer_id,
                "epoch": metadata.producer_epoch,
                "timeout_ms": metadata.timeout_ms,
                "partitions": sorted(metadata.partitions),
                "start_ms": metadata.start_ms,
                "last_update_ms": metadata.last_update_ms,
                "coordinator_epoch": self.coordinator.epoch_of(name),
            }
        return shown

    def hidden_state(self) -> dict[str, dict[str, int]]:
        """The previous and next identity and the client's version in the coordinator's memory, which 2.x does not
        write to the log."""
        return {
            name: {
                "last_pid": found.last_producer_id,
                "last_epoch": found.last_producer_epoch,
                "next_pid": found.next_producer_id,
                "client_tv": found.client_version,
            }
            for name, found in self.coordinator.metadata.items()
        }


OPERATIONS: dict[str, Callable[[Stage, dict[str, Any]], None]] = {
    "set": Stage._set,
    "init_pid": Stage._init_pid,
    "add_partitions": Stage._add_partitions,
    "verify_partitions": Stage._verify_partitions,
    "end_txn": Stage._end_txn,
    "complete_markers": Stage._complete_markers,
    "advance": Stage._advance,
    "expire_timed_out": Stage._expire_timed_out,
    "expire_ids": Stage._expire_ids,
    "append_error": Stage._append_error,
    "hold_appends": Stage._hold_appends,
    "release_append": Stage._release_append,
    "resign": Stage._resign,
    "elect": Stage._elect,
}


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Run one case in one version. Returns the first difference from Kafka, or None. The hidden states
    (``aux_state``) of all operations are compared first."""
    expected = expected_for(case, version)
    named = frozenset(op["tid"] for op in case["ops"] if op.get("tid"))
    stage = Stage(case.get("config", {}), version, named)
    asked: dict[int, str] = {}
    known_state: dict[str, Any] = {}
    got: list[dict[str, Any]] = []
    for index, op in enumerate(case["ops"]):
        stage.operation = index
        asked[index] = op["op"]
        stage.writes, stage.markers = [], []
        found: dict[str, Any] = {}
        try:
            stage.do(op)
        except EngineError:
            found["exception"] = True
            stage.coordinator.outbox.clear()
        found["log_writes"] = [_image(image) for image in stage.writes]
        found["markers_to_send"] = [_marker(marker) for marker in stage.markers]
        found["state"] = stage.state()
        found["aux_state"] = stage.hidden_state()
        got.append(found)
    hidden = {**expected.get("aux_state", {})}.get(version, [])
    for index, remembered in enumerate(hidden):
        for name, value in (remembered or {}).items():
            kept = got[index]["aux_state"].get(name, {})
            kept = {field: found for field, found in kept.items() if field in value}
            known = {field: found for field, found in value.items() if field in kept}
            if known != kept:
                return Failure(f"ops[{index}] {asked[index]} aux_state {name}", value, kept)
    for index, wanted in enumerate(expected["results"]):
        known_state = wanted.get("state", known_state)
        answered = [answer for to, answer in stage.responses if to == index]
        answers = [_answer(answer, asked[index]) for answer in answered if not answer.thrown]
        if index in stage.verified:
            errors = {name: error.name for name, error in stage.verified[index].items()}
            answers.append({"to": asked[index], "partitions": errors})
        found = got[index]
        if any(answer.thrown for answer in answered):
            found["exception"] = True
        for name, value in (
            ("responses", [_comparable(item) for item in wanted.get("responses", [])]),
            ("log_writes", wanted.get("log_writes", [])),
            ("markers_to_send", wanted.get("markers_to_send", [])),
            ("state", known_state),
        ):
            seen = [_comparable(item) for item in answers] if name == "responses" else found[name]
            if seen != value:
                return Failure(f"ops[{index}] {asked[index]} {name}", value, seen)
        if bool(wanted.get("exception")) != bool(found.get("exception")):
            return Failure(f"ops[{index}] exception", wanted.get("exception"), found.get("exception"))
    return None


def _comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """The response, without a producer id or an epoch of -1."""
    return {name: value for name, value in answer.items() if not (name in ("pid", "epoch") and value == -1)}


def _answer(answer: Answer, asked: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"to": asked, "error": answer.error.name}
    if asked in ("init_pid", "end_txn"):
        shown.update(pid=answer.producer_id, epoch=answer.producer_epoch)
    return shown


def _image(image: Image | None) -> Any:
    if image is None:
        return {"tombstone": True}
    return {
        "state": image.state,
        "pid": image.producer_id,
        "epoch": image.producer_epoch,
        "timeout_ms": image.timeout_ms,
        "partitions": sorted(image.partitions),
        "start_ms": image.start_ms,
        "last_update_ms": image.last_update_ms,
    }


def _marker(marker: SendMarkers) -> dict[str, Any]:
    return {
        "tid": marker.transactional_id,
        "result": marker.result,
        "pid": marker.producer_id,
        "epoch": marker.producer_epoch,
        "coordinator_epoch": marker.coordinator_epoch,
        "partitions": list(marker.partitions),
    }
