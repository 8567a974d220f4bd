"""The axes of a sweep: what each varies, and how it is written in a sweep document."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.scenario.belonging import BELONGING
from engine.scenario.schema import APIS, MESSAGE_ACTIONS, NODE_APIS
from eosviz.pipeline.bad_sweep import BadSweep, bad_value, nearest_of

AXES_MAX = 6
VALUES_MAX = 50
FAULTS_MAX = 4
SET_MAX = 50
EVERY_MATCH = 1_000_000
"""A fault of a sweep may happen this often in a run; what limits it is its rate."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_AXIS_KEYS = ("name", "path", "values", "choices")
_GRID_KEYS = ("kinds", "places", "rates")
_FAULT_KEYS = (*_GRID_KEYS, "name", "match", "by_ms", "after_ms", "error", "stored")
ANSWER = " answer"
"""The suffix of a message's name with which a sweep document means the response."""

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. ``values``: numbers, texts or booleans. ``sets``: for each value, the settings that it stands
    for, as a dict of dotted path → value."""

    name: str
    path: str
    """The path that is shown with the name; empty if a value sets several paths."""
    values: tuple[Any, ...]
    sets: tuple[Settings, ...]

    def settings(self, value: Any) -> Settings:
        """The settings of one value. `1` and `true` are different values."""
        written = json.dumps(value)
        position = next(at for at, one in enumerate(self.values) if json.dumps(one) == written)
        return self.sets[position]


def only(table: dict[str, Any], known: tuple[str, ...], place: str) -> None:
    """Raises BadSweep for the first key that is not in ``known``."""
    for key in table:
        if key not in known:
            near = nearest_of(key, known)
            raise BadSweep(f"{place}{key}", "unknown", "one_of", near, names=list(known))


def table_of(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > SET_MAX:
        raise bad_value(place, value, "table", most=SET_MAX)
    return dict(value)


def read_axes(value: Any) -> Iterator[Axis]:
    """The axes of `[[axes]]`. An axis has a name, and either a path and values, or choices that each set
    several paths. Raises BadSweep."""
    for position, item in enumerate(_tables(value, "axes", AXES_MAX)):
        place = f"axes.{position}."
        axis = table_of(item, place.rstrip("."))
        only(axis, _AXIS_KEYS, place)
        name = _name(axis.get("name"), f"{place}name")
        if "choices" in axis:
            if "path" in axis or "values" in axis:
                raise BadSweep(f"{place}choices", "beside", "choices")
            yield _of_choices(name, axis["choices"], f"{place}choices")
            continue
        path = axis.get("path")
        if not isinstance(path, str) or not 0 < len(path) <= 200:
            raise bad_value(f"{place}path", path, "path")
        values = _values(axis.get("values"), f"{place}values")
        yield Axis(name, path, values, tuple({path: one} for one in values))


def _of_choices(name: str, value: Any, place: str) -> Axis:
    names, sets = [], []
    for position, item in enumerate(_tables(value, place, VALUES_MAX)):
        choice = table_of(item, f"{place}.{position}")
        only(choice, ("name", "set"), f"{place}.{position}.")
        names.append(choice.get("name"))
        sets.append(table_of(choice.get("set", {}), f"{place}.{position}.set"))
    return Axis(name, "", _values(names, place), tuple(sets))


def read_faults(value: Any, first: int) -> tuple[list[dict[str, Any]], list[Axis]]:
    """The entries that `[[faults]]` adds to the scenario's fault script, and the axes that vary them.
    ``first``: the number of entries that the script already has. Raises BadSweep."""
    entries: list[dict[str, Any]] = []
    axes: list[Axis] = []
    for position, item in enumerate(_tables(value, "faults", FAULTS_MAX)):
        place = f"faults.{position}."
        fault = table_of(item, place.rstrip("."))
        only(fault, _FAULT_KEYS, place)
        name = _name(fault.get("name", f"fault_{position + 1}"), f"{place}name")
        kinds = _values(fault.get("kinds"), f"{place}kinds")
        places = _values(fault.get("places"), f"{place}places")
        rates = _values(fault.get("rates"), f"{place}rates")
        for kind in kinds:
            if kind not in MESSAGE_ACTIONS:
                near = nearest_of(kind, MESSAGE_ACTIONS)
                names = list(MESSAGE_ACTIONS)
                raise bad_value(f"{place}kinds", kind, "one_of", nearest=near, names=names)
        further = table_of(fault.get("match", {}), f"{place}match")
        matches = [{**further, **_match(one, f"{place}places")} for one in places]
        first_match = {**matches[0], "times": EVERY_MATCH, "rate": rates[0]}
        by_kind = [{**_fields_of(kind, fault), "match": first_match} for kind in kinds]
        entries.append(by_kind[0])
        path = f"faults.{first + position}"
        # The order matters: a kind sets the whole entry, a place then sets the match in this entry, and a
        # rate then sets one value of this match.
        match_sets = [{f"{path}.match": {**one, "times": EVERY_MATCH, "rate": rates[0]}} for one in matches]
        grid = (
            Axis(f"{name}_kind", f"{path}.action", kinds, tuple({path: one} for one in by_kind)),
            Axis(f"{name}_place", f"{path}.match", places, tuple(match_sets)),
            Axis(f"{name}_rate", f"{path}.match.rate", rates, tuple({f"{path}.match.rate": one} for one in rates)),
        )  # fmt: skip
        axes += [axis for axis in grid if len(axis.values) > 1]
    return entries, axes


def _fields_of(kind: str, fault: dict[str, Any]) -> dict[str, Any]:
    """The entry of a fault script for one kind of fault, with those fields of `fault` that this kind has."""
    belonging = BELONGING["fault"]
    known = (*belonging.always, *belonging.fields[kind])
    return {"action": kind, **{key: one for key, one in fault.items() if key in known and key != "match"}}


def _match(place: Any, at: str) -> dict[str, Any]:
    """The match for the messages that `place` names: `Produce` is a request, `Produce answer` its response.
    Raises BadSweep with the place `at`."""
    known = (*APIS, *NODE_APIS)
    api = place.removesuffix(ANSWER) if isinstance(place, str) else ""
    if api not in known:
        near = nearest_of(api, known)
        if near and place.endswith(ANSWER):
            near += ANSWER
        raise bad_value(at, place, "place", nearest=near, answer=ANSWER.strip(), names=list(known))
    return {"api": api, "response": place.endswith(ANSWER)}


def _tables(value: Any, place: str, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise bad_value(place, value, "tables", most=most)
    return value


def _name(value: Any, place: str) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise bad_value(place, value, "name")
    return value


def _values(value: Any, place: str) -> tuple[Any, ...]:
    scalars = isinstance(value, list) and all(
        isinstance(one, bool | int | float | str) and len(str(one)) <= 200 for one in value
    )
    if (
        not scalars
        or not 0 < len(value) <= VALUES_MAX
        or len({json.dumps(one) for one in value}) < len(value)
    ):
        raise bad_value(place, value, "values", most=VALUES_MAX)
    return tuple(value)
