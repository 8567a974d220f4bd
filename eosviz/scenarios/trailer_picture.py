"""The scenes of the front page as one SVG: every thing once, with its place and look in each scene.

`data-at` holds them, one for each scene: `look x y`. The script moves things from one to the next; without it the
picture stands at the scene that says most. Two forms: wide beside the words, and upright for a telephone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from eosviz.catalogue import say
from eosviz.scenarios.trailer import BROKER, CLIENT, PARTITION, READER, STILL, Scene, scenes

TAGGED = ("stored", "answer_lost", "recognised", "read_once")
OFF = "off"
Place = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Form:
    """Where things stand. Boxes are x, y, width, height."""

    name: str
    size: tuple[int, int]
    client: tuple[float, float, float, float]
    broker: tuple[float, float, float, float]
    record: tuple[float, float, int]
    """Where the first record of the producer's list stands, and how many there are in a row."""
    lane: tuple[float, float, float]
    """Left end, top, and how wide a record is."""
    wires: str
    out: tuple[float, float]
    back: tuple[float, float]
    home: tuple[float, float]
    compared: tuple[float, float]
    tags: dict[str, tuple[float, float]]


WIDE = Form(
    "wide", (760, 262), (12, 12, 168, 238), (334, 12, 414, 238), (30, 58, 4), (352, 118, 26),
    "M180 116H334M334 184H180", (204, 96), (204, 164), (196, 164), (348, 46),
    {"stored": (352, 210), "answer_lost": (204, 212),
     "recognised": (352, 210), "read_once": (352, 210)},
)  # fmt: skip
UPRIGHT = Form(
    "upright", (358, 402), (6, 6, 346, 104), (6, 196, 346, 200), (18, 44, 9), (18, 276, 24.5),
    "M70 110V196M250 196V110", (24, 134), (204, 134), (204, 122), (14, 230),
    {"stored": (18, 362), "answer_lost": (96, 141),
     "recognised": (18, 362), "read_once": (18, 362)},
)  # fmt: skip
FORMS = (WIDE, UPRIGHT)
CELL_HEIGHT = 42.0
RECORD = (32.0, 30.0)
"""From one record of the producer's list to the next."""


def sentences(language: str) -> list[tuple[str, bool]]:
    """What is said in each scene, and whether it is the one that stands still."""
    return [
        (say(f"front.scene.{scene.name}", language, scene.params), scene.name == STILL) for scene in scenes()
    ]


def drawing(form: Form, language: str) -> str:
    """The whole SVG element."""
    width, height = form.size
    parts = [
        *_ground(form, language),
        *_records(form),
        *_cells(form),
        *_reader(form),
        *_messages(form, language),
    ]
    parts += _tags(form, language)
    return f'<svg class="trailer-{form.name}" viewBox="0 0 {width} {height}" aria-hidden="true">{"".join(parts)}</svg>'


def _thing(kind: str, places: list[Place], inside: str) -> str:
    """One moving thing; it stands where the still scene has it."""
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
        said = escape(say(about, language))
        yield f'<text class="about" x="{x + width - 12}" y="{y + 24}" text-anchor="end">{said}</text>'
    left, top, unit = form.lane
    yield f'<path class="wire" d="{form.wires}"/>'
    yield f'<text class="about" x="{left}" y="{top - 10:g}">{PARTITION}</text>' if form is WIDE else ""
    yield (
        f'<path class="base" d="M{left - 4:g} {top + CELL_HEIGHT + 2:g}h{13 * unit + 40:g}"/>'
        if form is WIDE
        else (f'<path class="base" d="M{left - 4:g} {top + CELL_HEIGHT + 2:g}h{13 * unit + 8:g}"/>')
    )


def _records(form: Form) -> Iterator[str]:
    x, y, columns = form.record
    for number in range(max(len(scene.believed) for scene in scenes())):
        place = (x + number % columns * RECORD[0], y + number // columns * RECORD[1])
        looks = [
            OFF if number >= len(scene.believed) else "known" if scene.believed[number] else "waits"
            for scene in scenes()
        ]
        inside = (
            f'<rect width="27" height="24" rx="4"/><text x="13.5" y="17" text-anchor="middle">{number}</text>'
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
            compared = there and scene.travels is not None and scene.travels[1] == "compared" and first == 0
            looks.append(OFF if not there else "same" if compared else "on" if was_there else "new")
            was_there = there
        numbers = str(first) if first == final else f"{first}–{final}"
        inside = (
            f'<rect width="{width:g}" height="{CELL_HEIGHT:g}" rx="4"/>'
            f'<text x="{width / 2:g}" y="26" text-anchor="middle">{numbers}</text>'
            f'<text class="offset" x="3" y="{CELL_HEIGHT + 17:g}">{offset}</text>'
        )
        yield _thing("cell", [(look, x, top) for look in looks], inside)


def _reader(form: Form) -> Iterator[str]:
    left, top, unit = form.lane
    start = scenes()[-1].stored[0][0]
    places = [("on", left - 1.5 + (scene.read - start) * unit, top + CELL_HEIGHT + 3) for scene in scenes()]
    yield _thing(
        "reader", places, f'<path d="M0 0l5 9h-10z"/><text x="0" y="33" text-anchor="middle">{READER}</text>'
    )


def _messages(form: Form, language: str) -> Iterator[str]:
    keys = dict.fromkeys(scene.travels[0] for scene in scenes() if scene.travels is not None)
    for key in keys:
        is_answer = key.startswith("answer")
        about = (
            f"{PARTITION}: {scenes()[-1].stored[0][0]}"
            if is_answer
            else say("front.picture.sequence", language)
        )
        begin = form.back if is_answer else form.out
        places = [_message_place(form, scene, key, begin) for scene in scenes()]
        said = say("front.picture.answer" if is_answer else "front.picture.request", language)
        point = "M12 0H112V40H12L0 20z" if is_answer else "M0 0H100L112 20L100 40H0z"
        inside = (
            f'<path class="sheet" d="{point}"/><text x="{20 if is_answer else 10}" y="16">{escape(said)}</text>'
            f'<text class="about" x="{20 if is_answer else 10}" y="32">{escape(about)}</text>'
            '<path class="cross" d="M34 2l44 36m0-36l-44 36"/>'
        )
        yield _thing("message", places, inside)


def _message_place(form: Form, scene: Scene, key: str, begin: tuple[float, float]) -> Place:
    left, top, _ = form.lane
    where = scene.travels[1] if scene.travels is not None and scene.travels[0] == key else None
    if where == "taken":
        return "into", left, top
    if where == "compared":
        return "compared", *form.compared
    if where == "home":
        return "on", *form.home
    return ("lost" if where == "lost" else "on" if where == "out" else OFF), *begin


def _tags(form: Form, language: str) -> Iterator[str]:
    for name in TAGGED:
        scene = next(one for one in scenes() if one.name == name)
        text = say(f"front.tag.{name}", language, scene.params)
        width = sum(14.5 if ord(letter) > 0x2E7F else 7.9 for letter in text) + 22
        x = min(form.tags[name][0], form.size[0] - width - 8)
        places = [("on" if one.name == name else OFF, x, form.tags[name][1]) for one in scenes()]
        inside = (
            f'<rect width="{width:.0f}" height="26" rx="5"/>'
            f'<text x="{width / 2:.0f}" y="18" text-anchor="middle">{escape(text)}</text>'
        )
        yield _thing(f"tag {name}", places, inside)
