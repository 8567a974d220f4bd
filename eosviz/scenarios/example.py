"""What a newcomer sees playing on the first page, before there is anything of their own."""

from __future__ import annotations

from dataclasses import dataclass

from engine.scenario.tracks import Track, tracks
from eosviz.scenarios.cards import Card, card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link

SHOWN = "SC-03"
"""The lost acknowledgement: what the whole site is about, in the fewest steps."""
PICTURED_STEP = 60


@dataclass(frozen=True, slots=True)
class Example:
    """The first track, and a frame that plays one of its scenarios without a session."""

    track: Track
    card: Card
    frame: str
    picture: str
    """Of one of its steps, shown until the frame begins."""


def example(language: str) -> Example | None:
    """None while the library is not loaded."""
    version = ScenarioVersion.objects.library().filter(identifier=SHOWN).first()
    if version is None:
        return None
    named = {"scenario": version.identifier, "version": version.digest[:VERSION_CHARACTERS]}
    return Example(
        tracks()[0],
        card_of(version),
        Link(**named).address("replays:embed", play="1", lang=language),
        Link(**named, step=PICTURED_STEP).address("replays:card"),
    )
