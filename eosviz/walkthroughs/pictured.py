"""Scenarios of the library as pictures, for pages on which the reader has nothing of their own yet."""

from __future__ import annotations

from dataclasses import dataclass

from eosviz.scenarios.cards import Card, card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link


@dataclass(frozen=True, slots=True)
class Pictured:
    """A scenario and the picture of one of its steps, drawn by the server from the engine's own view."""

    card: Card
    step: int
    picture: str


def pictured(identifier: str, step: int, variant: str | None = None) -> Pictured | None:
    """The scenario with the picture of this step; None while the library is not loaded."""
    version = ScenarioVersion.objects.library().filter(identifier=identifier).first()
    if version is None:
        return None
    link = Link(
        scenario=version.identifier, version=version.digest[:VERSION_CHARACTERS], variant=variant, step=step
    )
    return Pictured(card_of(version), step, link.address("replays:card"))
