"""What the library page shows of a scenario document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.scenario.shelf import acts
from eosviz.scenarios.models import ScenarioVersion

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class VariantCard:
    """One variant. `expect_refused` names the rule that is meant to refuse it."""

    name: str
    title: Words
    expect_refused: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """One scenario: titles and texts in both languages."""

    identifier: str
    title: Words
    summary: Words | None
    watch_for: Words | None
    lesson: Words | None
    profile: str
    covers: tuple[str, ...]
    variants: tuple[VariantCard, ...]
    acts: bool
    """Without a variant, too; otherwise the first variant is what a plain start plays."""

    @property
    def usual_variant(self) -> str | None:
        return None if self.acts or not self.variants else self.variants[0].name

    def variant(self, name: str | None) -> VariantCard | None:
        return next((variant for variant in self.variants if variant.name == name), None)

    @property
    def profile_key(self) -> str:
        return f"library.profile.{self.profile}"

    @property
    def text(self) -> str:
        """All words, in small letters, for the search."""
        words: list[str] = [self.identifier, *self.covers]
        for written in (
            self.title,
            self.summary,
            self.watch_for,
            *(variant.title for variant in self.variants),
        ):
            words += (written or {}).values()
        return " ".join(words).lower()


def card_of(version: ScenarioVersion) -> Card:
    document: dict[str, Any] = version.document
    return Card(
        identifier=version.identifier,
        title=document["title"],
        summary=document.get("summary"),
        watch_for=document.get("watch_for"),
        lesson=document.get("lesson"),
        profile=document.get("profile", "k28"),
        covers=tuple(document.get("covers", ())),
        variants=tuple(
            VariantCard(variant["name"], variant["title"], variant.get("expect_refused"))
            for variant in document.get("variants", ())
        ),
        acts=acts(document),
    )


_made: dict[str, Card] = {}
"""By the digest of their documents: those that the library last showed. A version never changes."""


def cards() -> list[Card]:
    """The library, in its order."""
    global _made
    made, library = _made, ScenarioVersion.objects.library()
    digests = list(library.values_list("digest", flat=True))
    if made.keys() != set(digests):
        made = _made = {version.digest: card_of(version) for version in library}
        return list(made.values())
    return [made[digest] for digest in digests]


def matching(every: list[Card], query: str) -> list[Card]:
    """The cards that hold every word of the query."""
    wanted = query.lower().split()
    return [card for card in every if all(word in card.text for word in wanted)]
