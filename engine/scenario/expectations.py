"""Checks whether a run ended as its document expects (``expect``), for the tests of the library and for the
authors' page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Unmet:
    """An expectation that the run did not fulfil. ``place``: its path in the document. ``wanted``: the
    expected value. ``found``: the value of the run."""

    place: str
    wanted: Any
    found: Any


class Shown:
    """Collects from a run the values that are compared with expectations: keys of sentences and notes (``said``),
    errors, and broken guarantees. Pass the JSON of every step to ``take``."""

    def __init__(self) -> None:
        self.said: set[str] = set()
        self.errors: set[str] = set()
        self.broken: set[str] = set()

    def take(self, step: dict[str, Any]) -> None:
        self.said.add(step["key"])
        self.said.update(note["key"] for note in step["notes"])
        self.broken.update(found["guarantee"] for found in step["broken"])
        if step["refusal"]:
            self.errors.add(step["refusal"]["error"])
        if "error" in step["params"]:
            self.errors.add(str(step["params"]["error"]))


def shown_in(steps: Iterable[dict[str, Any]]) -> Shown:
    found = Shown()
    for step in steps:
        found.take(step)
    return found


def unmet(simulation: Simulation, heard: Shown) -> list[Unmet]:
    """The document's expectations that the ended run did not fulfil, in the order of the schema."""
    expect = simulation.scenario["expect"]
    found = list(_verdicts(simulation, expect))
    finished = expect["finished"] or "complete"
    if simulation.finished != finished:
        found.append(Unmet("expect.finished", finished, simulation.finished))
    for name, shown in (("says", heard.said), ("errors", heard.errors)):
        missing = sorted(set(expect[name] or ()) - shown)
        if missing:
            found.append(Unmet(f"expect.{name}", missing, None))
    if expect["broken"] is not None and set(expect["broken"]) != heard.broken:
        found.append(Unmet("expect.broken", sorted(expect["broken"]), sorted(heard.broken)))
    return found


def _verdicts(simulation: Simulation, expect: dict[str, Any]) -> Iterable[Unmet]:
    verdicts: dict[Any, Any] = {verdict.partition: verdict for verdict in simulation.verdicts()}
    ended: dict[Any, Any] = {verdict.tid: verdict for verdict in simulation.judges.transaction_verdicts()}
    for section, key, judged in (("verdicts", "partition", verdicts), ("transactions", "tid", ended)):
        for index, wanted in enumerate(expect[section]):
            got = judged.get(wanted[key])
            if got is None:
                yield Unmet(f"expect.{section}.{index}.{key}", wanted[key], None)
                continue
            for name, value in wanted.items():
                if name != key and value is not None and getattr(got, name) != value:
                    yield Unmet(f"expect.{section}.{index}.{name}", value, getattr(got, name))
    judged_database = simulation.judges.database_verdict()
    for name, value in expect["database"].items():
        counted = None if judged_database is None else getattr(judged_database, name)
        if value is not None and counted != value:
            yield Unmet(f"expect.database.{name}", value, counted)
