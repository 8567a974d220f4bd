"""How a broker gets its next block of producer ids from the controller, as rows (KIP-730;
``RPCProducerIdManager``).

The broker requests the next block when it has issued nine tenths of its block, and at the latest when a
client needs an id and none is left. At most one request is in flight. After a refusal the broker waits before
it sends the request again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.machine import Machine, Row

IDLE, ASKING, BACKING_OFF = "IDLE", "ASKING", "BACKING_OFF"
WANT, BLOCK, REFUSED, NO_REPLY, CRASH = "want", "block", "refused", "no_reply", "crash"


class Situation(NamedTuple):
    """The values that the guards read. ``too_soon``: whether the pause after a refusal is not over yet."""

    too_soon: bool = False


def _too_soon(situation: Situation) -> bool:
    return situation.too_soon


def _pause_over(situation: Situation) -> bool:
    return not situation.too_soon


GUARDS: dict[str, Callable[[Situation], bool]] = {"too_soon": _too_soon, "pause_over": _pause_over}

MACHINE: Machine[Situation] = Machine(
    "producer_id_allocation",
    IDLE,
    (
        Row(source=IDLE, on=WANT, target=ASKING, effects=("ask",), why="asks_for_block", spec="PID-5"),
        Row(source=ASKING, on=BLOCK, target=IDLE, effects=("keep",), why="block_received", spec="PID-1"),
        Row(
            source=ASKING,
            on=REFUSED,
            target=BACKING_OFF,
            effects=("back_off",),
            why="block_refused",
            spec="PID-3",
        ),
        Row(
            source=ASKING,
            on=NO_REPLY,
            target=ASKING,
            effects=("ask",),
            why="asks_for_block_again",
            spec="PID-4",
        ),
        Row(
            source=BACKING_OFF,
            on=WANT,
            when="pause_over",
            target=ASKING,
            effects=("ask",),
            why="asks_for_block",
            spec="PID-5",
        ),
        Row(
            source=BACKING_OFF,
            on=WANT,
            when="too_soon",
            target=BACKING_OFF,
            why="asks_for_block_later",
            spec="PID-3",
        ),
        *(
            Row(
                source=state, on=CRASH, target=IDLE, effects=("forget",), why="blocks_abandoned", spec="PID-6"
            )
            for state in (IDLE, ASKING, BACKING_OFF)
        ),
    ),
    guards=GUARDS,
    effects=("ask", "keep", "back_off", "forget"),
    only_if="quorum_controller",
)

MAY_WANT = MACHINE.sources(WANT)
AWAITS = MACHINE.sources(NO_REPLY)
"""States in which the broker waits for the controller's response."""
