"""The constant part of a run; docs/frame.md, *Header*."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from engine.shapes.words import Bilingual, JsonObject

Altered = list[Any]
"""The default of a setting, its value, and its name in Kafka (null when Kafka has no such setting). Headers
of earlier releases do not contain the name, and contain null for most defaults."""


class Actor(TypedDict):
    """An actor with a lane. Actors are listed in the order in which they are drawn."""

    name: str
    role: str


class NamedBeat(TypedDict):
    """A name that the scenario's author gives to a beat."""

    kind: str
    """The kind of step that opens the beat (engine/view/openers.py)."""
    nth: int
    """The number of the beat among the beats of this kind, from 1."""
    title: Bilingual


class Header(TypedDict):
    """The constant part of a run."""

    scenario: str
    variant: str | None
    title: Bilingual
    variant_title: NotRequired[Bilingual | None]
    summary: NotRequired[Bilingual | None]
    """The scenario's summary, if it has one; absent in a log case, like the next two fields."""
    watch_for: NotRequired[Bilingual | None]
    lesson: NotRequired[Bilingual | None]
    profile: str
    version: str
    client_versions: NotRequired[dict[str, str]]
    """Dict of client → its Kafka version, for each client whose version differs from the cluster's. Absent if
    no version differs."""
    switches: JsonObject
    """The switches that the scenario sets, also those that it sets to their default."""
    altered: dict[str, Altered]
    """Dict of path of a setting → its values."""
    engine: str
    actors: list[Actor]
    partitions: list[str]
    step_limit: int
    opens_on: NotRequired[Literal["stage", "lanes", "spacetime"]]
    """The panel that the page opens with, if the scenario names one."""
    beats: NotRequired[list[NamedBeat]]
    """The author's names of beats, if the scenario has any."""
    time_origin: NotRequired[int | None]
    """Only in a log case: the time that is 0 in the steps, in milliseconds since 1970. Null when no batch has
    a time."""
