"""Asks the same questions at every step of a run, and compares the answers with the view.

A row names a sentence, the run, the question and its subject, and what must hold for the sentence's parameters ``p``
in the view ``v``. It is checked at the steps that have the sentence in their answers, so the steps of a run may
change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from engine.explain.sentences import LANGUAGES, catalogue
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.why.asking import why
from engine.why.links import Link, NotAsked
from engine.why.moment import Moment

Json = dict[str, Any]
Check = Callable[[Json, Json], bool]
Answers = dict[tuple[str, str], tuple[Link, ...]]
"""(Question, subject) → the chain of sentences that answers."""
Row = tuple[str, str, str, str, Check]
"""Key without ``why.``, run, question, subject, and the check."""


def leader_of(v: Json, partition: str) -> Json:
    shown = v["partitions"][partition]
    found: Json = shown["replicas"][str(shown["leader"])]
    return found


def stored_at(v: Json, partition: str, offset: int) -> Json:
    batches = leader_of(v, partition)["batches"].values()
    found: Json = next(batch for batch in batches if batch["base_offset"] <= offset <= batch["last_offset"])
    return found


def entry_of(v: Json, p: Json) -> Json:
    found: Json = v["brokers"][p["coordinator"].removeprefix("broker-")]["transactions"][
        p["transactional_id"]
    ]
    return found


def board(v: Json, p: Json) -> Json:
    found: Json = v["brokers"][p["coordinator"].removeprefix("broker-")]["markers"]
    return found


def due(v: Json, actor: str, what: str) -> int:
    first: int = min(
        one["at"] for one in v["pending"].values() if one["actor"] == actor and one["what"] == what
    )
    return first


def isr_short(p: Json, v: Json) -> bool:
    shown = v["partitions"][p["partition"]]
    return bool(len(shown["isr"]) == p["in_sync"] < shown["min_isr"] == p["needed"])


def committed(v: Json, group: str, partition: str) -> set[int | None]:
    """Return the offsets that coordinators have committed for a group and a partition; {None} if there is none."""
    kept = [
        one["groups"][group]["committed"] for one in v["brokers"].values() if group in one.get("groups", {})
    ]
    return {found[partition]["offset"] for found in kept if partition in found} or {None}


def is_down(name: str, v: Json) -> bool:
    part = v["brokers"] if name.startswith("broker-") else {**v["clients"], **v.get("consumers", {})}
    return not part[name.removeprefix("broker-")]["alive"]


def lane(p: Json, v: Json) -> list[list[Any]]:
    shown = v["consumers"][p["consumer"]]["lanes"][p["partition"]]
    return [*shown["stretches"], *shown["ahead"]]


def fate(p: Json, v: Json) -> str | None:
    found = [word for first, last, word in lane(p, v) if first <= p["offset"] <= last]
    return found[0] if found else None


ENOUGH = 3
"""How often each sentence of a run is compared with the view."""


@cache
def moments(
    name: str, wanted_by: tuple[tuple[str, str, str], ...]
) -> list[tuple[Json, dict[tuple[str, str], tuple[Link, ...]]]]:
    """Return, for each step of a run, the view after it and the answers to all questions that rows ask of this run."""
    scenario, _, variant = name.partition("/")
    wanted = {(f"why.{key}", question, subject): 0 for key, question, subject in wanted_by}
    asked = {(question, subject) for _, question, subject in wanted}
    simulation = Simulation(entry(scenario).scenario(variant or None))
    found = []
    while min(wanted.values()) < ENOUGH and simulation.number < 400 and simulation.step() is not None:
        moment = Moment.of(simulation)
        answers = {}
        for question, subject in asked:
            try:
                answers[question, subject] = why(moment, question, subject)
            except NotAsked:
                continue
        for (question, subject), chain in answers.items():
            for key in {link.key for link in chain}:
                if (key, question, subject) in wanted:
                    wanted[key, question, subject] += 1
        found.append((moment.view, answers))
    return found


def hold_to_the_view(row: Row, rows: list[Row]) -> None:
    """The sentence of a row must occur in its run, and must be true wherever it occurs. Rows of the same run share
    one play.
    """
    key, name, question, subject, holds = row
    wanted = tuple((other[0], *other[2:4]) for other in rows if other[1] == name)
    met = 0
    for view, answers in moments(name, wanted):
        for link in answers.get((question, subject), ()):
            if link.key == f"why.{key}":
                met += 1
                assert holds(link.params, view), (view["time"], link.params)
                for language in LANGUAGES:
                    assert catalogue()[link.key].slots(language) <= set(link.params)
    assert met, f"{name} never meets why.{key}"
