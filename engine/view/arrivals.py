"""Finds what happened to each batch that reached a log in a step: it was appended, was a duplicate, was refused, or
was answered without being stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.happenings.verification import Unsafe
from engine.shapes.derived import Arrival, Fate

Json = Mapping[str, Any]
_BATCH_DEPTH = 6
"""The number of names in `partitions/<partition>/replicas/<broker>/batches/<base offset>`."""
_MADE_BY_ITSELF = ("replication", "log")
"""Kinds of steps that append batches although no request arrives."""
UNSAFE = frozenset(f"broker.{why.value}" for why in Unsafe)
"""The sentences about a batch that a leader refuses before the checks of its log."""


def arrivals(step: Json, partitions: Json) -> list[Arrival]:
    """The batches that reached a log in a step. `partitions`: the table `partitions` of the view after the step.

    - `fate`: `appended`, `duplicate`, `refused` or `not_stored`.
    - `at`: the base offset of the appended batch, or of the stored batch with the same sequence numbers; None
      for a batch that is refused or not stored.
    - `compared`: the base offset of the batch with which a refused one was compared.
    - `control`: COMMIT or ABORT, for a refused marker.
    - `batch`: the numbers of a batch that was refused before the checks of its log.
    """
    landed, made = _landed(step)
    decided = _decided(step, partitions)
    found: list[Arrival] = []
    if decided is not None and decided[0] not in made:
        partition, broker = decided
        found.append(_of_decision(step, partitions, partition, broker, landed.get(decided)))
    if step["kind"] not in _MADE_BY_ITSELF:
        found += [
            _arrival(partition, broker, "appended", base)
            for (partition, broker), base in landed.items()
            if (partition, broker) != decided and partition not in made
        ]
    return found + _unchecked(step, partitions)


def _unchecked(step: Json, partitions: Json) -> list[Arrival]:
    """The batches that a leader refused before the checks of its log."""
    found: list[Arrival] = []
    for said in (step, *step["notes"]):
        if said["key"] not in UNSAFE:
            continue
        params = said["params"]
        partition, (_, _, broker) = params["partition"], params["broker"].partition("broker-")
        if broker in partitions.get(partition, {}).get("replicas", {}):
            arrival = _arrival(partition, broker, "refused", None)
            arrival["batch"] = {
                "producer_id": params.get("producer_id"),
                "producer_epoch": params.get("producer_epoch"),
                "first_sequence": params.get("first_sequence"),
                "last_sequence": params.get("last_sequence"),
            }
            found.append(arrival)
    return found


def _arrival(partition: str, broker: str, fate: Fate, at: int | None, control: str | None = None) -> Arrival:
    arrival: Arrival = {"partition": partition, "broker": broker, "fate": fate, "at": at}
    if control is not None:
        arrival["control"] = control
    return arrival


def _landed(step: Json) -> tuple[dict[tuple[str, str], int], set[str]]:
    """The lowest base offset that this step added to each replica, and the partitions that it created."""
    landed: dict[tuple[str, str], int] = {}
    made: set[str] = set()
    for change in step["changes"]:
        path = change["path"]
        if path[0] != "partitions" or "before" in change:
            continue
        if len(path) == 2:
            made.add(path[1])
        elif len(path) == _BATCH_DEPTH and path[4] == "batches":
            base = int(path[5])
            landed[path[1], path[3]] = min(base, landed.get((path[1], path[3]), base))
    return landed, made


def _decided(step: Json, partitions: Json) -> tuple[str, str] | None:
    """(partition, broker id) of the replica that decided on a batch; None if the step has no such decision."""
    decision = step["decision"]
    if decision is None or "first_sequence" not in decision["arrived"]:
        return None
    _, _, broker = decision["by"].partition("broker-")
    replicas = partitions.get(decision["subject"], {}).get("replicas", {})
    return (decision["subject"], broker) if broker in replicas else None


def _of_decision(step: Json, partitions: Json, partition: str, broker: str, landed: int | None) -> Arrival:
    arrived = step["decision"]["arrived"]
    refused = step["refusal"] is not None
    if landed is not None and not refused:
        return _arrival(partition, broker, "appended", landed)
    control = _marker_result(step, arrived.get("producer_id"))
    if refused:
        arrival = _arrival(partition, broker, "refused", None, control)
        compared = _compared(partitions[partition]["replicas"][broker], step["decision"])
        if compared is not None:
            arrival["compared"] = compared
        return arrival
    equal = _equal(partitions[partition]["replicas"][broker], arrived)
    return _arrival(partition, broker, "not_stored" if equal is None else "duplicate", equal, control)


def _equal(replica: Json, arrived: Json) -> int | None:
    """The base offset of the cached batch with the same producer id, epoch and sequence numbers; None without one."""
    entry = replica.get("producers", {}).get(str(arrived.get("producer_id")))
    if entry is None or entry["producer_epoch"] != arrived.get("producer_epoch"):
        return None
    numbers = (arrived["first_sequence"], arrived.get("last_sequence"))
    return next((offset for first, last, offset, *_ in entry["batches"] if (first, last) == numbers), None)


def _compared(replica: Json, decision: Json) -> int | None:
    """The base offset of the producer's newest batch of records with the stored epoch; without one, that of its newest
    marker with this epoch; None without either."""
    arrived, stored = decision["arrived"], decision["stored"]
    if stored is None:
        return None
    numbers = (arrived.get("producer_id"), stored.get("producer_epoch"))
    mine = [
        (batch["control"] is None, int(base))
        for base, batch in replica.get("batches", {}).items()
        if (batch["producer_id"], batch["producer_epoch"]) == numbers
    ]
    return max(mine)[1] if mine else None


def _marker_result(step: Json, producer_id: Any) -> str | None:
    """COMMIT or ABORT, from the request that the step delivered; None without a marker of this producer id."""
    delivered = {str(message["id"]) for message in step["messages"] if message["event"] == "delivered"}
    for change in step["changes"]:
        path = change["path"]
        if path[:2] != ["network", "messages"] or len(path) != 3 or path[2] not in delivered:
            continue
        for entry in change.get("before", {}).get("fields", {}).get("entries") or ():
            if isinstance(entry, dict) and entry.get("producer_id") == producer_id:
                return str(entry["result"])
    return None


def message_in(step: Mapping[str, Any], number: int, side: str) -> Mapping[str, Any] | None:
    """A message that a step sends (``side``: ``after``) or ends (``before``), as the view has it; None if the step does
    not change it as a whole."""
    path = ["network", "messages", str(number)]
    found: Mapping[str, Any] | None = next(
        (one.get(side) for one in step["changes"] if one["path"] == path), None
    )
    return found
