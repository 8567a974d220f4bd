"""The form of the page on which a person builds a sweep, and the sweep's document: each can be made from the
other. Writing the form changes only those parts of the document that the form can show. Comments, order and
everything else stay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.http import QueryDict

from engine.errors import Error
from engine.scenario.schema import APIS, MESSAGE_ACTIONS, NODE_APIS
from eosviz.pipeline.bad_sweep import BadSweep, bad_value
from eosviz.pipeline.sweep_axes import ANSWER, FAULTS_MAX
from eosviz.pipeline.sweep_document import read_document
from eosviz.pipeline.sweep_parameters import Parameter, written

DELAY_MS = 100
ERROR = Error.NOT_ENOUGH_REPLICAS.name
RATES = "0.1, 0.3"
SEEDS = 20
CHOICES_MAX = 3
"""The form has at most this many axes with choices. Each of them has at most ROWS_MAX rows and COLUMNS_MAX
columns."""
ROWS_MAX = 12
COLUMNS_MAX = 6
KNOWN_PLACES = {place for api in (*APIS, *NODE_APIS) for place in (api, f"{api}{ANSWER}")}
"""Every place that a fault in a document may name. `sweep_places.py` finds out which of them a scenario
has."""
KINDS = MESSAGE_ACTIONS
ERRORS = [error.name for error in Error if error.code > 0]
_FORM_OF_FAULT = ("kinds", "places", "rates", "by_ms", "error")

Json = dict[str, Any]


@dataclass
class FaultFields:
    """The form's fields for one table `[[faults]]` of the document, whose faults happen by chance."""

    name: str
    kinds: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    rates: str = RATES
    by_ms: str = str(DELAY_MS)
    error: str = ERROR

    @property
    def is_empty(self) -> bool:
        return not self.kinds and not self.places


@dataclass
class ChoiceFields:
    """The form's fields for an axis with choices, each of which sets several paths. The form shows them as a
    table with a column for each path and a row for each choice."""

    name: str
    paths: list[str]
    rows: list[tuple[str, list[str]]]
    """(name of the choice, its values in the order of `paths`). An empty value keeps that of the scenario."""

    @property
    def is_empty(self) -> bool:
        return not self.name and not any(self.paths) and not any(name for name, _ in self.rows)


@dataclass
class Filled:
    """The values of the form's fields, as they were typed."""

    seeds: str = str(SEEDS)
    first_seed: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Dict of path of a parameter → its values, as they were typed with commas between them."""
    choices: list[ChoiceFields] = field(default_factory=list)
    faults: list[FaultFields] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """A digest of the form's fields. Forms with equal fields have equal digests."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


# -- from the fields, and from the document -----------------------------------------------------------------


def of_form(form: QueryDict, parameters: list[Parameter]) -> Filled:
    """Reads the fields of a posted form. Their names are ``choices.0.name``, ``choices.0.path.0`` (a column),
    ``choices.0.0.name`` and ``choices.0.0.value.0`` (a row), ``faults.0.kinds`` and so on. The field of a
    parameter has the parameter's path as its name."""
    filled = Filled(form.get("seeds", str(SEEDS)).strip(), form.get("first_seed", "").strip())
    for parameter in parameters:
        if text := form.get(parameter.path, "").strip():
            filled.values[parameter.path] = text
    for number in range(CHOICES_MAX):
        if f"choices.{number}.name" in form:
            filled.choices.append(_choice_of_form(form, f"choices.{number}."))
    for number in range(FAULTS_MAX):
        at = f"faults.{number}."
        if f"{at}rates" in form:
            filled.faults.append(
                FaultFields(
                    form.get(f"{at}name", "").strip() or f"fault_{number + 1}",
                    [kind for kind in form.getlist(f"{at}kinds") if kind in KINDS],
                    [place for place in form.getlist(f"{at}places") if place in KNOWN_PLACES],
                    *(form.get(f"{at}{name}", "").strip() for name in ("rates", "by_ms", "error")),
                )
            )
    return filled


def _choice_of_form(form: QueryDict, at: str) -> ChoiceFields:
    columns = [column for column in range(COLUMNS_MAX) if f"{at}path.{column}" in form]
    rows = [row for row in range(ROWS_MAX) if f"{at}{row}.name" in form]
    return ChoiceFields(
        form.get(f"{at}name", "").strip(),
        [form.get(f"{at}path.{column}", "").strip() for column in columns],
        [
            (
                form.get(f"{at}{row}.name", "").strip(),
                [form.get(f"{at}{row}.value.{column}", "").strip() for column in columns],
            )
            for row in rows
        ],
    )


def of_document(text: str, parameters: list[Parameter]) -> Filled:
    """The fields that show a document. Parts that they cannot show are left out (`kept_places`). Raises
    BadSweep if the text cannot be read."""
    document = read_document(text)
    known = {parameter.path: parameter for parameter in parameters}
    filled = Filled(str(document.get("seeds", 1)), str(document.get("first_seed", "")))
    for path, value in table_in(document, "set").items():
        if (shown := field_text(known.get(path), [value])) is not None:
            filled.values[path] = shown
    for axis in tables_in(document, "axes"):
        if "choices" in axis:
            choice = choice_of(axis, known)
            if choice is not None and len(filled.choices) < CHOICES_MAX:
                filled.choices.append(choice)
        elif (shown := field_text(known.get(str(axis.get("path"))), axis.get("values"))) is not None:
            filled.values[axis["path"]] = shown
    filled.faults = [_fault_of(fault, number) for number, fault in enumerate(tables_in(document, "faults"))]
    filled.faults = filled.faults[:FAULTS_MAX]
    return filled


def kept_places(text: str, parameters: list[Parameter]) -> list[str]:
    """The places of those parts of a document that the form cannot show. Writing the form leaves them
    unchanged. Raises BadSweep."""
    document = read_document(text)
    known = {parameter.path: parameter for parameter in parameters}
    kept = [
        f"set.{path}"
        for path, value in table_in(document, "set").items()
        if field_text(known.get(path), [value]) is None
    ]
    choices = 0
    for position, axis in enumerate(tables_in(document, "axes")):
        if "choices" in axis:
            choices += (is_shown := choice_of(axis, known) is not None and choices < CHOICES_MAX)
        else:
            is_shown = field_text(known.get(str(axis.get("path"))), axis.get("values")) is not None
        if not is_shown:
            kept.append(f"axes.{position} ({axis.get('name')})")
    for position, fault in enumerate(tables_in(document, "faults")):
        kept += [f"faults.{position}.{key}" for key in fault if key not in (*_FORM_OF_FAULT, "name")]
    return kept


def field_text(parameter: Parameter | None, values: Any) -> str | None:
    """The text of a parameter's field that stands for ``values``; None if no text does."""
    if parameter is None or not isinstance(values, list) or not values:
        return None
    text = ", ".join(written(value) for value in values)
    try:
        read = values_of(parameter, text)
    except BadSweep:
        return None
    return text if json.dumps(read) == json.dumps(values) else None


def values_of(parameter: Parameter, text: str) -> list[Any]:
    """The values in the text of a parameter's field, which are separated by commas. Raises BadSweep with the
    parameter's path as its place."""
    return [parameter.read(one.strip(), parameter.path) for one in text.split(",") if one.strip()]


def choice_of(axis: Json, known: Mapping[str, Parameter]) -> ChoiceFields | None:
    rows = axis["choices"]
    if not isinstance(rows, list) or not 0 < len(rows) <= ROWS_MAX:
        return None
    if not all(isinstance(row, dict) and isinstance(row.get("set", {}), dict) for row in rows):
        return None
    paths = list(dict.fromkeys(path for row in rows for path in row.get("set", {})))
    if len(paths) > COLUMNS_MAX or not isinstance(axis.get("name"), str):
        return None
    shown: list[tuple[str, list[str]]] = []
    for row in rows:
        cells = []
        for path in paths:
            cell = field_text(known.get(path), [row["set"][path]]) if path in row.get("set", {}) else ""
            if cell is None:
                return None
            cells.append(cell)
        shown.append((str(row.get("name", "")), cells))
    return ChoiceFields(axis["name"], paths, shown)


def _fault_of(fault: Json, number: int) -> FaultFields:
    def texts(key: str, allowed: Any) -> list[str]:
        value = fault.get(key)
        rows = value if isinstance(value, list) else []
        return [one for one in rows if isinstance(one, str) and one in allowed]

    rates = fault.get("rates")
    return FaultFields(
        name_of(fault, number),
        texts("kinds", KINDS),
        texts("places", KNOWN_PLACES),
        ", ".join(written(rate) for rate in rates) if isinstance(rates, list) else "",
        written(fault.get("by_ms", DELAY_MS)),
        written(fault.get("error", ERROR)),
    )


def name_of(fault: Json, number: int) -> str:
    return str(fault.get("name", f"fault_{number + 1}"))


def table_in(document: Json, key: str) -> Json:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise bad_value(key, value, "a_table")
    return value


def tables_in(document: Json, key: str) -> list[Json]:
    value = document.get(key, [])
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise bad_value(key, value, "tables_only")
    return value
