"""Chooses markers that would end the open transactions of a case, to be tried on a copy of the log
(engine/codec/log_preview.py).

A remedy in the case's document (docs/logs.md) writes such a marker, or waits until the coordinator writes it.
A marker is tried only on a partition without damage and without batches of an older format, because only such
a log is read by the player as by a broker.
"""

from typing import Any, NamedTuple

from engine.codec.log_preview import Ending
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind

Json = dict[str, Any]
_EPOCH_MAX = 32767


class _Marker(NamedTuple):
    """A marker to try. `name`: its sentences are `logs.preview.<name>` and `logs.preview.<name>.means`.
    `result`: COMMIT or ABORT. `raised`: by how much its epoch is higher than that of the data."""

    name: str
    result: str
    raised: int = 0


_ACTIONS = {"abort": _Marker("abort", "ABORT"), "look": _Marker("abort", "ABORT")}
"""Dict of action of a remedy → the marker to try. An abort is also tried if the remedy is to look first,
because an administrator cannot commit."""
_WAITS = {
    "PrepareCommit": _Marker("owed", "COMMIT"),
    "PrepareAbort": _Marker("owed", "ABORT"),
    "PrepareEpochFence": _Marker("timeout", "ABORT", raised=1),
    "Ongoing": _Marker("timeout", "ABORT", raised=1),
}
"""Dict of state at the coordinator → the marker that consumers wait for. A timeout first fences the producer,
so its marker has the next epoch."""


class Preview(NamedTuple):
    """A marker that would end the open transaction of one verdict."""

    verdict: int
    """The position of the verdict in the list `verdicts` of the document."""
    name: Json
    """The name of the branch with the marker, as a sentence."""
    ending: Ending


def previews_of(document: Json) -> list[Preview]:
    """The markers to try, in the order of the verdicts. `document`: that of a case (`case.document`), in
    which each sentence is a key with parameters."""
    partitions = {one["name"]: one for one in document.get("partitions", ())}
    found = []
    for place, verdict in enumerate(document.get("verdicts", ())):
        marker, partition = _marker_of(verdict), partitions.get(verdict["partition"])
        if marker is None or partition is None or partition["corrupt"] or partition["legacy"]:
            continue
        params = {
            "partition": verdict["partition"],
            "offset": verdict["first_offset"],
            "result": marker.result,
        }
        found.append(
            Preview(
                place,
                {"key": f"logs.preview.{marker.name}", "params": params},
                Ending(
                    partition=verdict["partition"],
                    producer_id=verdict["producer_id"],
                    producer_epoch=min(_EPOCH_MAX, verdict["epoch"] + marker.raised),
                    result=marker.result,
                    first_offset=verdict["first_offset"],
                    log_end=partition["high_watermark"],
                    notes=_notes(verdict["remedy"], marker),
                ),
            )
        )
    return found


def _marker_of(verdict: Json) -> _Marker | None:
    remedy, state = verdict["remedy"], verdict["coordinator_state"] or ""
    if remedy is None or verdict.get("kind") == VerdictKind.EVIDENCE_DELETED:
        # The player's log does not contain the deleted batches, so the marker would end nothing there.
        return None
    if remedy["action"] == "look" and state.startswith("Complete"):
        return None
    return _ACTIONS.get(remedy["action"]) or _WAITS.get(state)


def _notes(remedy: Json, marker: _Marker) -> list[Json]:
    command = {"key": "logs.preview.command", "params": {"command": remedy["command"]}}
    sentences = [
        {"key": f"logs.preview.{marker.name}.means", "params": {}},
        command,
        *remedy["preconditions"],
    ]
    return [{**one, "rules": []} for one in sentences]
