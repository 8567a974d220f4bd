"""What a sweep document (TOML) says: a scenario, a grid of settings, seeds. Checked before Spark starts."""

import itertools
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import Refused
from engine.scenario import BadScenario, entry, load

AXES_MAX = 6
VALUES_MAX = 50
CELLS_MAX = 2_500
RUNS_MAX = 1_000_000
SEED_MAX = 2**53
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_KEYS = ("title", "scenario", "variant", "seeds", "first_seed", "set", "axes")
_AXIS_KEYS = ("name", "path", "values")


class BadSweep(Exception):
    """A document that cannot be run: place, what is wrong, what is allowed, in one line."""

    def __init__(self, place: str, wrong: str, allowed: str) -> None:
        super().__init__(f"{place}: {wrong}; allowed: {allowed}")


@dataclass(frozen=True, slots=True)
class Axis:
    """One setting that varies: ``path`` as in a variant's ``set``."""

    name: str
    path: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepDocument:
    """A checked document. A cell is one combination of values; every cell runs once with each seed."""

    title: dict[str, str]
    document: dict[str, Any]
    """The scenario's document, before variant and settings."""
    scenario: str
    variant: str | None
    seeds: int
    first_seed: int
    fixed: dict[str, Any]
    axes: tuple[Axis, ...]

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Axis name to value, the last axis running fastest."""
        return [
            dict(zip((axis.name for axis in self.axes), values, strict=True))
            for values in itertools.product(*(axis.values for axis in self.axes))
        ]

    @property
    def runs(self) -> int:
        return len(self.cells) * self.seeds

    def settings(self, cell: dict[str, Any], seed: int) -> dict[str, Any]:
        """Dotted path to value for one run, as ``engine.scenario.load`` takes it."""
        return {
            "seed": seed,
            **self.fixed,
            **{axis.path: cell[axis.name] for axis in self.axes},
        }


def parse_sweep(text: str) -> SweepDocument:
    """Raises BadSweep; one run per cell is loaded to see that its paths and values exist."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSweep("document", str(error), "TOML 1.0") from error
    _only(raw, _KEYS, "")
    scenario = raw.get("scenario")
    if not isinstance(scenario, str):
        raise BadSweep("scenario", repr(scenario), "the id of a library scenario, such as SC-02")
    try:
        found = entry(scenario)
    except BadScenario as error:
        raise BadSweep("scenario", error.wrong, error.allowed) from error
    sweep = SweepDocument(
        title=_title(raw.get("title", found.document["title"])),
        document=found.document,
        scenario=found.id,
        variant=raw.get("variant"),
        seeds=_whole(raw.get("seeds", 1), "seeds", 1, RUNS_MAX),
        first_seed=_whole(raw.get("first_seed", 0), "first_seed", 0, SEED_MAX - RUNS_MAX),
        fixed=_table(raw.get("set", {}), "set"),
        axes=tuple(_axes(raw.get("axes", []))),
    )
    _check_size(sweep)
    for cell in sweep.cells:
        _check_cell(sweep, cell)
    return sweep


def _only(table: dict[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            raise BadSweep(f"{place}{key}", "unknown key", ", ".join(known))


def _title(value: Any) -> dict[str, str]:
    texts = value.values() if isinstance(value, dict) and value.keys() == {"en", "zh-Hans"} else [None]
    if not all(isinstance(text, str) and 0 < len(text) <= 200 for text in texts):
        raise BadSweep("title", repr(value)[:80], "a table with en and zh-Hans, at most 200 characters each")
    return dict(value)


def _whole(value: Any, place: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadSweep(place, repr(value)[:80], f"a whole number from {low} to {high}")
    return value


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadSweep(place, repr(value)[:80], "a table of dotted paths and values")
    return dict(value)


def _axes(value: Any) -> Iterator[Axis]:
    if not isinstance(value, list) or len(value) > AXES_MAX:
        raise BadSweep("axes", repr(value)[:80], f"at most {AXES_MAX} tables")
    names: set[str] = set()
    for position, item in enumerate(value):
        place = f"axes.{position}."
        axis = _table(item, place.rstrip("."))
        _only(axis, _AXIS_KEYS, place)
        name, path, values = axis.get("name"), axis.get("path"), axis.get("values")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in names:
            raise BadSweep(f"{place}name", repr(name)[:80], "a name of its own: small letters, digits and _")
        if not isinstance(path, str) or not path:
            raise BadSweep(f"{place}path", repr(path)[:80], "a dotted path of the scenario document")
        scalars = isinstance(values, list) and all(
            isinstance(one, bool | int | float | str) for one in values
        )
        if (
            not scalars
            or not 0 < len(values) <= VALUES_MAX
            or len({json.dumps(one) for one in values}) < len(values)
        ):
            raise BadSweep(f"{place}values", repr(values)[:80], f"1 to {VALUES_MAX} different plain values")
        names.add(name)
        yield Axis(name, path, tuple(values))


def _check_size(sweep: SweepDocument) -> None:
    cells = 1
    for axis in sweep.axes:
        cells *= len(axis.values)
    if cells > CELLS_MAX:
        raise BadSweep("axes", f"{cells} combinations", f"at most {CELLS_MAX}")
    if cells * sweep.seeds > RUNS_MAX:
        raise BadSweep("seeds", f"{cells * sweep.seeds} runs", f"at most {RUNS_MAX}")


def _check_cell(sweep: SweepDocument, cell: dict[str, Any]) -> None:
    try:
        load(sweep.document, sweep.variant, sweep.settings(cell, sweep.first_seed), source=sweep.scenario)
    except BadScenario as error:
        raise BadSweep(error.place, error.wrong, error.allowed) from error
    except Refused:
        pass  # A combination that Kafka refuses is a result, and the table says so.
