"""Lists the paths of a scenario that a sweep may contain. For a path that does not exist, finds the most
similar one."""

from __future__ import annotations

from collections.abc import Iterable

from engine.broker.configuration import BrokerConfiguration
from engine.scenario import kept_by
from engine.scenario.document import Scenario
from eosviz.pipeline.bad_sweep import nearest_of
from eosviz.pipeline.sweep_parameters import sections_of


def nearest_path(scenario: Scenario, place: str, written: Iterable[str]) -> str:
    """The path of the scenario that is most similar to the wrong path ``place``. If ``place`` is the
    beginning of a path in ``written``, that path is compared. Empty if the path exists, or if none is
    similar."""
    known = known_paths(scenario)
    path = next((one for one in written if one == place or one.startswith(f"{place}.")), place)
    if path in known:
        return ""
    parent, _, word = path.rpartition(".")
    beside = [one.rpartition(".")[2] for one in known if one.rpartition(".")[0] == parent]
    if not beside:
        return nearest_of(path, known)
    near = nearest_of(word, beside)
    return f"{parent}.{near}" if near else ""


def known_paths(scenario: Scenario) -> list[str]:
    """The paths of the parameters that the form for building a sweep offers, and those of the brokers'
    settings."""
    paths = [one.path for section in sections_of(scenario) for one in section.parameters]
    absent = kept_by.absent(scenario["profile"])
    settings = [name for name in BrokerConfiguration.__slots__ if name not in absent]
    return [*paths, *(f"cluster.broker.{name}" for name in settings)]
