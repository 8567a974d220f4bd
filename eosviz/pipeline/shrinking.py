"""Makes the fault script of a broken run smaller, as long as it still breaks the same guarantee.

First, every fault that hit by chance becomes an entry of its own (the same message, without chance). Then
delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002) removes
entries as long as the guarantee still breaks. The tries of one round are independent, so executors run them
together. The result is 1-minimal (without any one of its entries the guarantee holds), unless TRIES_MAX ended
the search. This module needs only the engine, Arrow and Spark; `shrink_job.py` stores the result.
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
"""A run whose fault script has more entries, one for each hit, is not shrunk."""
TRIES_MAX = 2_000
"""After this many tries no further round is begun."""

Entry = dict[str, Any]
Document = dict[str, Any]
Test = Callable[[list[list[Entry]]], list[int | None]]
"""A function that takes fault scripts, and returns for each the step at which it breaks the guarantee, or None."""


class CannotShrink(Exception):
    """The run cannot be shrunk. `key`: the value of a `models.Failure`."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result. `before` and `after` are fault scripts. `step`: where the guarantee breaks with `after`."""

    before: list[Entry]
    after: list[Entry]
    step: int
    tries: int


def breaks_at(document: Document, guarantee: str) -> int | None:
    """The first step at which a run of the document breaks the guarantee; None if it holds or the document does
    not run."""
    try:
        simulation = Simulation(load(document), watching="judged")
        simulation.run()
    except (Refused, BadScenario, EngineError):
        return None
    row = simulation.judges.guarantees.get(guarantee)
    return None if row is None else row.broken_at


def what_fell(document: Document) -> list[Entry]:
    """The document's fault script, in which an entry that hits by chance is replaced by one entry for each of
    its hits."""
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
    """Search for fewer faults. ``progress`` gets the number of tries so far and, if a smaller script was
    found, that script, otherwise an empty list. Raises CannotShrink if the run does not break the guarantee,
    or its fault script has more than ENTRIES_MAX entries."""
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
    """The scripts to try next: parts alone, then all entries without each part."""
    parts = [part for part in _parts(entries, pieces) if part]
    without = [
        [entry for other, part in enumerate(parts) if other != left_out for entry in part]
        for left_out in range(len(parts))
    ]
    # Parts come first, because a part that breaks the guarantee by itself removes more. Of two parts, each is
    # all entries without the other.
    return without if len(parts) <= 2 else [*parts, *without]


def _parts(entries: list[Entry], pieces: int) -> Iterator[list[Entry]]:
    for number in range(pieces):
        yield entries[number * len(entries) // pieces : (number + 1) * len(entries) // pieces]


class _Search:
    """Makes tries, and caches their results."""

    def __init__(self, test: Test, progress: Callable[[int, list[Entry]], None]) -> None:
        self._test = test
        self._progress = progress
        self._known: dict[str, int | None] = {}
        self.tries = 0

    def first(self, scripts: list[list[Entry]]) -> tuple[int, int | None]:
        """Position and step of the first script that breaks the guarantee; (0, None) if none does."""
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
    """A test that makes the tries one after the other, in this process."""

    def test(scripts: list[list[Entry]]) -> list[int | None]:
        return [breaks_at(with_faults(document, script), guarantee) for script in scripts]

    return test


_ARROW = pa.schema([("position", pa.int64()), ("step", pa.int64())])


def trying_on(spark: SparkSession, document: Document, guarantee: str) -> Test:
    """A test that makes the tries of a round together, on the executors."""

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
