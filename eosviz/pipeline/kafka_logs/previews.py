"""The markers that remedies would write, to try on a copy of the log (engine/codec/log_preview.py). The remedies
are those of a case's document (docs/logs.md); a marker is tried if the log can be read as a broker would read it:
complete, and in batches of the current format."""

from typing import Any, NamedTuple

from engine.codec.log_preview import Ending
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind

Json = dict[str, Any]
_EPOCH_MAX = 32767


class _Marker(NamedTuple):
    """`name`: of the sentences `logs.preview.<name>`; `raised`: how much newer the marker's epoch is than the
    data's."""

    name: str
    result: str
    raised: int = 0


_ACTIONS = {"abort": _Marker("abort", "ABORT"), "look": _Marker("abort", "ABORT")}
"""By a remedy's action. Also where the remedy is to look first, the effect of an abort is shown: an administrator can
do nothing else."""
_WAITS = {
    "PrepareCommit": _Marker("owed", "COMMIT"),
    "PrepareAbort": _Marker("owed", "ABORT"),
    "PrepareEpochFence": _Marker("timeout", "ABORT", raised=1),
    "Ongoing": _Marker("timeout", "ABORT", raised=1),
}
"""By the coordinator's state. A timeout fences the producer first: its marker has the next epoch."""


class Preview(NamedTuple):
    """One verdict's marker."""

    verdict: int
    """Its position among the verdicts."""
    name: Json
    """The sentence that names its branch."""
    ending: Ending


def previews_of(document: Json) -> list[Preview]:
    """In the order of the verdicts. `document`: of a case, with keys and parameters for sentences."""
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
    """The marker that the verdict's remedy would write. None if it writes none, or if the marker cannot be known."""
    remedy, state = verdict["remedy"], verdict["coordinator_state"] or ""
    if remedy is None or verdict.get("kind") == VerdictKind.EVIDENCE_DELETED:
        # The player's log has no deleted batch.
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
