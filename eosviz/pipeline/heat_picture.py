"""Draws the heat maps as a picture to download. It contains only numbers and the names of scenarios,
measures, settings and rules, so it is the same in every language."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont

from eosviz.pipeline.sweep_figures import HEATS, SHARES, Look, Mark, Panel
from eosviz.pipeline.templatetags.sweeps import short

CELL_WIDTH, CELL_HEIGHT = 96, 44
MARGIN, HEAD = 24, 64
PIXELS_MAX = 12_000
"""The largest width and height of the picture, in pixels. Panels that do not fit are left out, and their
number is written at the end. Columns that do not fit are cut off."""
PAPER, INK, QUIET, LINE = "#ffffff", "#14181d", "#5d6874", "#d3d9e0"
PALE, STRONG = (255, 247, 236), (140, 30, 10)


def draw_map(panels: list[Panel], look: Look, title: str) -> bytes:
    """The panels below each other, as a PNG file."""
    left = MARGIN + max([60, *(9 * len(name) + 16 for panel in panels for name, _ in panel.rows)])
    columns = max((len(panel.columns) for panel in panels), default=1)
    width = min(PIXELS_MAX, left + columns * CELL_WIDTH + MARGIN)
    heights = [_height(panel) for panel in panels]
    shown = 0
    height = HEAD
    while shown < len(panels) and height + heights[shown] <= PIXELS_MAX - MARGIN:
        height += heights[shown]
        shown += 1
    image = Image.new("RGB", (width, height + MARGIN), PAPER)
    draw = ImageDraw.Draw(image)
    _text(draw, (MARGIN, 14), f"eosviz  {title}", 20, INK)
    _text(draw, (MARGIN, 40), f"{look.down} × {look.across}".strip(" ×"), 14, QUIET)
    top = HEAD
    for panel, tall in zip(panels[:shown], heights, strict=False):
        _draw_panel(draw, panel, look, left, top)
        top += tall
    if shown < len(panels):
        _text(draw, (MARGIN, top), f"+ {len(panels) - shown}", 14, QUIET)
    packed = io.BytesIO()
    image.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def _height(panel: Panel) -> int:
    return 52 + CELL_HEIGHT * len(panel.rows) + 12


def _draw_panel(draw: ImageDraw.ImageDraw, panel: Panel, look: Look, left: int, top: int) -> None:
    _text(draw, (MARGIN, top), "  ".join(f"{name} = {value}" for name, value in panel.names), 14, INK)
    for column, name in enumerate(panel.columns):
        _text(draw, (left + column * CELL_WIDTH + CELL_WIDTH / 2, top + 36), name[:13], 13, QUIET, "mm")
    for number, (name, marks) in enumerate(panel.rows):
        y = top + 50 + number * CELL_HEIGHT
        _text(draw, (left - 8, y + CELL_HEIGHT / 2), name, 13, QUIET, "rm")
        for column, mark in enumerate(marks):
            _draw_mark(draw, mark, look, left + column * CELL_WIDTH, y)


def _draw_mark(draw: ImageDraw.ImageDraw, mark: Mark | None, look: Look, x: float, y: float) -> None:
    heat = mark.heat if mark is not None else 0
    box = (x, y, x + CELL_WIDTH - 2, y + CELL_HEIGHT - 2)
    draw.rectangle(box, fill=colour_of(heat) if heat else PAPER, outline=LINE)
    middle = (x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2)
    ink = PAPER if heat > HEATS // 2 else INK
    if mark is None:
        return
    if mark.shown is None:
        _text(draw, middle, mark.rule if mark.is_refused and mark.rule else "-", 13, QUIET, "mm")
        return
    form = (lambda value: f"{100 * value:.0f}") if look.measure in SHARES else short
    shown = f"{form(mark.shown)} %" if look.measure in SHARES else form(mark.shown)
    _text(draw, (middle[0], middle[1] - 8), shown, 14, ink, "mm")
    if mark.low is not None and mark.high is not None:
        below = f"{form(mark.low)}-{form(mark.high)}  {mark.runs}"
        _text(draw, (middle[0], middle[1] + 9), below, 11, ink, "mm")


def colour_of(heat: int) -> tuple[int, int, int]:
    share = heat / HEATS
    red, green, blue = (
        round(pale + (strong - pale) * share) for pale, strong in zip(PALE, STRONG, strict=True)
    )
    return red, green, blue


def _text(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, color: str, anchor: str = "la"
) -> None:
    draw.text(at, text, fill=color, font=ImageFont.load_default(size), anchor=anchor)
