"""Lists the parameters of a scenario that a sweep can vary. They are read from the tables that validate
scenarios and settings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.client.configuration import ACKS_ALL, SETTINGS
from engine.network.faults import FaultRule
from engine.profiles import PROFILES
from engine.scenario import kept_by
from engine.scenario.document import Scenario
from engine.scenario.schema import SECTIONS, Field
from engine.switches import Switches
from eosviz.pipeline.bad_sweep import bad_value

_SCENARIO = ("profile",)
_CLUSTER = ("latency_ms",)
LEVEL = "transaction_version"
"""This parameter can vary only if the cluster's version has Kafka's feature `transaction.version`."""
_TOPIC = ("min_isr", "replication", "segment_records")
_PRODUCER = ("profile",)
_CONSUMER = ("profile", "isolation")
_LOOP = ("batch", "before_end_ms", "every", "commits")
_SERVICE = ("approach", "batch", "every", "timeout_ms", "retry_ms")
_SCALARS = ("int", "bool", "number")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a scenario that can vary. `path`: its dotted path in the document. `now`: the scenario's
    own value. `kind`: the type of its values."""

    path: str
    now: Any
    allowed: str
    """The allowed values, written with signs and values only, so that the text is the same in every
    language."""
    kind: str

    @property
    def shown(self) -> str:
        return "" if self.now is None else written(self.now)

    def read(self, text: str, place: str) -> Any:
        """The value that `text`, typed by a person, stands for. Raises BadSweep at ``place`` if it stands for
        none."""
        if self.kind in ("int", "number", "acks"):
            number = number_of(text)
            if number is None and self.kind != "acks":
                raise bad_value(place, text, "signs", signs=self.allowed)
            return text if number is None else number
        if self.kind == "bool":
            if text not in ("true", "false"):
                raise bad_value(place, text, "signs", signs=self.allowed)
            return text == "true"
        return text


def written(value: Any) -> str:
    """The value as a person types it: texts without quotes, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def number_of(text: str) -> int | float | None:
    """The number that a text stands for; None if it stands for no number or for an infinite one."""
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        return number if isinstance(number, int) or math.isfinite(number) else None
    return None


@dataclass(frozen=True, slots=True)
class Section:
    """The parameters of one kind. Their title is `sweeps.build.<key>` in the catalogue."""

    key: str
    parameters: list[Parameter]


def sections_of(scenario: Scenario) -> list[Section]:
    """The parameters that the form for building a sweep offers for a scenario, by kind. Kinds without a
    parameter are left out."""
    document = scenario.document
    return [
        section
        for section in (
            Section("producers", list(_producers(scenario))),
            Section("consumers", list(_rows(document, "consumers", "consumer", _CONSUMER))),
            Section("cluster", list(_cluster(document, "topics" in scenario.source))),
            Section("middleware", list(_middleware(document))),
            Section("loops", list(_rows(document, "loops", "loop", _LOOP))),
            Section("services", list(_services(document))),
            Section("faults", list(_faults(document))),
            Section("switches", list(_switches(document))),
        )
        if section.parameters
    ]


def _producers(scenario: Scenario) -> Iterator[Parameter]:
    yield from _rows(scenario.document, "producers", "producer", _PRODUCER)
    for producer in scenario["producers"]:
        in_force = _in_force(scenario, producer)
        for name, setting in SETTINGS.items():
            path = f"producers.{producer['name']}.settings.{name}"
            now = in_force[name]
            if setting.kind == "acks" and now == ACKS_ALL:
                now = "all"  # the usual way to write acks=-1
            yield Parameter(path, now, _allowed(setting.kind, setting.low, setting.high), setting.kind)


def _in_force(scenario: Scenario, producer: dict[str, Any]) -> dict[str, Any]:
    config, given = scenario.producer_config(producer), producer["settings"]
    if config is None:
        return {name: given.get(name, setting.default) for name, setting in SETTINGS.items()}
    return {name: getattr(config, name) for name in SETTINGS}


def _rows(
    document: Mapping[str, Any], list_name: str, section: str, names: tuple[str, ...]
) -> Iterator[Parameter]:
    for row in document[list_name]:
        for name in names:
            yield _of_field(f"{list_name}.{row['name']}.{name}", SECTIONS[section][name], row[name])


def _of_field(path: str, field: Field, now: Any) -> Parameter:
    return Parameter(path, now, _allowed(field.kind, field.low, field.high, field.choices), field.kind)


def _cluster(document: Mapping[str, Any], has_topics: bool) -> Iterator[Parameter]:
    """The version of Kafka, and the parameters of the cluster and its topics. ``has_topics``: whether the
    scenario lists its topics."""
    for name in _SCENARIO:
        yield _of_field(name, SECTIONS["scenario"][name], document[name])
    for name in _CLUSTER:
        yield _of_field(f"cluster.{name}", SECTIONS["cluster"][name], document["cluster"][name])
    highest = PROFILES[document["profile"]].transaction_version
    if highest:
        field = replace(SECTIONS["cluster"][LEVEL], high=highest)
        yield _of_field(f"cluster.{LEVEL}", field, document["cluster"][LEVEL])
    for index, link in enumerate(document["cluster"]["latencies"]):
        yield _of_field(f"cluster.latencies.{index}.ms", SECTIONS["latency"]["ms"], link["ms"])
    if has_topics:
        yield from _rows(document, "topics", "topic", _TOPIC)


def _middleware(document: Mapping[str, Any]) -> Iterator[Parameter]:
    settings = document["middleware"]
    for name, field in SECTIONS["middleware"].items():
        if settings["participants"] and (field.kind in _SCALARS or field.choices):
            yield _of_field(f"middleware.{name}", field, settings[name])


def _services(document: Mapping[str, Any]) -> Iterator[Parameter]:
    yield from _rows(document, "services", "service", _SERVICE)
    if document["services"]:
        for name, field in SECTIONS["database"].items():
            yield _of_field(f"database.{name}", field, document["database"][name])


def _faults(document: Mapping[str, Any]) -> Iterator[Parameter]:
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
        if not kept_by.exists(kept_by.SWITCHES.get(name), document["profile"]):
            continue
        default = getattr(usual, name)
        now = document["switches"].get(name, default)
        kind = {bool: "bool", int: "int"}.get(type(default), "text")
        yield Parameter(f"switches.{name}", now, _allowed(kind, 1, None), kind)


def _allowed(
    kind: str, low: int | None = None, high: int | None = None, choices: tuple[Any, ...] = ()
) -> str:
    """The allowed values, written with signs and values only, so that the text is the same in every
    language."""
    if choices:
        return " | ".join(str(choice) for choice in choices)
    if kind == "int":
        return f"{'' if low is None else low} … {'' if high is None else high}".strip()
    return {"bool": "true | false", "acks": "0 | 1 | all", "number": "0 … 1"}.get(kind, "")
