"""Makes the fault script of a broken run smaller, as long as the run still breaks the same guarantee.

First, a fault that happens by chance is replaced by one entry for each time that it happened; these entries
hit the same messages without chance. Then delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating
Failure-Inducing Input*, 2002) removes entries as long as the guarantee still breaks. The tries of one round
do not depend on each other, so executors make them at the same time. The result is 1-minimal (if any one of
its entries is removed, the guarantee holds), unless the search ended at TRIES_MAX. This module needs only the
engine, Arrow and Spark; `shrink_job.py` stores the result.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from engine.errors import EngineError, Refused
from engine.scenario.document import BadScenario, load
from engine.simulation import Simulation

ENTRIES_MAX = 200
"""A run is not shrunk if its fault script has more entries than this, with one entry for each time that a
fault happened."""
TRIES_MAX = 2_000
"""After this many tries no further round is begun."""

Entry = dict[str, Any]
Document = dict[str, Any]
Test = Callable[[list[list[Entry]]], list[int | None]]
"""The type of a function that makes tries: it takes fault scripts and returns, for each, the step at which
the guarantee breaks, or None."""


class CannotShrink(Exception):
    """The run cannot be shrunk. `key`: the value of a `models.Failure`."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result of a search. `before` and `after`: fault scripts. `step`: the step at which the guarantee
    breaks with `after`. `tries`: the number of tries."""

    before: list[Entry]
    after: list[Entry]
    step: int
    tries: int


def breaks_at(document: Document, guarantee: str) -> int | None:
    """The first step at which a run of the document breaks the guarantee. None if it holds, or if the engine
    refuses the document or fails."""
    try:
        simulation = Simulation(load(document), watching="judged")
        simulation.run()
    except (Refused, BadScenario, EngineError):
        return None
    row = simulation.judges.guarantees.get(guarantee)
    return None if row is None else row.broken_at


def what_fell(document: Document) -> list[Entry]:
    """The document's fault script with one entry for each time that a fault happened by chance, in place of
    the entry with the chance."""
    simulation = Simulation(load(document), watching="judged")
    simulation.run()
    entries: list[Entry] = []
    for written, rule in zip(document.get("faults", ()), simulation.interference.rules, strict=True):
        if rule.rate is None:
            entries.append(written)
            continue
        kept = {key: value for key, value in written["match"].items() if key not in ("rate", "times", "nth")}
        entries += [{**written, "match": {**kept, "nth": count}} for count in reversed(rule.struck)]
    return entries


def with_faults(document: Document, entries: list[Entry]) -> Document:
    return {**document, "faults": entries}


def shrink(
    document: Document,
    guarantee: str,
    test: Test,
    progress: Callable[[int, list[Entry]], None] = lambda tries, left: None,
) -> Shrunk:
    """Search for a smaller fault script. ``progress`` is called with the number of tries so far and the
    smaller script that was just found, or an empty list. Raises CannotShrink if the run does not break the
    guarantee, or if its fault script has more than ENTRIES_MAX entries."""
    before = what_fell(document)
    if len(before) > ENTRIES_MAX:
        raise CannotShrink("too_many_faults")
    search = _Search(test, progress)
    step = search.first([before])[1]
    if step is None:
        raise CannotShrink("not_broken")
    left = before
    pieces = 2
    while left and search.tries < TRIES_MAX:
        tried = _rest(left, pieces)
        position, found = search.first(tried)
        if found is not None:
            left, step = tried[position], found
            pieces = max(pieces - 1, 2)
            progress(search.tries, left)
        elif pieces >= len(left):
            break
        else:
            pieces = min(pieces * 2, len(left))
    return Shrunk(before, left, step, search.tries)


def _rest(entries: list[Entry], pieces: int) -> list[list[Entry]]:
    """The scripts to try next: each part of `entries` alone, then all entries without one part."""
    parts = [part for part in _parts(entries, pieces) if part]
    without = [
        [entry for other, part in enumerate(parts) if other != left_out for entry in part]
        for left_out in range(len(parts))
    ]
    # Single parts come first, because a part that breaks the guarantee by itself removes more. If there are
    # two parts, each is also all entries without the other.
    return without if len(parts) <= 2 else [*parts, *without]


def _parts(entries: list[Entry], pieces: int) -> Iterator[list[Entry]]:
    for number in range(pieces):
        yield entries[number * len(entries) // pieces : (number + 1) * len(entries) // pieces]


class _Search:
    """Makes tries, and remembers their results."""

    def __init__(self, test: Test, progress: Callable[[int, list[Entry]], None]) -> None:
        self._test = test
        self._progress = progress
        self._known: dict[str, int | None] = {}
        self.tries = 0

    def first(self, scripts: list[list[Entry]]) -> tuple[int, int | None]:
        """(position, step) of the first script that breaks the guarantee, with the step at which it does; (0,
        None) if none does."""
        keys = [json.dumps(script, sort_keys=True) for script in scripts]
        new = {key: script for key, script in zip(keys, scripts, strict=True) if key not in self._known}
        if new:
            for key, step in zip(new, self._test(list(new.values())), strict=True):
                self._known[key] = step
            self.tries += len(new)
            self._progress(self.tries, [])
        for position, key in enumerate(keys):
            if self._known[key] is not None:
                return position, self._known[key]
        return 0, None


def trying_here(document: Document, guarantee: str) -> Test:
    """A `Test` that makes the tries one after the other in this process."""

    def test(scripts: list[list[Entry]]) -> list[int | None]:
        return [breaks_at(with_faults(document, script), guarantee) for script in scripts]

    return test


_ARROW = pa.schema([("position", pa.int64()), ("step", pa.int64())])


def trying_on(spark: SparkSession, document: Document, guarantee: str) -> Test:
    """A `Test` that makes the tries of a round at the same time, on the executors."""

    def test(scripts: list[list[Entry]]) -> list[int | None]:
        def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                positions = batch.column("id").to_pylist()
                steps = [breaks_at(with_faults(document, scripts[at]), guarantee) for at in positions]
                yield pa.RecordBatch.from_pydict({"position": positions, "step": steps}, schema=_ARROW)

        parts = min(len(scripts), spark.sparkContext.defaultParallelism * 2)
        asked = spark.range(0, len(scripts), 1, parts)
        found = {
            row.position: row.step
            for row in asked.mapInArrow(run_batches, "position long, step long").collect()
        }
        return [found[position] for position in range(len(scripts))]

    return test
