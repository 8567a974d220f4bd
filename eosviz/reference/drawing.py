"""Draws a state machine from its table: the states in a column, and rails beside it.

Edges that lead down the column use rails on its right, edges that lead up use rails on its left. On each
side, all edges to the same state share one rail with an arrow to that state; each source state is joined to
the rail with a dot. Lines that cross without a dot are not connected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.machine import Machine

BOX_HEIGHT = 30
ROW = 44
"""The distance from one state to the next, in px."""
RAIL = 14
"""The distance from one rail to the next, in px."""
LETTER = 7.3
"""About the width of one letter in a state's name, in px."""
PORT = 7
"""The distance in px from the middle of a box down to the lines that leave it, and up to the arrow that
enters it."""
MARGIN = 6


@dataclass(frozen=True, slots=True)
class Box:
    state: str
    x: float
    y: float
    width: float
    height: float
    initial: bool
    terminal: bool

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def text_y(self) -> float:
        return self.y + self.height / 2 + 4


@dataclass(frozen=True, slots=True)
class Dot:
    """The dot at which a state is joined to the rail of another state. ``events``: the events of the rows
    that lead from ``source`` to ``target``."""

    x: float
    y: float
    source: str
    target: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """The paths of the rails, and of the lines that join them."""
    arrows: tuple[str, ...]
    dots: tuple[Dot, ...]


def edges_of(machine: Machine[Any]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Dict of edge (from, to) → its events. A refusal is no edge, and neither is a row that keeps the
    state."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in machine.rows:
        if row.target is not None and row.target != row.source:
            found.setdefault((row.source, row.target), {})[row.on] = None
    return {edge: tuple(events) for edge, events in found.items()}


def draw(machine: Machine[Any]) -> Drawing:
    edges = edges_of(machine)
    order = {state: index for index, state in enumerate(_in_order(machine, edges))}
    down = _rails(order, [edge for edge in edges if order[edge[0]] < order[edge[1]]])
    up = _rails(order, [edge for edge in edges if order[edge[0]] > order[edge[1]]])
    left = MARGIN + RAIL * (max(up.values(), default=-1) + 1) + (RAIL if up else 0)
    width = max(len(state) for state in order) * LETTER + 24
    right = left + width
    boxes = tuple(
        Box(state, left, MARGIN + index * ROW, width, BOX_HEIGHT, not index, state in machine.terminal)
        for state, index in order.items()
    )
    middle = {box.state: box.y + BOX_HEIGHT / 2 for box in boxes}
    lines: list[str] = []
    arrows: list[str] = []
    dots: list[Dot] = []
    for rails, side, way in ((down, right, 1), (up, left, -1)):
        furthest: dict[str, float] = {}
        for target, rail in rails.items():
            x = side + way * RAIL * (rail + 1)
            sources = [
                source
                for source, to in edges
                if to == target and (order[source] < order[target]) == (way == 1)
            ]
            ends = [middle[source] + PORT for source in sources] + [middle[target] - PORT]
            lines.append(f"M{x:g} {min(ends):g}V{max(ends):g}")
            lines.append(f"M{x:g} {middle[target] - PORT:g}H{side + way * 6:g}")
            arrows.append(f"M{side:g} {middle[target] - PORT:g}l{way * 8} -4v8z")
            for source in sources:
                y = middle[source] + PORT
                dots.append(Dot(x, y, source, target, edges[source, target]))
                furthest[source] = max(furthest.get(source, 0), abs(x - side))
        for source, distance in furthest.items():
            lines.append(f"M{side:g} {middle[source] + PORT:g}h{way * distance:g}")
    outside = RAIL * (max(down.values(), default=-1) + 1)
    return Drawing(
        right + outside + MARGIN + (RAIL if down else 0),
        2 * MARGIN + (len(order) - 1) * ROW + BOX_HEIGHT,
        boxes,
        tuple(lines),
        tuple(arrows),
        tuple(dots),
    )


def _in_order(machine: Machine[Any], edges: dict[tuple[str, str], tuple[str, ...]]) -> list[str]:
    """The states from top to bottom: sorted by their distance from the initial state, final states last."""
    steps = {machine.initial: 0}
    reached = [machine.initial]
    for state in reached:
        for source, target in edges:
            if source == state and target not in steps:
                steps[target] = steps[state] + 1
                reached.append(target)
    last = len(machine.states)
    ends = machine.terminal - {machine.initial}
    return sorted(machine.states, key=lambda state: (state in ends, steps.get(state, last)))


def _rails(order: dict[str, int], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Dict of target state → the number of its rail on one side. Rail 0 is next to the boxes. Rails with the
    same number do not overlap."""
    spans: dict[str, tuple[int, int]] = {}
    for source, target in edges:
        low, high = spans.get(target, (order[target], order[target]))
        spans[target] = (min(low, order[source]), max(high, order[source]))
    taken: list[list[tuple[int, int]]] = []
    found: dict[str, int] = {}
    for target in sorted(spans, key=lambda name: (spans[name][1] - spans[name][0], spans[name])):
        low, high = spans[target]
        rail = 0
        while rail < len(taken) and any(low <= end and start <= high for start, end in taken[rail]):
            rail += 1
        if rail == len(taken):
            taken.append([])
        taken[rail].append((low, high))
        found[target] = rail
    return found
