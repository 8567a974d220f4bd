"""Runs the cases of EndTxn with transaction version 2, as released in Kafka 4.0 (KIP-890). A case is one request in
one state of a transactional id.

A case gives the request's epoch relative to the stored one, and the expected response, written state, and whether
the epoch was raised.
"""

from __future__ import annotations

from typing import Any

from engine.coordinator.coordinator_effects import Answer, Write
from engine.coordinator.transaction_coordinator import Level, TransactionCoordinator
from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.coordinator.transaction_states import EMPTY
from engine.errors import Error
from engine.messages import RAISING_VERSION
from engine.profiles import K41
from engine.vectors.outcome import Failure
from engine.watching import Watch

ID, PRODUCER_ID, STORED_EPOCH, NOW = "tx", 10, 7, 5000
EPOCHS = {
    "same": (STORED_EPOCH, "request epoch = stored epoch"),
    "retry": (STORED_EPOCH - 1, "request epoch = stored epoch - 1"),
    "older": (STORED_EPOCH - 2, "request epoch <= stored epoch - 2"),
    "newer": (STORED_EPOCH + 1, "request epoch > stored epoch"),
}
"""Dict of a case's description of the request's epoch → that epoch, and the text that the case has beside it."""


class _NoIds:
    """A source of producer ids that no case uses."""

    def take(self) -> int:
        raise AssertionError("no producer id is wanted")


def run(case: dict[str, Any], version: str) -> Failure | None:
    given, expected = case["input"], case["expected"]
    coordinator = TransactionCoordinator(
        "broker-0",
        profile=K41,
        watch=Watch(),
        producer_ids=_NoIds(),
        features=Level(RAISING_VERSION),
        partition_count=1,
    )
    coordinator.elect(0, 0, {}, NOW)
    coordinator.metadata[ID] = _stored(given["state"])
    epoch, words = EPOCHS[given["request_epoch"]]
    if given.get("coordinator_epoch_state", words) != words:
        return Failure("input.coordinator_epoch_state", words, given["coordinator_epoch_state"])
    commits = given["result"] == "COMMIT"
    coordinator.end_transaction(0, ID, PRODUCER_ID, epoch, commits, NOW, RAISING_VERSION)
    found = _found(coordinator)
    for field, value in found.items():
        if field in expected and expected[field] != value:
            return Failure(field, expected[field], value)
    return None


def _stored(state: str) -> TransactionMetadata:
    metadata = TransactionMetadata(ID, PRODUCER_ID, 60_000, 1000)
    metadata.state = state
    metadata.producer_epoch = STORED_EPOCH
    metadata.last_producer_epoch = STORED_EPOCH - 1
    metadata.client_version = RAISING_VERSION
    if state != EMPTY:
        metadata.start_ms = 1000
        metadata.partitions = frozenset(("t-0",))
    return metadata


def _found(coordinator: TransactionCoordinator) -> dict[str, Any]:
    """The result of the request, after the log has stored the image."""
    metadata = coordinator.metadata[ID]
    state, epoch = None, STORED_EPOCH
    written = [effect for effect in coordinator.outbox if isinstance(effect, Write)]
    for effect in written:
        if effect.image is not None:
            state, epoch = effect.image.state, effect.image.producer_epoch
        coordinator.written(effect.token, Error.NONE, NOW)
    (answer,) = (effect for effect in coordinator.outbox if isinstance(effect, Answer))
    found = {
        "error": answer.error.name,
        "epoch_bumped": epoch == STORED_EPOCH + 1,
        "next_state": state,
        "writes_log": bool(written),
    }
    if answer.error is Error.NONE and (answer.producer_id, answer.producer_epoch) != (
        metadata.producer_id,
        metadata.producer_epoch,
    ):
        found["error"] = f"NONE with ({answer.producer_id}, {answer.producer_epoch})"
    return found
