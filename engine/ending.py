"""The end of a run in a few values, which a thumbnail can draw.

It is computed from a view alone, so the middle of a run can be summarised in the same way. This module has no
rule of the protocol: fates of batches, losses and broken guarantees are taken from the view.
"""

from __future__ import annotations

from typing import Any

from engine.errors import Refused
from engine.judge.bench import DATABASE_GUARANTEES
from engine.scenario.document import Scenario
from engine.scenario.header import ENGINE_VERSION
from engine.simulation import Simulation
from engine.topic_partition import is_internal

FORM = f"{ENGINE_VERSION}.2"
"""The version of the engine and of this form. An ending that was stored with another version is computed again."""
LANES_MAX = 6
CELLS_MAX = 40
"""A lane has at most this many cells, for the newest batches; older batches are only counted."""

Json = dict[str, Any]


def ending_of(scenario: Scenario) -> Json:
    """The end of a scenario's run.

    If the configuration is refused: `refused_by` (the rule) and `profile`. Otherwise: the fields of
    `state_of` for the last view, `steps`, `time` in virtual milliseconds, `finished`, `profile`, `broken`
    (as `broken_in`), and `troubles`, the different actions of the faults in the order of the document.
    """
    try:
        simulation = Simulation(scenario, watching="judged")
    except Refused as refused:
        return {"refused_by": refused.rule, "profile": scenario["profile"]}
    simulation.run()
    view = simulation.view()
    return {
        **state_of(view),
        "steps": simulation.number,
        "time": simulation.now,
        "finished": simulation.finished,
        "broken": broken_in(view),
        "profile": scenario["profile"],
        "troubles": list(dict.fromkeys(fault["action"] for fault in scenario["faults"])),
    }


def broken_in(view: Json) -> dict[str, int]:
    """Dict of guarantee → the number of records, producers or transactions that have broken it. Guarantees that
    hold are left out."""
    return {
        name: row["count"]
        for name, row in view["guarantees"].items()
        if row.get("broken_at") is not None and row["count"]
    }


def state_of(view: Json) -> Json:
    """The state in a view.

    - `lanes`: the first LANES_MAX data partitions that hold a batch, have a lost or failed record, or were
      deleted.
    - `folded`: the number of further partitions of this kind.
    - `nodes`: `[name, state]` of each participant in two-phase commit over middleware.
    - `table`: the rows of a database; None without one.
    """
    hues = _hues(view)
    lanes = [
        lane
        for name, partition in view["partitions"].items()
        if not is_internal(name) and (lane := _lane(name, partition, view["verdicts"].get(name, {}), hues))
    ]
    return {
        "lanes": lanes[:LANES_MAX],
        "folded": max(0, len(lanes) - LANES_MAX),
        "nodes": _nodes(view),
        "table": _table(view),
    }


def _replica(partition: Json) -> Json:
    """The leader's replica, or the first one when there is no leader. It is the one that is drawn."""
    replicas: dict[str, Json] = partition.get("replicas", {})
    return replicas.get(str(partition.get("leader"))) or next(iter(replicas.values()), {})


def _hues(view: Json) -> dict[int, int]:
    """Dict of producer id → the number of its colour, from 0. The ids are numbered in the order of their first
    batches."""
    batches = [
        batch
        for name, partition in view["partitions"].items()
        if not is_internal(name)
        for batch in _replica(partition).get("batches", {}).values()
        if batch["producer_id"] >= 0
    ]
    in_order = sorted(batches, key=lambda batch: (batch["appended_at"], batch["base_offset"]))
    return {
        identifier: order
        for order, identifier in enumerate(dict.fromkeys(b["producer_id"] for b in in_order))
    }


def _lane(name: str, partition: Json, verdict: Json, hues: dict[int, int]) -> Json | None:
    replica = _replica(partition)
    batches = list(replica.get("batches", {}).values())
    lost, failed = verdict.get("lost", 0), verdict.get("failed", 0)
    if not (batches or lost or failed or partition.get("deleted")):
        return None
    stable, end = replica.get("last_stable_offset", 0), replica.get("log_end", 0)
    cells: list[list[Any]] = []
    gate = None
    seen: set[int] = set()
    for batch in batches:
        if gate is None and batch["base_offset"] >= stable and stable < end:
            gate = len(cells)
        serials = set(batch["serials"])
        cells.append(
            [_kind(batch, seen & serials), batch["record_count"], hues.get(batch["producer_id"], -1)]
        )
        if batch.get("outcome") != "aborted":
            seen |= serials
    folded = max(0, len(cells) - CELLS_MAX)
    return {
        "name": name,
        "cells": cells[folded:],
        "folded": folded,
        "gate": None if gate is None else max(0, gate - folded),
        "lost": lost,
        "failed": failed,
        "reordered": verdict.get("reordered", 0),
        "deleted": bool(partition.get("deleted")),
    }


def _kind(batch: Json, seen_before: set[int]) -> str:
    """The kind of a batch: `COMMIT` or `ABORT` for a marker; `aborted`, `open`, `duplicate` or `stored` for data.
    `seen_before`: those of its records that an earlier batch has, too, which was not aborted; a batch with such
    records is a duplicate."""
    if batch.get("control") is not None:
        return str(batch["control"])
    if batch.get("outcome") in ("aborted", "open"):
        return str(batch["outcome"])
    return "duplicate" if seen_before else "stored"


def _nodes(view: Json) -> list[list[str]]:
    """`[name, state]` of each participant; the state is that of its first transaction, or `IDLE` without one."""
    participants = view.get("middleware", {}).get("participants", {})
    return [
        [name, next((row["state"] for row in node["transactions"].values()), "IDLE")]
        for name, node in participants.items()
    ]


def _table(view: Json) -> Json | None:
    """The rows of the database; None without one. `rows`: the number of copies of each row, oldest first,
    CELLS_MAX at most. `folded`: the number of older rows. Also, by name of a guarantee, how many records or
    orders broke it."""
    database = view.get("database")
    if database is None:
        return None
    stored = sorted(database.get("rows", {}).items(), key=lambda one: (one[1]["stored_at"], int(one[0])))
    rows = [row["copies"] for _, row in stored]
    broken = {name: view["guarantees"].get(name, {}).get("count", 0) for name in DATABASE_GUARANTEES}
    return {"rows": rows[-CELLS_MAX:], "folded": max(0, len(rows) - CELLS_MAX), **broken}
