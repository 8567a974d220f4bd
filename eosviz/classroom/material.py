"""Sources of scenarios that a teacher may assign in addition to the library's. The app in which people build
scenarios registers a source in its `AppConfig.ready`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from eosviz.accounts.models import User
from eosviz.scenarios.models import ScenarioVersion


class Source(Protocol):
    def built_by(self, teacher: User) -> Iterable[tuple[ScenarioVersion, str]]:
        """The scenario versions that this teacher built and may assign, each with the key by which a form
        names it."""

    def built(self, teacher: User, key: str) -> ScenarioVersion | None:
        """The scenario version with this key; None if there is none or the teacher may not assign it."""


_sources: list[Source] = []


def add_source(source: Source) -> None:
    _sources.append(source)


def built_by(teacher: User) -> list[tuple[ScenarioVersion, str]]:
    return [one for source in _sources for one in source.built_by(teacher)]


def built(teacher: User, key: str) -> ScenarioVersion | None:
    return next((found for source in _sources if (found := source.built(teacher, key)) is not None), None)
