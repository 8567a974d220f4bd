"""Finds the longest time for which a transaction that has ended held back records of other producers. The
page of a case without a problem shows it. It is read from the case's steps (`engine/codec/log_why.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eosviz.pipeline.kafka_logs.words import moment
from eosviz.replays.log_drawing import drawn, ends_of

_KEYS = {"log.holds": "answer.who", "log.holds_by": "answer.who_id"}

Json = dict[str, Any]


def longest_hold(steps: Sequence[Json], origin: int | None, hues: Mapping[str, int]) -> Json | None:
    """The longest hold, with a drawing of the log before the hold ended; `others`: the number of other holds.
    None if no transaction held back records of others. `origin`: the time 0 of the steps, in milliseconds
    since 1970."""
    found = [(step, note) for step in steps for note in step["notes"] if note["key"] in _KEYS]
    if not found or origin is None:
        return None
    step, note = max(found, key=lambda one: one[1]["params"]["lasted"])
    hold = note["params"]
    partition, offset, end, since = hold["partition"], hold["offset"], hold["end"], origin + step["at"]
    before = steps[: _stored_at(steps, partition, end)]
    window = ends_of(before, {partition: offset}, hues).get(partition)
    of = {"last_stable_offset": offset, "high_watermark": end, "log_start": 0}
    who = {"producer_id": hold["producer_id"], "epoch": hold["producer_epoch"]}
    if "transactional_id" in hold:
        who["transactional_id"] = hold["transactional_id"]
    return {
        "partition": partition,
        "says": {
            "key": "logs.answer.held",
            "params": {
                "who": {"key": f"logs.{_KEYS[note['key']]}", "params": who},
                "partition": partition,
                "offset": offset,
                "end": end,
                "duration": hold["lasted"],
                "since": moment(since),
                "until": moment(since + hold["lasted"]),
            },
        },
        "picture": drawn(of, window, {}) if window is not None else None,
        "step": step["number"],
        "others": len(found) - 1,
    }


def _stored_at(steps: Sequence[Json], partition: str, offset: int) -> int:
    """The index of the step that stores the batch with this first offset."""
    path = ["partitions", partition, "replicas"]
    return next(
        index
        for index, step in enumerate(steps)
        for change in step["changes"]
        if change["path"][:3] == path and change["path"][4:] == ["batches", str(offset)]
    )
