"""The builder's form: what can vary in a scenario, read from the tables that check scenarios and settings, and the
sweep document that a filled form stands for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tomlkit

from engine.client.configuration import SETTINGS
from engine.errors import Error
from engine.network.faults import FaultRule
from engine.scenario import Scenario
from engine.scenario.schema import APIS, MESSAGE_ACTIONS, MIDDLEWARE_APIS, SECTIONS, Field
from engine.switches import Switches
from eosviz.pipeline.sweep_axes import BadSweep

DELAY_MS = 100
ERROR = Error.NOT_ENOUGH_REPLICAS.name
SEEDS = 20
_SCENARIO = ("profile",)
_CLUSTER = ("latency_ms",)
_TOPIC = ("min_isr", "replication", "segment_records")
_CONSUMER = ("isolation",)
_LOOP = ("batch", "before_end_ms", "every", "commits")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that may vary: a dotted path, what stands there now, what may."""

    path: str
    now: Any
    allowed: str
    kind: str

    @property
    def shown(self) -> str:
        return "" if self.now is None else json.dumps(self.now, ensure_ascii=False).strip('"')

    @property
    def label(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class Section:
    """Parameters of one kind; `key` is `sweeps.build.<key>` in the catalogue."""

    key: str
    parameters: list[Parameter]


def sections_of(scenario: Scenario) -> list[Section]:
    """Everything that may vary in this scenario."""
    document = scenario.document
    return [
        section
        for section in (
            Section("producers", list(_producers(document))),
            Section("consumers", list(_rows(document, "consumers", "consumer", _CONSUMER))),
            Section("cluster", list(_cluster(document, "topics" in scenario.source))),
            Section("loops", list(_rows(document, "loops", "loop", _LOOP))),
            Section("faults", list(_faults(document))),
            Section("switches", list(_switches(document))),
        )
        if section.parameters
    ]


def _producers(document: Mapping[str, Any]) -> Iterator[Parameter]:
    for producer in document["producers"]:
        for name, setting in SETTINGS.items():
            path = f"producers.{producer['name']}.settings.{name}"
            now = producer["settings"].get(name, setting.default)
            yield Parameter(path, now, _allowed(setting.kind, setting.low, setting.high), setting.kind)


def _rows(
    document: Mapping[str, Any], list_name: str, section: str, names: tuple[str, ...]
) -> Iterator[Parameter]:
    for row in document[list_name]:
        for name in names:
            yield _of_field(f"{list_name}.{row['name']}.{name}", SECTIONS[section][name], row[name])


def _of_field(path: str, field: Field, now: Any) -> Parameter:
    return Parameter(path, now, _allowed(field.kind, field.low, field.high, field.choices), field.kind)


def _cluster(document: Mapping[str, Any], has_topics: bool) -> Iterator[Parameter]:
    """``has_topics``: the scenario names them; the usual one that stands in for none cannot be set."""
    for name in _SCENARIO:
        yield _of_field(name, SECTIONS["scenario"][name], document[name])
    for name in _CLUSTER:
        yield _of_field(f"cluster.{name}", SECTIONS["cluster"][name], document["cluster"][name])
    if has_topics:
        yield from _rows(document, "topics", "topic", _TOPIC)


def _faults(document: Mapping[str, Any]) -> Iterator[Parameter]:
    """Times of the fault script as it is written, and chances where there are some."""
    for index, fault in enumerate(document["faults"]):
        for name in ("at", "by_ms", "for_ms", "after_ms"):
            if fault[name]:
                yield _of_field(f"faults.{index}.{name}", SECTIONS["fault"][name], fault[name])
        if FaultRule(index, fault).rate is not None:
            field = SECTIONS["match"]["rate"]
            yield _of_field(f"faults.{index}.match.rate", field, fault["match"]["rate"])


def _switches(document: Mapping[str, Any]) -> Iterator[Parameter]:
    usual = Switches()
    for name in Switches.__dataclass_fields__:
        default = getattr(usual, name)
        now = document["switches"].get(name, default)
        kind = {bool: "bool", int: "int"}.get(type(default), "text")
        yield Parameter(f"switches.{name}", now, _allowed(kind, 1, None), kind)


def _allowed(
    kind: str, low: int | None = None, high: int | None = None, choices: tuple[Any, ...] = ()
) -> str:
    """In signs and values, which are the same in every language."""
    if choices:
        return " | ".join(str(choice) for choice in choices)
    if kind == "int":
        return f"{'' if low is None else low} … {'' if high is None else high}".strip()
    return {"bool": "true | false", "acks": "0 | 1 | all", "number": "0 … 1"}.get(kind, "")


PLACES = [place for api in (*APIS, *MIDDLEWARE_APIS) for place in (api, f"{api} answer")]
KINDS = MESSAGE_ACTIONS


def document_of(
    scenario: str, variant: str | None, parameters: list[Parameter], form: Mapping[str, Any], places: list[str],
    kinds: list[str],
) -> str:  # fmt: skip
    """The sweep document (TOML) that a filled form stands for. Raises BadSweep."""
    document = tomlkit.document()
    document["scenario"] = scenario
    if variant:
        document["variant"] = variant
    document["seeds"] = _whole(form.get("seeds") or str(SEEDS), "seeds")
    axes = tomlkit.aot()
    fixed = tomlkit.table()
    for parameter in parameters:
        values = [
            _value(parameter, text) for text in str(form.get(parameter.path, "")).split(",") if text.strip()
        ]
        if len(values) == 1:
            fixed[parameter.path] = values[0]
        elif values:
            axis = tomlkit.table()
            axis["name"] = _axis_name(parameter.path, [str(one["name"]) for one in axes])
            axis["path"] = parameter.path
            axis["values"] = values
            axes.append(axis)
    if fixed:
        document["set"] = fixed
    if axes:
        document["axes"] = axes
    if places and kinds:
        fault = tomlkit.table()
        fault.update(
            {"name": "fault", "kinds": kinds, "places": places, "rates": _rates(str(form.get("rates", "")))}
        )
        if "delay" in kinds:
            fault["by_ms"] = _whole(str(form.get("by_ms") or DELAY_MS), "by_ms")
        if "inject_error" in kinds:
            fault["error"] = str(form.get("error") or ERROR)
        document["faults"] = tomlkit.aot()
        document["faults"].append(fault)
    return tomlkit.dumps(document)


def _value(parameter: Parameter, text: str) -> Any:
    text = text.strip()
    if parameter.kind in ("int", "number", "any", "acks"):
        for read in (int, float):
            try:
                return read(text)
            except ValueError:
                continue
        if parameter.kind == "acks":
            return text
        raise BadSweep(parameter.path, repr(text)[:80], parameter.allowed)
    if parameter.kind == "bool":
        if text not in ("true", "false"):
            raise BadSweep(parameter.path, repr(text)[:80], parameter.allowed)
        return text == "true"
    return text


def _whole(text: str, place: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise BadSweep(place, repr(text)[:80], "a whole number")
    return int(text)


def _rates(text: str) -> list[float]:
    rates = []
    for one in text.split(","):
        try:
            rates.append(float(one))
        except ValueError:
            raise BadSweep("rates", repr(one)[:80], "numbers from 0 to 1, separated by commas") from None
    return rates


def _axis_name(path: str, taken: list[str]) -> str:
    """The last word of a path; with the word before it where two would be called the same."""
    words = [word for word in path.replace("-", "_").lower().split(".") if word != "settings"]
    for count in range(1, len(words) + 1):
        name = "_".join(words[-count:])[:32]
        if name not in taken and name[0].isalpha():
            return name
    return f"axis_{len(taken) + 1}"
