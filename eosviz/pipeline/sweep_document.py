"""Reads a sweep document (TOML): a scenario, a grid of settings and faults, and seeds. `sweep_checks.py`
checks that its names exist in the scenario."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.scenario.document import BadScenario, Scenario, load, parse
from engine.scenario.shelf import entry, library
from eosviz.pipeline.bad_sweep import BadScenarioOfSweep, BadSweep, bad_value, nearest_of
from eosviz.pipeline.sweep_axes import AXES_MAX, Axis, only, read_axes, read_faults, table_of
from eosviz.pipeline.sweep_paths import nearest_path

CELLS_MAX = 2_500
RUNS_MAX = 1_000_000
SEED_MAX = 2**53
TEXT_BYTES_MAX = 64 * 1024
LESSON_CHARACTERS_MAX = 2_000
_KEYS = ("title", "lesson", "scenario", "variant", "seeds", "first_seed", "set", "axes", "faults")


@dataclass(frozen=True, kw_only=True)
class SweepDocument:
    """A sweep document that was read. A cell is one combination of the axes' values. Each cell is run once
    with each seed."""

    title: dict[str, str]
    lesson: dict[str, str]
    """The sweep's lesson in each language. Empty if it has none."""
    scenario: str
    variant: str | None
    document: dict[str, Any]
    """The scenario document with the variant, `[set]` and the sweep's faults, without the values of the
    axes."""
    fixed: dict[str, Any]
    """The table `[set]` of the document."""
    faults: tuple[dict[str, Any], ...]
    """The tables `[[faults]]` of the document."""
    seeds: int
    first_seed: int
    axes: tuple[Axis, ...]

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """The cells, each as a dict of axis name → value. The last axis changes fastest."""
        names = [axis.name for axis in self.axes]
        grid = itertools.product(*(axis.values for axis in self.axes))
        return [dict(zip(names, values, strict=True)) for values in grid]

    @property
    def runs(self) -> int:
        return len(self.cells) * self.seeds

    def place_of(self, run: int) -> tuple[int, int]:
        """The cell and the seed of a run. Runs are numbered from 0; the runs of one cell have consecutive
        numbers."""
        cell, position = divmod(run, self.seeds)
        return cell, self.first_seed + position

    def settings(self, cell: dict[str, Any], seed: int) -> dict[str, Any]:
        """The settings of one run, as a dict of dotted path → value. `engine.scenario.document.load` applies them."""
        settings: dict[str, Any] = {}
        for axis in self.axes:
            settings |= axis.settings(cell[axis.name])
        return {**settings, "seed": seed}

    @property
    def base(self) -> Scenario:
        """The library's scenario with the variant, without any change by the sweep."""
        return load(entry(self.scenario).document, self.variant, source=self.scenario)

    def scenario_of(self, cell: dict[str, Any], seed: int) -> Scenario:
        """The scenario of one run. Raises BadScenario."""
        return load(self.document, None, self.settings(cell, seed), source=self.scenario)


def with_seed(scenario: Scenario, seed: int) -> Scenario:
    """The same scenario with another seed. It is not checked again."""
    return replace(scenario, document={**scenario.document, "seed": seed})


def read_document(text: str) -> dict[str, Any]:
    """The TOML text as a dict. Raises BadSweep with the place `document:LINE`, or `document` if the line is
    unknown."""
    try:
        return parse(text, bytes_max=TEXT_BYTES_MAX)
    except BadScenario as bad:
        if bad.line is not None:
            bad.place = f"{bad.place}:{bad.line}"
        raise BadScenarioOfSweep(bad) from bad


def read_sweep(text: str) -> SweepDocument:
    """Reads a sweep from TOML text. The scenarios of the cells are not loaded, so their values are not
    checked; `sweep_checks` does that. Raises BadSweep."""
    raw = read_document(text)
    only(raw, _KEYS, "")
    scenario, variant = raw.get("scenario"), raw.get("variant")
    if not isinstance(scenario, str):
        raise bad_value("scenario", scenario, "scenario_id")
    if variant is not None and not isinstance(variant, str):
        raise bad_value("variant", variant, "variant")
    fixed = table_of(raw.get("set", {}), "set")
    document = _fixed(scenario, variant, fixed)
    found = entry(scenario)
    entries, fault_axes = read_faults(raw.get("faults", []), len(document.get("faults", ())))
    axes = (*read_axes(raw.get("axes", [])), *fault_axes)
    _check_axes(axes)
    if "seed" in fixed:
        raise BadSweep("set.seed", "here", "seeds")
    sweep = SweepDocument(
        title=_words(raw.get("title", found.document["title"]), "title", 200),
        lesson=_words(raw["lesson"], "lesson", LESSON_CHARACTERS_MAX) if "lesson" in raw else {},
        scenario=found.id,
        variant=variant,
        document={**document, "faults": [*document.get("faults", ()), *entries]},
        fixed=fixed,
        faults=tuple(raw.get("faults", [])),
        seeds=_whole(raw.get("seeds", 1), "seeds", 1, RUNS_MAX),
        first_seed=_whole(raw.get("first_seed", 0), "first_seed", 0, SEED_MAX - RUNS_MAX),
        axes=axes,
    )
    _check_size(sweep)
    return sweep


def _fixed(scenario: str, variant: str | None, fixed: dict[str, Any]) -> dict[str, Any]:
    """The scenario document with the settings that all runs have. Raises BadSweep."""
    try:
        found = entry(scenario)
    except BadScenario as bad:
        raise BadScenarioOfSweep(bad, nearest_of(scenario, (one.id for one in library()))) from bad
    try:
        base = load(found.document, variant, source=found.id)
    except BadScenario as bad:
        raise BadScenarioOfSweep(bad, nearest_of(variant, found.variants)) from bad
    try:
        return load(found.document, variant, fixed, source=found.id).source
    except BadScenario as bad:
        raise BadScenarioOfSweep(bad, nearest_path(base, bad.place, fixed)) from bad


def _words(value: Any, place: str, characters_max: int) -> dict[str, str]:
    texts: Iterator[Any] | list[None] = [None]
    if isinstance(value, dict) and value.keys() == {"en", "zh-Hans"}:
        texts = iter(value.values())
    if not all(isinstance(text, str) and 0 < len(text) <= characters_max for text in texts):
        raise bad_value(place, value, "words", most=characters_max)
    return dict(value)


def _whole(value: Any, place: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise bad_value(place, value, "whole", low=low, high=high)
    return value


def _check_axes(axes: tuple[Axis, ...]) -> None:
    names: set[str] = set()
    if len(axes) > AXES_MAX:
        raise BadSweep("axes", "axes", "at_most", axes=len(axes), most=AXES_MAX)
    for position, axis in enumerate(axes):
        if axis.name in names:
            raise BadSweep(f"axes.{position}.name", "twice", "other_name", value=axis.name)
        if any("seed" in one for one in axis.sets):
            raise BadSweep(f"axes.{position}.path", "here", "seeds")
        names.add(axis.name)


def _check_size(sweep: SweepDocument) -> None:
    cells = 1
    for axis in sweep.axes:
        cells *= len(axis.values)
    if cells > CELLS_MAX:
        raise BadSweep("axes", "combinations", "at_most", cells=cells, most=CELLS_MAX)
    if cells * sweep.seeds > RUNS_MAX:
        raise BadSweep("seeds", "runs", "at_most", runs=cells * sweep.seeds, most=RUNS_MAX)
