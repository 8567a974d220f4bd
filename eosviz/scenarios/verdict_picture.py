"""Draws how a run ends as a small picture: converts `engine.ending` to SVG.

The picture shows the lanes and, below them, the rows of a database; or the participants of a two-phase
commit; or the rule that refuses the run. As in all pictures, the hue stands for the producer id, dashed means
open, hatched means aborted, a thick bar is the last stable offset, and only a broken guarantee is red. Boxes
with the same look are drawn with one path, so that a page can have hundreds of pictures.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

WIDTH = 168
HEIGHT = 40
LEFT = 26
"""The sign of the first fault is left of this x."""
HUES = 6
LANES = 2
UNIT_MAX = 17.0
UNIT_MIN = 3.4
MARKER = 9.0
GATE = 5.0
LOST = 15.0
ROW = 14.0
TABLE = 16.0
"""The width of the sign for a database, which is left of the database's rows."""

TROUBLES = {
    "drop": "lost", "disconnect": "lost", "delay": "late", "connect_slowly": "late", "pause": "asleep",
    "duplicate": "twice", "reorder": "twice", "crash": "crash", "change_leader": "moves", "shrink_isr": "moves",
    "make_unavailable": "lost", "inject_error": "error", "deny": "error", "craft_produce": "forged",
    "craft_request": "forged", "competing_write": "forged", "delete_head": "cut", "delete_topic": "cut",
    "lose_heartbeats": "asleep", "fail_controller": "crash",
    "compact": "cut", "expire_producers": "cut", "seek": "moves", "close_consumer": "asleep",
    "update_features": "moves",
}  # fmt: skip
"""Dict of action of a fault in the document → the name of its sign. Several actions have the same sign,
because the signs are small."""
SIGNS = {
    "lost": "M1 9h7M11 5l7 8m0-8l-7 8",
    "late": "M10 2a7 7 0 1 0 .01 0M10 5v4.5l3 2",
    "asleep": "M6 3v12M13 3v12",
    "twice": "M2 3h9v8h-9zM7 7h9v8h-9z",
    "crash": "M11 1L5 10h5l-2 7l7-10h-5z",
    "moves": "M2 14c2-9 9-9 13-6m-5-4l5 4l-4 5",
    "error": "M9 2L17 16H1zM9 7v4m0 2v.5",
    "forged": "M9 1l8 8l-8 8l-8-8zM9 6v4m0 2v.5",
    "cut": "M9 1v3m0 2v3m0 2v3m0 2v1M3 5l4 4l-4 4m12-8l-4 4l4 4",
}
_MARKS = {
    "COMMITTED": "M{0} 19l5 5l9-10",
    "ROLLED_BACK": "M{0} 19h9q5 0 5 5M{0} 19l4-4m-4 4l4 4",
    "REFUSED": "M{0} 14l12 11m0-11l-12 11",
}


def picture(ending: Json) -> str:
    """The element `<svg class="stamp">`. It has no name for screen readers, because words beside it say the
    same."""
    drawing = _Drawing()
    troubles = dict.fromkeys(TROUBLES[one] for one in ending.get("troubles", ()) if one in TROUBLES)
    if "crash" in troubles:
        # In such a scenario the delay only makes the crash come in time, so it gets no sign.
        troubles.pop("late", None)
    for sign in list(troubles)[:1]:
        drawing.path("sign", SIGNS[sign], shift=(1, 11))
    if "refused_by" in ending:
        drawing.path("gate", f"M{LEFT + 2} 8v24")
        drawing.text(LEFT + 12, 24, ending["refused_by"])
    elif ending["nodes"] and not ending["lanes"]:
        _draw_nodes(drawing, ending)
    else:
        _draw_lanes(drawing, ending)
    return f'<svg class="stamp" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{drawing.svg()}</svg>'


def sign(name: str) -> str:
    """The sign of a fault by itself, for a legend. ``name``: a key of SIGNS."""
    path = f'<path class="sign" d="{SIGNS[name]}"/>'
    return f'<svg class="stamp sign-alone" viewBox="0 0 18 18" aria-hidden="true">{path}</svg>'


class _Drawing:
    """Collects the shapes of a picture."""

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {}
        self._others: list[str] = []

    def path(self, look: str, path: str, shift: tuple[float, float] | None = None) -> None:
        if shift is not None:
            self._others.append(
                f'<path class="{look}" transform="translate({shift[0]} {shift[1]})" d="{path}"/>'
            )
        else:
            self._paths.setdefault(look, []).append(path)

    def text(self, x: float, y: float, text: str, end: bool = False) -> None:
        anchor = ' text-anchor="end"' if end else ""
        self._others.append(f'<text class="label" x="{x:g}" y="{y:g}"{anchor}>{text}</text>')

    def svg(self) -> str:
        drawn = (f'<path class="{look}" d="{"".join(paths)}"/>' for look, paths in self._paths.items())
        return "".join([*drawn, *self._others])


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:.4g} {y:.4g}h{width:.4g}v{height:.4g}h-{width:.4g}z"


def _draw_lanes(drawing: _Drawing, ending: Json) -> None:
    table = ending.get("table")
    lanes = ending["lanes"][: LANES if table is None else 1]
    if table is not None:
        lanes = [lanes[0] if lanes else _NO_LANE]
        # A row's record is missing because it was lost, failed or never sent.
        lost, failed, missing = lanes[0]["lost"], lanes[0]["failed"], table["record_missing"]
        lanes[0] = {**lanes[0], "lost": max(lost, missing), "failed": max(0, failed - missing)}
        _draw_table(drawing, table)
    if not lanes:
        drawing.path("base", f"M{LEFT} 31H{WIDTH - 4}")
        return
    is_alone = len(lanes) == 1 and table is None
    height = 20.0 if is_alone else 12.0
    room = WIDTH - LEFT - 4.0
    for row, lane in enumerate(lanes):
        top = 10.0 if is_alone else 4.0 + row * 19
        _draw_lane(drawing, lane, top, height, room, twice="duplicated" in ending.get("broken", {}))
    folded = max(0, ending["folded"] + len(ending["lanes"]) - len(lanes))
    if folded:
        drawing.text(WIDTH - 2, 38, f"+{folded}", end=True)


_NO_LANE: Json = {"cells": [], "gate": None, "lost": 0, "failed": 0, "reordered": 0, "deleted": False}
"""A lane without any batch."""


def _draw_table(drawing: _Drawing, table: Json) -> None:
    top, height = 23.0, 12.0
    middle, holes = top + height / 2, min(table["row_missing"], 4)
    drawing.path("base", f"M{LEFT - 1} {top + height + 1:g}H{WIDTH - 4}")
    drawing.path("hx", f"M{LEFT} {top + 2:g}a5 2 0 0 0 10 0a5 2 0 0 0 -10 0v8a5 2 0 0 0 10 0v-8")
    rows = table["rows"][-int((WIDTH - LEFT - TABLE - 4 - holes * LOST) // ROW) :]
    x = LEFT + TABLE
    for copies in rows:
        drawing.path("twice hx" if copies > 1 else "hx", _box(x, top, ROW - 2, height))
        drawing.path("base", f"M{x + 2.5:.4g} {middle:g}h{ROW - 7:g}")
        if copies > 1:
            drawing.path("equal", f"M{x + 4.5:.4g} {middle - 2:g}v4m3-4v4")
        x += ROW
    for _ in range(holes):
        drawing.path("hole", _box(x + 1, top, LOST - 3, height))
        drawing.path("cross", f"M{x + 3.5:.4g} {middle - 4:g}l7 8m0-8l-7 8")
        x += LOST


def _draw_lane(drawing: _Drawing, lane: Json, top: float, height: float, room: float, *, twice: bool) -> None:
    missing = lane["lost"] + lane["failed"]
    cells, unit = _fitting(lane, room - min(missing, 4) * LOST)
    x = float(LEFT)
    drawing.path("base", f"M{LEFT - 1} {top + height + 1:.4g}H{WIDTH - 4}")
    if lane["deleted"]:
        drawing.path("gone", f"M{LEFT - 1} {top + height / 2:.4g}H{WIDTH - 4}")
    hidden = len(lane["cells"]) - len(cells)
    for number, (kind, records, hue) in enumerate(cells, start=hidden):
        if lane["gate"] == number:
            drawing.path("gate", f"M{x + 1:.4g} {top - 4:.4g}v{height + 8:.4g}")
            x += GATE
        look = f"h{hue % HUES}" if hue >= 0 else "hx"
        if kind in ("COMMIT", "ABORT"):
            flag = f"M{x + 1.5:.4g} {top - 1:.4g}v{height + 1:.4g}M{x + 1.5:.4g} {top - 1:.4g}h7l-2 3.5l2 3.5h-7z"
            drawing.path(f"marker {look}" if kind == "COMMIT" else f"marker abort {look}", flag)
            x += max(unit, MARKER)
            continue
        width = max(2.5, records * unit - 1.5)
        _draw_cell(drawing, kind if kind != "duplicate" or twice else "stored", look, (x, top, width, height))
        x += records * unit
    for number in range(min(missing, 4)):
        drawing.path("hole", _box(x + 1, top, LOST - 3, height))
        if number < lane["lost"]:
            middle = top + height / 2
            drawing.path("cross", f"M{x + 3.5:.4g} {middle - 4:.4g}l7 8m0-8l-7 8")
        x += LOST
    if lane["reordered"]:
        drawing.path(
            "cross", f"M{LEFT + unit:.4g} {top - 3:.4g}q{unit:.4g} -7 {2 * unit:.4g} 0l-4 -2m4 2l0 -4"
        )


def _draw_cell(drawing: _Drawing, kind: str, look: str, box: tuple[float, float, float, float]) -> None:
    x, top, width, height = box
    drawing.path(
        {"open": f"open {look}", "aborted": f"aborted {look}", "duplicate": f"twice {look}"}.get(kind, look),
        _box(*box),
    )
    if kind == "aborted":
        for start in range(3, int(width + height), 5):
            first = (x + max(0.0, start - height), top + min(start, height))
            last = (x + min(start, width), top + max(0.0, start - width))
            drawing.path(f"hatch {look}", f"M{first[0]:.4g} {first[1]:.4g}L{last[0]:.4g} {last[1]:.4g}")
    if kind == "duplicate":
        middle = x + width / 2
        drawing.path("equal", f"M{middle - 1.5:.4g} {top + height + 2.5:.4g}v4m3-4v4")


def _fitting(lane: Json, room: float) -> tuple[list[Any], float]:
    """The newest cells that fit, and the width of a record."""
    cells = list(lane["cells"])
    while True:
        markers = sum(kind in ("COMMIT", "ABORT") for kind, _, _ in cells)
        records = sum(count for kind, count, _ in cells if kind not in ("COMMIT", "ABORT"))
        left = room - (GATE if lane["gate"] is not None else 0)
        # A marker is as wide as a record, but at least as wide as its flag.
        unit = left / (records + markers) if cells else UNIT_MAX
        if unit < MARKER and records:
            unit = (left - markers * MARKER) / records
        unit = min(UNIT_MAX, unit)
        if unit >= UNIT_MIN or len(cells) < 2:
            return cells, max(unit, UNIT_MIN)
        cells = cells[1:]


def _draw_nodes(drawing: _Drawing, ending: Json) -> None:
    """Draw the first four participants as boxes with their states, and a red line if a guarantee is
    broken."""
    for number, (_, state) in enumerate(ending["nodes"][:4]):
        x = LEFT + number * 35.0
        drawing.path("hx", _box(x, 8, 28, 22))
        mark = _MARKS.get(state)
        if mark is not None:
            drawing.path("mark", mark.replace("{0}", f"{x + 7:g}"))
        else:
            drawing.text(x + 10, 24, "?")
    if "mixed" in ending.get("broken", {}) or "repeated" in ending.get("broken", {}):
        drawing.path("cross", f"M{LEFT} 35h{min(len(ending['nodes']), 4) * 35 - 7}")
