"""Reads what the pages of an analysis show: an overview of its scenarios, and one scenario along its
steps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from eosviz.analytics.drawing import Drawing, draw
from eosviz.analytics.models import Analysis, Figure, Kind
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link

RUNS_SHOWN = 100
PLACES_SHOWN = 10
"""The overview lists at most this many steps. A scenario's own page lists all of its steps."""
RULES_SHOWN = 25


@dataclass(slots=True)
class Run:
    """One version and variant of a scenario, with its figures about the whole run. `whole`: kind → figure."""

    version: ScenarioVersion
    variant: str
    whole: dict[str, Figure] = field(default_factory=dict)

    @property
    def title(self) -> dict[str, str]:
        document = self.version.document
        title: dict[str, str] = document.get("title", {})
        return title

    @property
    def query(self) -> str:
        return urlencode({"version": self.version.pk, "variant": self.variant})

    @property
    def people(self) -> int:
        return max((figure.of for figure in self.whole.values()), default=0)

    @property
    def columns(self) -> list[Figure | None]:
        """The figures in the order of the overview's columns; None for a kind without a figure."""
        return [self.whole.get(kind) for kind in COLUMNS]

    def address(self, step: int) -> str:
        """The address of a page that opens this step in a new session of the reader."""
        return Link(
            scenario=self.version.identifier,
            version=self.version.digest[:VERSION_CHARACTERS],
            variant=self.variant or None,
            step=step,
        ).address()


COLUMNS = (Kind.ENDED, Kind.LEFT, Kind.BACK, Kind.BRANCHED, Kind.WRONG)


@dataclass(frozen=True, slots=True)
class Place:
    """A figure about a step."""

    run: Run
    figure: Figure

    @property
    def address(self) -> str:
        return self.run.address(self.figure.step or 0)

    @property
    def kind_key(self) -> str:
        return f"analytics.kind.{self.figure.kind}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement at whose steps people had difficulty. `figure`: over all people; `groups`: the figures of
    single groups."""

    figure: Figure
    groups: list[Figure]


@dataclass(frozen=True, slots=True)
class Overview:
    runs: list[Run]
    run_count: int
    places: list[Place]
    """The steps at which the largest share of people had difficulty, by the lower end of the share's
    interval."""
    rules: list[Rule]
    changes: list[Figure]
    column_keys: list[str] = field(default_factory=lambda: [f"analytics.kind.{kind}" for kind in COLUMNS])


def overview(analysis: Analysis) -> Overview:
    # With prefetch, each query below reads the document of a version once, however many figures are about it.
    together = analysis.figures.filter(group="").prefetch_related("version", "before")
    runs = _runs(together.filter(step=None, rule="", before=None))
    known = {(run.version.pk, run.variant): run for run in runs}
    confused = together.filter(kind=Kind.CONFUSED)
    places = confused.filter(step__isnull=False).order_by("-low", "-people", "version_id", "step", "id")
    rules = list(
        confused.filter(step=None).exclude(rule="").order_by("-low", "-people", "rule")[:RULES_SHOWN]
    )
    of_rule: dict[str, list[Figure]] = defaultdict(list)
    grouped = analysis.figures.filter(kind=Kind.CONFUSED, step=None, rule__in=[one.rule for one in rules])
    for figure in grouped.exclude(group="").order_by("group"):
        of_rule[figure.rule].append(figure)
    return Overview(
        runs=runs[:RUNS_SHOWN],
        run_count=len(runs),
        places=[
            Place(known.get((version.pk, one.variant)) or Run(version, one.variant), one)
            for one in places[:PLACES_SHOWN]
            if (version := one.version) is not None
        ],
        rules=[Rule(one, of_rule[one.rule]) for one in rules],
        changes=sorted(
            together.exclude(before=None), key=lambda one: (_doubt(one), one.version_id or 0, one.kind)
        )[:RUNS_SHOWN],
    )


def _doubt(change: Figure) -> bool:
    """Whether the interval of the difference includes zero."""
    return change.low <= 0 <= change.high


def _runs(figures: Any) -> list[Run]:
    found: dict[tuple[int, str], Run] = {}
    for figure in figures:
        run = found.setdefault((figure.version_id, figure.variant), Run(figure.version, figure.variant))
        run.whole[figure.kind] = figure
    return sorted(found.values(), key=lambda run: (-run.people, run.version.identifier, run.variant))


@dataclass(frozen=True, slots=True)
class Step:
    """A step with its figures. Each figure has the step's sentence."""

    number: int
    places: list[Place]

    @property
    def address(self) -> str:
        return self.places[0].address

    @property
    def figure(self) -> Figure:
        """One of the step's figures, for the sentence."""
        return self.places[0].figure


@dataclass(frozen=True, slots=True)
class OneRun:
    run: Run
    drawing: Drawing | None
    steps: list[Step]
    """The steps that have figures, in the order of the run. Figures of the kind `confused` are left out."""
    groups: list[Figure]
    """The figures about the whole run in single groups, at most one for each group and kind."""
    changes: list[Figure]


def run_of(analysis: Analysis, version: int, variant: str) -> OneRun | None:
    """One run of an analysis. None if the analysis has no figure of all groups together about this version
    and variant."""
    figures = analysis.figures.filter(version=version, variant=variant).prefetch_related("version", "before")
    together = [figure for figure in figures if figure.group == ""]
    scenario = together[0].version if together else None
    if scenario is None:
        return None
    run = Run(scenario, variant)
    run.whole = {one.kind: one for one in together if one.step is None and one.before_id is None}
    at_steps = sorted((one for one in together if one.step is not None), key=lambda one: (one.step, one.kind))
    steps = max((one.step or 0 for one in at_steps), default=0)
    return OneRun(
        run=run,
        drawing=draw(at_steps, steps),
        steps=[
            Step(number, [Place(run, one) for one in of_step])
            for number, of_step in groupby(
                (one for one in at_steps if one.kind != Kind.CONFUSED), key=lambda one: one.step or 0
            )
        ],
        groups=sorted(
            (one for one in figures if one.group and one.step is None), key=lambda one: (one.group, one.kind)
        ),
        changes=[one for one in together if one.before_id is not None],
    )
