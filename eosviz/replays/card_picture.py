"""Draws the preview picture of a link or of a published replay: the lanes of the partitions at one step.

Dashed means open, hatched means aborted, C and A are markers, a thin line is the high watermark and a thick
line the last stable offset. A batch has the hue of its producer id, as in the player. The picture contains no
sentence, so it is the same in every language.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from engine.topic_partition import is_internal
from eosviz.replays.card_size import HEIGHT, WIDTH

Json = dict[str, Any]
Box = tuple[float, float, float, float]

MARGIN = 60
LANES_MAX = 4
LANE_TOP, LANE_STEP, CELL_HEIGHT = 190, 98, 58
LANE_LEFT = 190
FLAG_WIDTH = 22
CELL_WIDTHS = {"least": 60, "a record": 26, "most": 190}
PAPER, INK, QUIET, RED = "#ffffff", "#14181d", "#5d6874", "#b3261e"
HUES = (
    ("#0168de", "#b4dcfb"),
    ("#8e6613", "#f3d79f"),
    ("#1a5230", "#c5d9c4"),
    ("#910d7e", "#e2cce0"),
    ("#5f646a", "#f6f6f6"),
    ("#574200", "#dcfbcd"),
)
"""(line colour, fill colour) of each hue. If a run has more producer ids than hues, the hues repeat from the
first one. The colours are those of the light theme in static/styles/tokens.css."""
PLAIN = (QUIET, PAPER)
"""(line colour, fill colour) of a batch without a hue, for example without a producer id."""


def draw_card(header: Mapping[str, Any], view: Json, step: int, hues: Mapping[str, int]) -> bytes:
    """The picture as a PNG file of 1200 × 630 pixels. ``hues``: producer id → the number of its hue, from the
    run's plan."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    name = header["scenario"] + (f" / {header['variant']}" if header["variant"] else "")
    _text(draw, (MARGIN, 48), "eosviz", 30, QUIET)
    _text(draw, (MARGIN, 88), name, 54, INK)
    if any(actor["role"] == "broker" for actor in header["actors"]):
        _text(draw, (WIDTH - MARGIN, 48), f"Kafka {header['version']}", 30, QUIET, anchor="ra")
    _text(draw, (WIDTH - MARGIN, 88), f"# {step}", 54, INK, anchor="ra")
    lanes = _lanes(view)
    scale = 1.7 if len(lanes) <= 2 else 1.0
    for row, (partition, replica) in enumerate(lanes[:LANES_MAX]):
        _draw_lane(draw, LANE_TOP + row * LANE_STEP * scale, partition, replica, hues, scale)
    if len(lanes) > LANES_MAX:
        _text(draw, (MARGIN, HEIGHT - 40), f"+ {len(lanes) - LANES_MAX}", 26, QUIET)
    _draw_guarantees(draw, view.get("guarantees", {}))
    packed = io.BytesIO()
    image.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def _text(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    color: str,
    anchor: str = "la",
) -> None:
    draw.text(at, text, fill=color, font=ImageFont.load_default(size), anchor=anchor)


def _lanes(view: Json) -> list[tuple[str, Json]]:
    """(partition, replica to draw) for each partition of the scenario. The replica is the leader's or, if
    there is no leader, the first. Internal partitions are left out."""
    found = []
    for name, partition in view.get("partitions", {}).items():
        replicas = partition.get("replicas", {})
        shown = replicas.get(str(partition.get("leader"))) or next(iter(replicas.values()), None)
        if shown is not None and not is_internal(name):
            found.append((name, shown))
    return found


def _draw_lane(
    draw: ImageDraw.ImageDraw,
    top: float,
    partition: str,
    replica: Json,
    hues: Mapping[str, int],
    scale: float,
) -> None:
    bottom = top + CELL_HEIGHT * scale
    batches = list(replica.get("batches", {}).values())
    _text(draw, (MARGIN, (top + bottom) / 2), partition, 30, INK, anchor="lm")
    draw.line((LANE_LEFT, bottom, WIDTH - MARGIN, bottom), fill="#d3d9e0", width=2)
    room = WIDTH - MARGIN - LANE_LEFT
    shown = _newest_that_fit(batches, room / scale)
    left = float(LANE_LEFT)
    if len(shown) < len(batches):
        _text(draw, (LANE_LEFT - 12, top - 4), f"+ {len(batches) - len(shown)}", 20, QUIET, anchor="rd")
    gates: dict[int, float] = {}
    for batch in shown:
        right = left + _width(batch) * scale
        gates.setdefault(batch["base_offset"], left)
        gates[batch["last_offset"] + 1] = right
        hue = hues.get(str(batch["producer_id"]))
        look = PLAIN if hue is None else HUES[hue % len(HUES)]
        _draw_batch(draw, (left, top, right, bottom), batch, look, scale)
        left = right
    for gate, width in (("high_watermark", 3), ("last_stable_offset", 8)):
        place = gates.get(replica.get(gate, -1))
        if place is not None:
            draw.line((place, top - 10, place, bottom + 10), fill=INK, width=width)


def _width(batch: Json) -> float:
    if batch.get("control") is not None:
        return FLAG_WIDTH
    wanted = CELL_WIDTHS["a record"] * batch["record_count"] + 34
    width: float = min(max(wanted, CELL_WIDTHS["least"]), CELL_WIDTHS["most"])
    return width


def _newest_that_fit(batches: list[Json], room: float) -> list[Json]:
    kept = len(batches)
    while kept and room - _width(batches[kept - 1]) >= 0:
        kept -= 1
        room -= _width(batches[kept])
    return batches[kept:]


def _draw_batch(
    draw: ImageDraw.ImageDraw, box: Box, batch: Json, look: tuple[str, str], scale: float
) -> None:
    line, fill = look
    left, top, right, bottom = box
    if batch.get("control") is not None:
        draw.rectangle((left + 4, top, right - 4, bottom), fill=line)
        sign = "C" if str(batch["control"]).upper().startswith("C") else "A"
        _text(draw, ((left + right) / 2, (top + bottom) / 2), sign, int(18 * scale), PAPER, anchor="mm")
        return
    inside = (left + 2, top, right - 2, bottom)
    is_open = batch.get("outcome") == "open"
    draw.rectangle(inside, fill=fill, outline=None if is_open else line, width=3)
    if batch.get("outcome") == "aborted":
        for start in range(int(left) + 10, int(right + bottom - top), 14):
            _clipped_stroke(draw, start, inside, line)
    if is_open:
        _dashed(draw, inside, line)
    first, last = batch["base_offset"], batch["last_offset"]
    text = str(first) if first == last else f"{first}-{last}"  # the font has no en dash
    _text(draw, ((left + right) / 2, (top + bottom) / 2), text, int(24 * scale), INK, anchor="mm")


def _clipped_stroke(draw: ImageDraw.ImageDraw, start: int, box: Box, color: str) -> None:
    """Draw the part of one line of the hatching that is inside the box."""
    left, top, right, bottom = box
    first_x, first_y = float(start), top
    if first_x > right:
        first_x, first_y = right, top + (start - right)
    last_x, last_y = float(start) - (bottom - top), bottom
    if last_x < left:
        last_x, last_y = left, top + (start - left)
    if first_y <= bottom and last_y >= top:
        draw.line((first_x, first_y, last_x, last_y), fill=color, width=2)


def _dashed(draw: ImageDraw.ImageDraw, box: Box, color: str) -> None:
    left, top, right, bottom = box
    for x in range(int(left), int(right), 14):
        for y in (top, bottom):
            draw.line((x, y, min(x + 8, right), y), fill=color, width=3)
    for y_start in range(int(top), int(bottom), 14):
        for x_at in (left, right):
            draw.line((x_at, y_start, x_at, min(y_start + 8, bottom)), fill=color, width=3)


def _draw_guarantees(draw: ImageDraw.ImageDraw, guarantees: Json) -> None:
    """Draw one bar for each judged guarantee. The bar of a broken one is red and crossed."""
    judged = [found for found in guarantees.values() if found["judged"]]
    left = WIDTH - MARGIN - len(judged) * 44
    for number, found in enumerate(judged):
        x, y = left + number * 44, HEIGHT - 44
        broken = found["broken_at"] is not None
        draw.rectangle((x, y, x + 32, y + 10), fill=RED if broken else "#414b57")
        if broken:
            draw.line((x + 4, y - 12, x + 28, y + 22), fill=RED, width=4)
            draw.line((x + 28, y - 12, x + 4, y + 22), fill=RED, width=4)
