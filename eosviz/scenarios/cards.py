"""The cards of the library's scenarios, with the ending of each of their runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.scenario.document import acts, load
from engine.scenario.twins import are_twins
from eosviz.scenarios.models import Endings, ScenarioVersion

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class VariantCard:
    """One variant. `expect_refused`: the rule that the author expects to refuse the variant; None if the
    variant is meant to run."""

    name: str
    title: Words
    expect_refused: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a scenario, with its ending (`engine.ending`). `steps`: the number of its steps; 0 if a rule
    refuses it."""

    scenario: str
    variant: VariantCard | None
    ending: dict[str, Any]
    has_brokers: bool = True

    @property
    def name(self) -> str:
        """The name of the run, `SC-58` or, with a variant, `SC-58/retry-off`."""
        return self.scenario if self.variant is None else f"{self.scenario}/{self.variant.name}"

    @property
    def profile(self) -> str:
        return str(self.ending["profile"])

    @property
    def profile_key(self) -> str:
        return f"library.profile.{self.profile}" if self.has_brokers else "player.no_kafka"

    @property
    def steps(self) -> int:
        return int(self.ending.get("steps", 0))

    @property
    def broken(self) -> list[str]:
        return list(self.ending.get("broken", ()))

    @property
    def broken_keys(self) -> list[str]:
        return [f"player.guarantee.{name}" for name in self.broken]


@dataclass(frozen=True, slots=True)
class Card:
    """The card of one scenario: titles and texts in both languages."""

    identifier: str
    title: Words
    summary: Words | None
    watch_for: Words | None
    lesson: Words | None
    signs: tuple[dict[str, Words], ...]
    """Symptoms in a real cluster: a dict with `see` and, for its meaning, `means`."""
    profile: str
    question: str | None
    covers: tuple[str, ...]
    variants: tuple[VariantCard, ...]
    acts: bool
    """Whether the scenario is also run without a variant. If not, its first variant is the usual run."""
    has_brokers: bool
    """Whether the scenario has Kafka's brokers. Runs of middleware without Kafka have no version of Kafka."""

    @property
    def usual_variant(self) -> str | None:
        return None if self.acts or not self.variants else self.variants[0].name

    def variant(self, name: str | None) -> VariantCard | None:
        return next((variant for variant in self.variants if variant.name == name), None)

    @property
    def profile_key(self) -> str:
        return f"library.profile.{self.profile}"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A scenario of the library with its runs. The usual run comes first, the others in the order of the
    document."""

    card: Card
    runs: tuple[Run, ...]
    twin: str | None = None
    """The name of a variant that makes the same steps as the first run (`are_twins`); None if there is
    none."""

    @property
    def different(self) -> list[Run]:
        """The runs without that of the variant `twin`."""
        return [one for one in self.runs if one.variant is None or one.variant.name != self.twin]

    def shown(self, variant: str | None) -> Run | None:
        """The run that is shown for this variant: for `twin` the first run, otherwise the variant's. None if
        there is no such run."""
        return self.runs[0] if variant is not None and variant == self.twin else self.run(variant)

    def run(self, variant: str | None) -> Run | None:
        return next(
            (run for run in self.runs if (run.variant.name if run.variant else None) == variant), None
        )


def card_of(version: ScenarioVersion) -> Card:
    document: dict[str, Any] = version.document
    return Card(
        identifier=version.identifier,
        title=document["title"],
        summary=document.get("summary"),
        watch_for=document.get("watch_for"),
        lesson=document.get("lesson"),
        signs=tuple(document.get("signs", ())),
        profile=document.get("profile", "k28"),
        question=document.get("question"),
        covers=tuple(document.get("covers", ())),
        variants=tuple(
            VariantCard(variant["name"], variant["title"], variant.get("expect_refused"))
            for variant in document.get("variants", ())
        ),
        acts=acts(document),
        has_brokers=document.get("cluster", {}).get("brokers") != 0,
    )


def _shelved(version: ScenarioVersion, endings: dict[str, Any]) -> Shelved:
    """The scenario with its runs. `endings`: name of a variant (empty: the document itself) → ending."""
    card = card_of(version)
    played = [None, *card.variants] if card.usual_variant is None else list(card.variants)
    endings_of = ((variant, endings.get(variant.name if variant else "")) for variant in played)
    made = tuple(
        Run(card.identifier, variant, ending, card.has_brokers)
        for variant, ending in endings_of
        if ending is not None
    )
    return Shelved(card, made, _twin(version, made))


def _twin(version: ScenarioVersion, runs: tuple[Run, ...]) -> str | None:
    document = version.document
    first = runs[0]
    first_name = first.variant.name if first.variant else None
    for other in runs[1:]:
        name = other.variant.name if other.variant else None
        if other.ending != first.ending or not first.steps:
            continue
        if are_twins(load(document, first_name), load(document, name)):
            return name
    return None


_shelf: dict[str, Shelved] = {}
"""The cards that the library showed last. Dict of document's digest and form of its endings → card. A stored
version never changes."""


def shelved(identifier: str) -> Shelved | None:
    """The library's scenario with this identifier. None if the library has none, for example because it has
    not been loaded."""
    return next((one for one in shelf() if one.card.identifier == identifier), None)


def shelf() -> list[Shelved]:
    """All scenarios of the library, in its order."""
    global _shelf
    made, library = _shelf, ScenarioVersion.objects.library()
    names = [f"{digest} {form}" for digest, form in library.values_list("digest", "endings__form")]
    if made.keys() != set(names):
        endings = dict(Endings.objects.filter(version__in=library).values_list("version_id", "runs"))
        versions = zip(names, library, strict=True)
        made = _shelf = {name: _shelved(version, endings.get(version.pk, {})) for name, version in versions}
        return list(made.values())
    return [made[name] for name in names]


def cards() -> list[Card]:
    return [shelved.card for shelved in shelf()]
