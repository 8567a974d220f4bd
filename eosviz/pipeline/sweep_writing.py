"""Writes the form for building a sweep into the sweep's document. Only parts that differ are changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.scenario.belonging import BELONGING
from eosviz.bounded.register import COMMAND_LINE, Caller
from eosviz.pipeline.bad_sweep import BadSweep, bad_value
from eosviz.pipeline.sweep_axes import NAME
from eosviz.pipeline.sweep_document import read_document
from eosviz.pipeline.sweep_form import (
    ChoiceFields,
    FaultFields,
    Filled,
    choice_of,
    field_text,
    name_of,
    table_in,
    tables_in,
    values_of,
)
from eosviz.pipeline.sweep_parameters import Parameter, number_of
from eosviz.scenarios.editing import CannotEdit, Edit
from eosviz.scenarios.rewriting import edited

DIGITS_MAX = 16

Json = dict[str, Any]


class BadForm(Exception):
    """All errors in a form, or the error in its document. The place of an error in a form is the name of the
    form's field."""

    def __init__(self, mistakes: list[BadSweep]) -> None:
        super().__init__(mistakes)
        self.mistakes = mistakes


def write_form(
    text: str,
    scenario: str,
    variant: str | None,
    filled: Filled,
    parameters: list[Parameter],
    asks: Caller = COMMAND_LINE,
) -> str:
    """The document with the form's values. `text`: the document before. Raises BadForm, Busy or
    BeyondBounds."""
    try:
        writing = _Writing(read_document(text), parameters)
    except BadSweep as bad:
        raise BadForm([bad]) from bad
    edits = list(writing.edits(scenario, variant, filled))
    if writing.mistakes:
        raise BadForm(writing.mistakes)
    try:
        return edited(text, edits, asks)
    except CannotEdit as reason:
        raise BadForm([BadSweep("document", "cannot_edit", "cannot_edit", reason=str(reason))]) from reason


class _Writing:
    """The changes to one document. Errors of the form are collected in `mistakes`."""

    def __init__(self, document: Json, parameters: list[Parameter]) -> None:
        self.document = document
        self.known = {parameter.path: parameter for parameter in parameters}
        self.fixed = table_in(document, "set")
        self.axes = tables_in(document, "axes")
        self.faults = tables_in(document, "faults")
        self.mistakes: list[BadSweep] = []

    def edits(self, scenario: str, variant: str | None, filled: Filled) -> Iterator[Edit]:
        yield from self._scalar("scenario", scenario)
        yield from self._scalar("variant", variant)
        yield from self._scalar("seeds", self._whole(filled.seeds, "seeds"))
        yield from self._scalar("first_seed", self._whole(filled.first_seed, "first_seed"))
        typed = self._typed(filled)
        yield from self._set(typed)
        yield from self._axes({path: values for path, values in typed.items() if len(values) > 1}, filled)
        yield from self._faults(filled.faults)

    def _scalar(self, key: str, value: Any) -> Iterator[Edit]:
        if value is None:
            if key in self.document:
                yield Edit(do="remove", path=[key])
        elif self.document.get(key) != value:
            yield Edit(do="set", path=[key], value=value)

    def _whole(self, text: str, place: str) -> int | None:
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX):
            self.mistakes.append(bad_value(place, text, "whole_number"))
            return None
        return int(text)

    def _typed(self, filled: Filled) -> dict[str, list[Any]]:
        typed: dict[str, list[Any]] = {}
        for path, text in filled.values.items():
            try:
                typed[path] = values_of(self.known[path], text)
            except BadSweep as bad:
                self.mistakes.append(bad)
        return typed

    # -- settings ------------------------------------------------------------------------------------------

    def _set(self, typed: dict[str, list[Any]]) -> Iterator[Edit]:
        wanted = {path: values[0] for path, values in typed.items() if len(values) == 1}
        for path, value in self.fixed.items():
            if path not in wanted and field_text(self.known.get(path), [value]) is not None:
                yield Edit(do="remove", path=["set", path])
        for path, value in wanted.items():
            if path not in self.fixed or not same(self.fixed[path], value):
                yield Edit(do="set", path=["set", path], value=value)

    def _axes(self, wanted: dict[str, list[Any]], filled: Filled) -> Iterator[Edit]:
        choices = self._named(filled.choices, "choices")
        names = [str(axis.get("name")) for axis in self.axes]
        gone, seen = [], 0
        for position, axis in enumerate(self.axes):
            if "choices" in axis:
                if (before := choice_of(axis, self.known)) is None:
                    continue
                seen += 1
                after = choices.pop(before.name, None)
                if after is None:
                    gone.append(position)
                elif after != before:
                    rows = self._rows(after, filled)
                    yield Edit(do="set", path=["axes", position, "choices"], value=rows)
            elif field_text(self.known.get(str(axis.get("path"))), axis.get("values")) is not None:
                values = wanted.pop(axis["path"], None)
                if values is None:
                    gone.append(position)
                elif not same(values, axis["values"]):
                    yield Edit(do="set", path=["axes", position, "values"], value=values)
        yield from (Edit(do="remove", path=["axes", position]) for position in reversed(gone))
        for path, values in wanted.items():
            name = axis_name(path, names)
            names.append(name)
            yield Edit(do="add", path=["axes"], value={"name": name, "path": path, "values": values})
        for choice in choices.values():
            rows = self._rows(choice, filled)
            yield Edit(do="add", path=["axes"], value={"name": choice.name, "choices": rows})

    def _named(self, rows: list[Any], key: str) -> dict[str, Any]:
        """The form's entries by name; empty ones are left out. Wrong names are added to `mistakes`."""
        named: dict[str, Any] = {}
        for number, row in enumerate(rows):
            place = f"{key}.{number}.name"
            if row.is_empty:
                continue
            if not NAME.fullmatch(row.name):
                self.mistakes.append(bad_value(place, row.name or None, "name"))
            elif row.name in named:
                self.mistakes.append(BadSweep(place, "twice", "other_name", value=row.name))
            else:
                named[row.name] = row
        return named

    def _rows(self, choice: ChoiceFields, filled: Filled) -> list[Json]:
        number = filled.choices.index(choice)
        for column, path in enumerate(choice.paths):
            if path and path not in self.known:
                self.mistakes.append(bad_value(f"choices.{number}.path.{column}", path, "parameter"))
        rows = []
        for row, (name, cells) in enumerate(choice.rows):
            settings = {
                path: self._cell(self.known[path], cell, f"choices.{number}.{row}.value.{column}")
                for column, (path, cell) in enumerate(zip(choice.paths, cells, strict=True))
                if cell and path in self.known
            }
            if name:
                rows.append({"name": name, "set": settings})
            elif settings:
                self.mistakes.append(bad_value(f"choices.{number}.{row}.name", None, "row_name"))
        if not rows:
            self.mistakes.append(bad_value(f"choices.{number}.0.name", None, "row_name"))
        return rows

    def _cell(self, parameter: Parameter, text: str, place: str) -> Any:
        try:
            return parameter.read(text, place)
        except BadSweep as bad:
            self.mistakes.append(bad)
            return None

    # -- faults --------------------------------------------------------------------------------------------

    def _faults(self, faults: list[FaultFields]) -> Iterator[Edit]:
        left = self._named(faults, "faults")
        gone = []
        for position, before in enumerate(self.faults):
            fault = left.pop(name_of(before, position), None)
            if fault is None:
                gone.append(position)
                continue
            for key, value in self._entry(fault, faults.index(fault)).items():
                if key != "name" and not same(before.get(key), value):
                    yield Edit(do="set", path=["faults", position, key], value=value)
        yield from (Edit(do="remove", path=["faults", position]) for position in reversed(gone))
        for fault in left.values():
            yield Edit(do="add", path=["faults"], value=self._entry(fault, faults.index(fault)))

    def _entry(self, fault: FaultFields, number: int) -> Json:
        at = f"faults.{number}."
        for key, chosen in (("kinds", fault.kinds), ("places", fault.places)):
            if not chosen:
                self.mistakes.append(bad_value(f"{at}{key}", None, key))
        entry: Json = {"name": fault.name, "kinds": fault.kinds, "places": fault.places}
        entry["rates"] = self._rates(fault.rates, f"{at}rates")
        fields = {name for kind in fault.kinds for name in BELONGING["fault"].fields[kind]}
        if "by_ms" in fields:
            entry["by_ms"] = self._whole(fault.by_ms or "-", f"{at}by_ms")
        if "error" in fields:
            entry["error"] = fault.error
        return entry

    def _rates(self, text: str, place: str) -> list[float]:
        rates = []
        for one in text.split(","):
            rate = number_of(one)
            if rate is None or not 0 <= rate <= 1:
                self.mistakes.append(bad_value(place, one.strip() or None, "rates"))
            else:
                rates.append(rate)
        return rates


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON. `1` and `true` are not equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def axis_name(path: str, taken: list[str]) -> str:
    """A name for the axis of a path: the last parts of the path or `axis_N`, so that it differs from all
    names in `taken`."""
    words = [word for word in path.replace("-", "_").lower().split(".") if word != "settings"]
    for count in range(1, len(words) + 1):
        name = "_".join(words[-count:])[:32]
        if name not in taken and name[0].isalpha():
            return name
    return f"axis_{len(taken) + 1}"
