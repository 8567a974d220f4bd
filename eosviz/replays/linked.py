"""What a link's run looks like to somebody who has no session: the player file that a frame on another page plays.

Made once for each run and engine, by whoever asks first, and kept: a frame costs the server a read. The run comes
from the address alone, so a file that was dropped to keep the store small is made again, byte for byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import transaction

from engine.errors import EngineError, Refused
from engine.scenario import BadScenario
from engine.simulation import ENGINE_VERSION, Simulation
from eosviz.replays import player_file
from eosviz.replays.card_picture import draw_card
from eosviz.replays.models import LINKED_FILES_MAX, LinkedFile
from eosviz.replays.transactions_told import lines_of
from eosviz.walkthroughs.actions import bad_scenario
from eosviz.walkthroughs.links import Link, version_of
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.simulations import encode_step, scenario_of, simulate

STEPS_MAX = 5_000
"""Of a run in a frame; where a longer one stops, the player says that it is a recording."""


def kept(kind: str, link: Link, may_make: Callable[[], bool]) -> LinkedFile:
    """The file of this kind, `player` or `card`. Raises Problem: what the link asks for cannot be played, or
    `may_make` says that this caller has had enough made for now.
    """
    key = hashlib.sha256(msgspec.json.encode([kind, ENGINE_VERSION, *_identity(kind, link)])).hexdigest()
    found = LinkedFile.objects.filter(key=key).first()
    if found is not None:
        return found
    if not may_make():
        raise Problem("too_frequent", "too_many_requests", per_second=1)
    return _store(key, kind, _MAKERS[kind](_simulation(link), link))


def _identity(kind: str, link: Link) -> list[Any]:
    version, _ = version_of(link)
    run = [version.digest, link.variant, link.done]
    return run if kind == "player" else [*run, link.step]


def _simulation(link: Link) -> Simulation:
    """At 0. Raises Problem."""
    if link.steps_needed > STEPS_MAX:
        raise Problem("limit", "link_too_far", most=STEPS_MAX)
    version, _ = version_of(link)
    try:
        return simulate(scenario_of(version, link.variant), link.done)
    except Refused as refused:
        raise _refusal(refused, 0) from None
    except BadScenario as bad:
        raise bad_scenario(bad) from None


def _refusal(refused: Refused, step: int) -> Problem:
    return Problem(
        "refused", "link_refused", step=step, rule=refused.rule, place=refused.place, **refused.told
    )


def _store(key: str, kind: str, content: bytes) -> LinkedFile:
    with transaction.atomic():
        made, _ = LinkedFile.objects.get_or_create(key=key, defaults={"kind": kind, "content": content})
        oldest = LinkedFile.objects.order_by("-made", "key").values_list("key", flat=True)[LINKED_FILES_MAX:]
        LinkedFile.objects.filter(key__in=list(oldest)).delete()
    return made


def run_to(simulation: Simulation, number: int) -> list[msgspec.Raw]:
    """The steps up to `number`, or to the run's end. Raises Problem."""
    steps: list[msgspec.Raw] = []
    try:
        while simulation.number < number and (step := simulation.step()) is not None:
            steps.append(msgspec.Raw(encode_step(step)))
    except Refused as refused:
        raise _refusal(refused, simulation.number) from None
    except EngineError as error:
        raise Problem("refused", "engine_broke", reason=str(error)) from None
    return steps


def _make_player_file(simulation: Simulation, link: Link) -> bytes:
    header, view = simulation.header(), simulation.view()
    view_at_start = msgspec.Raw(msgspec.json.encode(view))
    steps = run_to(simulation, STEPS_MAX)
    branch = {
        "id": "1",
        "name": "a",
        "parent": None,
        "leaves_at": 0,
        "newest": len(steps),
        "finished": simulation.finished,
        "interventions": link.done,
        "first_broken": _first_broken(steps),
    }
    fields = {
        "v": 1,
        "kind": "replay",
        "session": {
            "id": link.digest[:32],
            "title": header["title"],
            "scenario": header["scenario"],
            "variant": header["variant"],
        },
        "header": header,
        "verified": None,
        "branches": [branch],
        "view": view_at_start,
        "transactions": {"1": lines_of(view_at_start, steps)},
    }
    return player_file.pack(fields, player_file.pack_steps({"1": steps}))


class _Broken(msgspec.Struct):
    guarantee: str


class _Step(msgspec.Struct):
    number: int
    broken: list[_Broken] = []


def _first_broken(steps: list[msgspec.Raw]) -> dict[str, int]:
    """Guarantee to the first step that broke it."""
    found: dict[str, int] = {}
    for body in steps:
        step = msgspec.json.decode(body, type=_Step)
        for broken in step.broken:
            found.setdefault(broken.guarantee, step.number)
    return found


def _make_card(simulation: Simulation, link: Link) -> bytes:
    run_to(simulation, link.step)
    return draw_card(simulation.header(), simulation.view(), simulation.number)


_MAKERS: dict[str, Callable[[Simulation, Link], bytes]] = {"player": _make_player_file, "card": _make_card}
