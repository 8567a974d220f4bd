"""Tracks: scenarios in an order, each with a reason to go on to it (``tracks.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class TrackItem:
    """One scenario of a track: which of the library, which variant, and why now (en and zh-Hans)."""

    scenario: str
    variant: str | None
    why: Words


@dataclass(frozen=True, slots=True)
class Track:
    """``name`` stands in addresses; ``title`` and ``about`` in en and zh-Hans."""

    name: str
    title: Words
    about: Words
    items: tuple[TrackItem, ...]


@cache
def tracks() -> tuple[Track, ...]:
    """Every track, in the order in which they are offered."""
    text = resources.files("engine.scenario").joinpath("tracks.toml").read_text(encoding="utf-8")
    return tuple(
        Track(
            track["name"],
            track["title"],
            track["about"],
            tuple(TrackItem(item["scenario"], item.get("variant"), item["why"]) for item in track["items"]),
        )
        for track in tomllib.loads(text)["tracks"]
    )
