"""Tracks: scenarios in a recommended order, each with the reason for its position (``tracks.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class TrackItem:
    """One scenario of a track: its id in the library, the variant, and the reason for its position (en and
    zh-Hans)."""

    scenario: str
    variant: str | None
    why: Words


@dataclass(frozen=True, slots=True)
class Track:
    """One track. ``name`` is a part of addresses; ``title`` and ``about`` are in en and zh-Hans."""

    name: str
    title: Words
    about: Words
    items: tuple[TrackItem, ...]


@cache
def tracks() -> tuple[Track, ...]:
    """Every track, in the order in which pages list them."""
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
