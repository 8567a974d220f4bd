"""The claim of a block of producer ids, as rows (PID-3 to PID-7).

A broker reads ZooKeeper's node of the newest block (``/latest_producer_id_block``), and writes the block that
follows to this node. If another broker wrote in between, the broker begins again. If the reply to the write
is lost, the broker reads the node again, which shows whether the write was done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.machine import Machine, Row

NO_BLOCK, READING, WRITING = "NO_BLOCK", "READING", "WRITING"
HOLDING, EXHAUSTED = "HOLDING", "EXHAUSTED"
CLAIM, DATA, WRITTEN, NO_REPLY, CRASH = "claim", "data", "written_reply", "no_reply", "crash"


class Situation(NamedTuple):
    """The values that the guards read, all of them from ZooKeeper's newest reply. ``empty``: whether the node
    holds no block. ``own``: whether it holds the block that this broker wrote. ``full``: whether no further
    block of ids fits after the node's block. ``written``: whether the write succeeded."""

    empty: bool = False
    own: bool = False
    full: bool = False
    written: bool = False


def _own_write(situation: Situation) -> bool:
    return situation.own


def _node_empty(situation: Situation) -> bool:
    return situation.empty and not situation.own


def _exhausted(situation: Situation) -> bool:
    return situation.full and not situation.empty and not situation.own


def _room(situation: Situation) -> bool:
    return not (situation.empty or situation.own or situation.full)


def _written(situation: Situation) -> bool:
    return situation.written


def _conflict(situation: Situation) -> bool:
    return not situation.written


GUARDS: dict[str, Callable[[Situation], bool]] = {
    "own_write": _own_write,
    "node_empty": _node_empty,
    "exhausted": _exhausted,
    "room": _room,
    "written": _written,
    "conflict": _conflict,
}

_REPLIES = (
    Row(
        source=READING,
        on=DATA,
        when="own_write",
        target=HOLDING,
        effects=("keep",),
        why="own_block_found",
        spec="PID-4",
    ),
    Row(
        source=READING,
        on=DATA,
        when="node_empty",
        target=WRITING,
        effects=("write",),
        why="first_block_wanted",
        spec="PID-3",
    ),
    Row(
        source=READING,
        on=DATA,
        when="exhausted",
        target=EXHAUSTED,
        effects=("fail",),
        why="producer_ids_exhausted",
        spec="PID-3",
    ),
    Row(
        source=READING,
        on=DATA,
        when="room",
        target=WRITING,
        effects=("write",),
        why="next_block_wanted",
        spec="PID-3",
    ),
    Row(
        source=WRITING,
        on=WRITTEN,
        when="written",
        target=HOLDING,
        effects=("keep",),
        why="block_claimed",
        spec="PID-3",
    ),
    Row(
        source=WRITING,
        on=WRITTEN,
        when="conflict",
        target=READING,
        effects=("read",),
        why="block_lost_to_another",
        spec="PID-7",
    ),
)
MACHINE: Machine[Situation] = Machine(
    "producer_id_block",
    NO_BLOCK,
    (
        *(
            Row(
                source=state,
                on=CLAIM,
                target=READING,
                effects=("read",),
                why="block_node_read",
                spec=spec,
            )
            for state, spec in ((NO_BLOCK, "PID-6"), (HOLDING, "PID-5"), (EXHAUSTED, "PID-5"))
        ),
        *_REPLIES,
        *(
            Row(
                source=state,
                on=NO_REPLY,
                target=READING,
                effects=("read",),
                why="block_node_read_again",
                spec="PID-4",
            )
            for state in (READING, WRITING)
        ),
        *(
            Row(source=state, on=CRASH, target=NO_BLOCK, why="block_abandoned", spec="PID-6")
            for state in (NO_BLOCK, READING, WRITING, HOLDING, EXHAUSTED)
        ),
    ),
    guards=GUARDS,
    effects=("read", "write", "keep", "fail"),
    unless="quorum_controller",
)

CLAIMING = MACHINE.sources(NO_REPLY)
"""States in which the broker waits for a reply of ZooKeeper."""
ANSWERS = {row.source: row.on for row in MACHINE.rows if row.on in (DATA, WRITTEN)}
"""Dict of state → the type of reply that the broker waits for in it."""
