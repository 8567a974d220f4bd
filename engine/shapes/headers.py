"""What does not change during a run; docs/frame.md, *View*."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from engine.shapes.words import Bilingual, JsonObject

Altered = tuple[Any, Any]
"""The default of a setting, and its value."""


class Actor(TypedDict):
    """Somebody who has a lane, in drawing order."""

    name: str
    role: str


class NamedBeat(TypedDict):
    """A name that the scenario's author gives to a beat."""

    kind: str
    """The kind of step that opens it (engine/view/openers.py)."""
    nth: int
    """The how-manieth of its kind, from 1."""
    title: Bilingual


class Header(TypedDict):
    """Does not change during a run."""

    scenario: str
    variant: str | None
    title: Bilingual
    variant_title: NotRequired[Bilingual | None]
    summary: NotRequired[Bilingual | None]
    """What happens, where the scenario says it; this and the two after it are not in a log case."""
    watch_for: NotRequired[Bilingual | None]
    lesson: NotRequired[Bilingual | None]
    profile: str
    version: str
    switches: JsonObject
    """Those that are not at their default."""
    altered: dict[str, Altered]
    """By the path of a setting."""
    engine: str
    actors: list[Actor]
    partitions: list[str]
    step_limit: int
    opens_on: NotRequired[Literal["stage", "lanes", "spacetime"]]
    """What the middle of the page shows first, where the scenario says it."""
    beats: NotRequired[list[NamedBeat]]
    """Names of the author's own, where the scenario has some."""
    time_origin: NotRequired[int | None]
    """Of a log case: step time 0 in milliseconds since 1970; null when no batch has a time."""
