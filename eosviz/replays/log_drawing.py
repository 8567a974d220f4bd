"""Draws, for the page of a case, the end of a log whose consumers wait: the batches around the last stable
offset.

`ends_of` is computed with the case, from its steps. `drawn` is computed from this result or, if there is
none, from the open transaction alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BEFORE, BEHIND = 2, 7
"""A drawing has about this many batches before and after the last stable offset. Others are counted."""
PARTITIONS_MAX = 20
HUES = 6

Json = dict[str, Any]


def ends_of(steps: Iterable[Json], stable: Mapping[str, int], hues: Mapping[str, int]) -> dict[str, Json]:
    """Dict of partition → its batches around the last stable offset, for up to PARTITIONS_MAX partitions.
    `stable`: partition → last stable offset. `hues`: producer id → its hue in the case's plan."""
    names = list(stable)[:PARTITIONS_MAX]
    batches: dict[str, dict[int, Json]] = {name: {} for name in names}
    for step in steps:
        for change in step["changes"]:
            match change["path"]:
                case ["partitions", partition, "replicas", _, "batches", offset] if partition in batches:
                    batches[partition][int(offset)] = _kept(change["after"], hues)
                case ["partitions", partition, "replicas", _, "batches", offset, "outcome"]:
                    if partition in batches:
                        batches[partition][int(offset)]["outcome"] = change["after"]
    return {name: _window([*batches[name].values()], stable[name]) for name in names if batches[name]}


def _kept(batch: Json, hues: Mapping[str, int]) -> Json:
    hue = hues.get(str(batch["producer_id"]))
    return {
        "first": batch["base_offset"],
        "last": batch["last_offset"],
        "producer_id": batch["producer_id"],
        "epoch": batch["producer_epoch"],
        "hue": None if hue is None else hue % HUES,
        "control": batch["control"],
        "outcome": batch.get("outcome"),
        "sequences": None
        if _is_plain(batch["producer_id"])
        else [batch["first_sequence"], batch["last_sequence"]],
        "records": batch["record_count"],
    }


def _is_plain(producer_id: int | None) -> bool:
    return producer_id in (-1, None)


def _window(batches: Sequence[Json], stable: int) -> Json:
    place = next((at for at, one in enumerate(batches) if one["last"] >= stable), len(batches))
    first, behind = max(0, place - BEFORE), place + BEHIND
    if behind + 1 == len(batches):
        # A batch that is left out would need as much space as the number that replaces it.
        behind += 1
    return {"earlier": first, "batches": batches[first:behind], "more": max(0, len(batches) - behind)}


def drawn(partition: Json, end: Json | None, holder: Json) -> Json | None:
    """The cells of the drawing, on both sides of the last stable offset. None if there is nothing to draw.
    `end`: the result of `ends_of` for this partition, or None. `holder`: the open transaction for which
    consumers wait."""
    stable, high = partition["last_stable_offset"], partition["high_watermark"]
    if not 0 <= stable < high:
        return None
    end = end or _of_holder(holder)
    cells = [_cell(one) for one in end["batches"]]
    read = [one for one in cells if one["last"] < stable]
    wait = [one for one in cells if one["last"] >= stable]
    return {
        "stable": stable,
        "end": high,
        "start": partition["log_start"],
        "read": read,
        "earlier": end["earlier"],
        "wait": wait,
        "more": end["more"],
        "waiting": high - stable,
        "readable": stable - partition["log_start"],
    }


def _of_holder(holder: Json) -> Json:
    """A replacement for the result of `ends_of`, with the open transaction as one batch."""
    first = holder["first_offset"]
    batch = {
        "first": first,
        "last": max(first, holder["last_offset"] or 0),
        "producer_id": holder["producer_id"],
        "epoch": holder["epoch"],
        "hue": 0,
        "control": None,
        "outcome": "open",
    }
    return {"earlier": 0, "batches": [batch], "more": 0}


def _cell(batch: Json) -> Json:
    if batch["control"] is not None:
        state = "marker"
    elif _is_plain(batch["producer_id"]):
        state = "plain"
    else:
        state = batch["outcome"] or "stored"
    # Cases that earlier releases stored have neither sequences nor numbers of records.
    sequences, records = (None, None) if state == "marker" else (batch.get("sequences"), batch.get("records"))
    named = not _is_plain(batch["producer_id"])
    return batch | {
        "state": state,
        "named": named,
        "sequences": sequences,
        "records": None if named else records,
    }
