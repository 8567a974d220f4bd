"""Draws the scenes of the front page as one SVG. Each object is in it once, with its position and look in all
scenes.

`data-at` has one entry for each scene: `look x y`. A script moves the objects from scene to scene. Without
the script, the picture shows the still scene. There are two forms: a wide one beside the words, and an
upright one for phones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from eosviz.catalogue import say
from eosviz.scenarios.trailer import BROKER, CLIENT, PARTITION, READER, RECORDS, STILL, scenes

TAGGED = ("stored", "answer_lost", "recognised", "others_stored", "read_once")
OFF = "off"
Point = tuple[float, float]
Place = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Form:
    """The positions of all objects. A box is (x, y, width, height)."""

    name: str
    size: tuple[int, int]
    client: tuple[float, float, float, float]
    broker: tuple[float, float, float, float]
    record: tuple[float, float, int]
    """(x, y) of the first record in the producer's list, and the number of records in a row."""
    record_size: tuple[float, float]
    lane: tuple[float, float, float]
    """The left end of the lane, its top, and the width of a record."""
    cell_height: float
    reader: float
    """The top of the consumer, which is below the broker."""
    wires: str
    out: Point
    back: Point
    comes_from: Point
    """Where a request begins, relative to `out`. A response begins on the other side of `back`."""
    lost: dict[bool, Point]
    """Where a request (false) and a response (true) are when the connection breaks."""
    home: Point
    taken: Point
    """Where a request disappears when the broker appends its batch. On the way there it crosses no name."""
    compared: Point
    """Where a batch stops at the broker's edge, beside the record that it repeats."""
    legend: Point
    tags: dict[str, tuple[float, float]]
    sheets: dict[bool, str]
    """The outlines of a request (false) and of a response (true). Each points in the direction in which the
    message goes."""


WIDE = Form(
    "wide", (760, 284), (12, 12, 184, 260), (350, 12, 398, 196), (28, 54, 3), (44, 40), (400, 112, 100), 60, 213,
    "M196 118H350M350 196H196", (204, 94), (216, 172), (90, 0), {False: (216, 94), True: (204, 172)}, (200, 172),
    (400, 112), (218, 94), (28, 192),
    {"stored": (400, 248), "answer_lost": (208, 228), "recognised": (400, 248), "others_stored": (400, 248),
     "read_once": (400, 248)},
    {False: "M0 0H114L126 24L114 48H0z", True: "M12 0H126V48H12L0 24z"},
)  # fmt: skip
UPRIGHT = Form(
    "upright", (358, 416), (6, 6, 346, 108), (6, 196, 346, 152), (18, 42, 3), (44, 34), (56, 280, 82), 42, 353,
    "M70 114V196M250 196V114", (18, 122), (194, 136), (0, 60), {False: (18, 132), True: (194, 130)}, (194, 118),
    (18, 141), (18, 141), (206, 40),
    {"stored": (22, 384), "answer_lost": (18, 81), "recognised": (22, 384), "others_stored": (22, 384),
     "read_once": (22, 384)},
    {False: "M0 0H126V48H73L63 57L53 48H0z", True: "M0 0H53L63 -9L73 0H126V48H0z"},
)  # fmt: skip
FORMS = (WIDE, UPRIGHT)
BETWEEN = 5.0
"""The distance between two records in the producer's list."""
SHEET_WIDTH = 126
TAG_APART = 8.0
"""The smallest distance between a tag and the edges of the picture."""
GHOST = 32.0
"""The height of the box for a batch that has arrived a second time. It is drawn above the stored record with
which it is compared."""


def sentences(language: str) -> list[tuple[str, bool]]:
    """(sentence, whether the scene is the still one) of each scene."""
    return [
        (say(f"front.scene.{scene.name}", language, scene.params), scene.name == STILL) for scene in scenes()
    ]


def drawing(form: Form, language: str) -> str:
    """The SVG element of the picture."""
    width, height = form.size
    parts = [
        *_ground(form, language),
        *_records(form),
        *_cells(form),
        *_reader(form, language),
        *_messages(form, language),
        *_compared(form),
    ]
    parts += _tags(form, language)
    return f'<svg class="trailer-{form.name}" viewBox="0 0 {width} {height}" aria-hidden="true">{"".join(parts)}</svg>'


def _thing(kind: str, places: list[Place], inside: str) -> str:
    """One moving object as an SVG element, at its position in the still scene."""
    still = next(number for number, scene in enumerate(scenes()) if scene.name == STILL)
    look, x, y = places[still]
    at = ";".join(f"{look} {x:g} {y:g}" for look, x, y in places)
    return f'<g class="thing {kind}" data-look="{look}" data-at="{at}" transform="translate({x:g} {y:g})">{inside}</g>'


def _ground(form: Form, language: str) -> Iterator[str]:
    for (x, y, width, height), name, about in (
        (form.client, CLIENT, "front.picture.client"),
        (form.broker, BROKER, "front.picture.broker"),
    ):
        yield f'<rect class="room" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>'
        yield f'<text class="name" x="{x + 14}" y="{y + 24}">{name}</text>'
        text = escape(say(about, language, {"partition": PARTITION}))
        yield f'<text class="about" x="{x + width - 12}" y="{y + 24}" text-anchor="end">{text}</text>'
    left, top, unit = form.lane
    yield f'<path class="wire" d="{form.wires}"/>'
    yield f'<path class="base" d="M{left - 4:g} {top + form.cell_height + 2:g}h{RECORDS * unit + 20:g}"/>'
    yield from _legend(form, language)


def _legend(form: Form, language: str) -> Iterator[str]:
    """The legend for the looks of a record: two in the producer's list, one in the log."""
    x, y = form.legend
    for number, look in enumerate(("waits", "known", "stored")):
        at = y + 22 * number
        text = escape(say(f"front.picture.{look}", language))
        yield f'<rect class="legend {look}" x="{x}" y="{at:g}" width="16" height="14" rx="3"/>'
        if look == "known":
            yield f'<path class="tick" d="M{x + 4:g} {at + 7:g}l3 3 5 -6"/>'
        yield f'<text class="about" x="{x + 24}" y="{at + 12:g}">{text}</text>'


def _records(form: Form) -> Iterator[str]:
    x, y, columns = form.record
    width, height = form.record_size
    for number in range(max(len(scene.believed) for scene in scenes())):
        place = (x + number % columns * (width + BETWEEN), y + number // columns * (height + BETWEEN))
        looks = [
            OFF if number >= len(scene.believed) else "known" if scene.believed[number] else "waits"
            for scene in scenes()
        ]
        inside = (
            f'<rect width="{width:g}" height="{height:g}" rx="4"/>'
            f'<text x="{width / 2:g}" y="{height / 2 + 5:g}" text-anchor="middle">{number}</text>'
            f'<path class="tick" d="M{width - 13:g} 8l3 3 5 -6"/>'
        )
        yield _thing("record", [(look, *place) for look in looks], inside)


def _cells(form: Form) -> Iterator[str]:
    left, top, unit = form.lane
    last = scenes()[-1].stored
    start = last[0][0]
    for offset, first, final in last:
        x, width = left + (offset - start) * unit, (final - first + 1) * unit - 3
        looks, was_there = [], False
        for scene in scenes():
            there = any(offset == one[0] for one in scene.stored)
            compared = any(
                place == "compared" and scene.numbers[key][0] == first for key, place in scene.travels.items()
            )
            looks.append(OFF if not there else "same" if compared else "on" if was_there else "new")
            was_there = there
        numbers = _numbers(first, final)
        inside = (
            f'<rect class="ring" x="-3" y="-3" width="{width + 6:g}" height="{form.cell_height + 6:g}" rx="6"/>'
            f'<rect width="{width:g}" height="{form.cell_height:g}" rx="4"/>'
            f'<text x="{width / 2:g}" y="{form.cell_height / 2 + 6:g}" text-anchor="middle">{numbers}</text>'
            f'<text class="offset" x="3" y="{form.cell_height + 18:g}">{offset}</text>'
        )
        yield _thing("cell", [(look, x, top) for look in looks], inside)


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _reader(form: Form, language: str) -> Iterator[str]:
    left, _, unit = form.lane
    start = scenes()[-1].stored[0][0]
    places = [("on", left - 1.5 + (scene.read - start) * unit, form.reader) for scene in scenes()]
    name = say("front.picture.reader", language, {"consumer": READER})
    yield _thing(
        "reader",
        places,
        f'<path d="M0 0l6 11h-12z"/><text x="0" y="25" text-anchor="middle">{escape(name)}</text>',
    )


def _compared(form: Form) -> Iterator[str]:
    """The batch that has arrived a second time. It is above the stored record with which it is compared."""
    left, top, unit = form.lane
    looks = ["on" if "compared" in one.travels.values() else OFF for one in scenes()]
    width, y = unit - 3, -GHOST - 14
    inside = (
        f'<rect x="0" y="{y:g}" width="{width:g}" height="{GHOST:g}" rx="4"/>'
        f'<text x="{width / 2:g}" y="{y + GHOST / 2 + 6:g}" text-anchor="middle">0</text>'
        f'<path class="equal" d="M{width / 2 - 4:g} -12v8m8-8v8"/>'
    )
    yield _thing("ghost", [(look, left, top) for look in looks], inside)


def _messages(form: Form, language: str) -> Iterator[str]:
    numbers = scenes()[-1].numbers
    for key in dict.fromkeys(key for scene in scenes() for key in scene.travels):
        first, last = numbers[key]
        is_answer = key.startswith("answer")
        about = (
            f"{PARTITION}: {scenes()[-1].stored[0][0]}"
            if is_answer
            else say("front.picture.sequence", language, {"numbers": _numbers(first, last)})
        )
        begin = form.back if is_answer else form.out
        places = list(_message_places(form, key, begin))
        name = say("front.picture.answer" if is_answer else "front.picture.request", language)
        left = 20 if is_answer else 11
        inside = (
            f'<path class="sheet" d="{form.sheets[is_answer]}"/>'
            f'<text x="{left}" y="20">{escape(name)}</text>'
            f'<text class="about" x="{left}" y="38">{escape(about)}</text>'
            f'<path class="cross" d="M{SHEET_WIDTH - 30} -6l24 24m0-24l-24 24"/>'
        )
        yield _thing("message", places, inside)


def _message_places(form: Form, key: str, begin: Point) -> Iterator[Place]:
    """(look, x, y) of a message in each scene. It comes out of its sender, and disappears where it was
    last."""
    is_answer = key.startswith("answer")
    from_x, from_y = form.comes_from
    at = (begin[0] - from_x, begin[1] - from_y) if is_answer else (begin[0] + from_x, begin[1] + from_y)
    for scene in scenes():
        where = scene.travels.get(key)
        if where is None:
            yield OFF, *at
            continue
        at = _message_place(form, where, is_answer)
        yield {"taken": "into", "home": "on", "out": "on"}.get(where, where), *at


def _message_place(form: Form, where: str, is_answer: bool) -> Point:
    if where == "taken":
        return form.taken
    if where == "compared":
        return form.compared
    if where == "home":
        return form.home
    begin = form.back if is_answer else form.out
    return form.lost[is_answer] if where == "lost" else begin


def _tags(form: Form, language: str) -> Iterator[str]:
    for name in TAGGED:
        scene = next(one for one in scenes() if one.name == name)
        text = say(f"front.tag.{name}", language, scene.params)
        width = sum(15.5 if ord(letter) > 0x2E7F else 8.4 for letter in text) + 22
        width = min(width, form.size[0] - 2 * TAG_APART)
        x = max(TAG_APART, min(form.tags[name][0], form.size[0] - width - 20))
        places = [("on" if one.name == name else OFF, x, form.tags[name][1]) for one in scenes()]
        inside = (
            f'<rect width="{width:.0f}" height="30" rx="5"/>'
            f'<text x="{width / 2:.0f}" y="20" text-anchor="middle">{escape(text)}</text>'
        )
        yield _thing(f"tag {name}", places, inside)
