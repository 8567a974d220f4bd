"""The page that shows one scenario in each generation of Kafka (`generations_of`), side by side. A reader can
open each of these runs as a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from engine.client.configuration import ACKS_ALL, defaults, kafka_name
from engine.generations.deciding import BROKERS, Row
from engine.generations.generation import GENERATIONS, Generation, generations_of, is_own, settings_in
from engine.generations.grid import Cell, grid_of
from engine.profiles import PROFILES
from engine.scenario.document import BadScenario, Scenario
from eosviz.browser import browser_making
from eosviz.refusal_pages import form_page
from eosviz.refusals import Problem
from eosviz.scenarios.actions import with_settings
from eosviz.scenarios.cards import Card, Run, VariantCard, card_of, cards
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.simulations import scenario_of
from eosviz.walkthroughs.tasks import plan_soon

FIRST = "SC-91/end-level-0"
"""The scenario that the page shows before the reader chooses one. Its outcome changes twice: with the brokers
of Kafka 3.9, and with the clients of Kafka 4.1."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One generation, as the page draws it."""

    cell: Cell
    run: Run
    """How the run ends, for the drawing and its text."""
    unmet: tuple[dict[str, Any], ...]
    """The faults of the script that matched no message. Each is a dict with `number` (its position in the
    script, from 1), `api` (the API of the message that it should have matched, or None), and
    `is_response`."""

    @property
    def generation(self) -> Generation:
        return self.cell.generation

    @property
    def reason(self) -> dict[str, Any]:
        """Returns the parameters of the sentence that says why this generation has no run."""
        cannot = self.cell.cannot
        return {} if cannot is None else {"place": cannot.place, "rule": cannot.rule, **cannot.message}


@dataclass(frozen=True, slots=True)
class Turn:
    """A generation whose run ends differently from the run of the generation before it, with the rows that
    cause the difference."""

    cell: Cell
    rows: tuple[Row, ...]

    @property
    def key(self) -> str:
        """Returns the key, in the catalogue, of the heading: the outcome changes with this generation, or
        with this mixture of versions."""
        return "generations.turn.mixed" if self.cell.generation.has_newer_clients else "generations.turn"

    @property
    def who(self) -> str:
        """Returns the key, in the catalogue, of the sentence that says what causes the difference: the
        brokers, the clients, both, or the document."""
        if self.cell.generation.has_newer_clients:
            return "generations.who.newer_clients"
        sides = {row.side for row in self.rows}
        if len(sides) != 1:
            return "generations.who.both" if sides else "generations.who.document"
        if BROKERS in sides:
            return "generations.who.brokers"
        has_same_brokers = (
            self.cell.since is not None and self.cell.since.brokers == self.cell.generation.brokers
        )
        return "generations.who.clients" if has_same_brokers else "generations.who.clients_alone"


@require_safe
def generations(request: HttpRequest) -> HttpResponse:
    """The page that shows one run in each generation. The parameter `scenario` chooses the scenario and its
    variant, for example `?scenario=SC-61/k28`."""
    version, card, variant = _asked(request.GET.get("scenario") or FIRST)
    return _page(request, version, card, variant)


@require_POST
def generation_new(request: HttpRequest) -> HttpResponse:
    """Creates a session of ``scenario`` in ``generation`` (both are fields of the form), and redirects to the
    player of the session."""
    version, card, variant = _asked(request.POST.get("scenario", ""))
    name = None if variant is None else variant.name
    scenario = scenario_of(version, name)
    generation = generations_of(scenario).get(request.POST.get("generation", ""))
    if generation is None:
        raise Http404
    browser = browser_making(request)
    try:
        settings = settings_in(scenario, generation)
        there = version if is_own(scenario, generation) else with_settings(version, name, settings)
        session = actions.create_session(browser, there, name)
        plan_soon(session)
    except BadScenario as bad:
        return _page(request, version, card, variant, actions.bad_scenario(bad))
    except Problem as problem:
        return _page(request, version, card, variant, problem)
    return redirect("walkthroughs:player", session.id)


def _asked(choice: str) -> tuple[ScenarioVersion, Card, VariantCard | None]:
    """Finds the scenario of the library that `choice` names, which must have a Kafka cluster, and the
    variant: the one that `choice` names, or the usual one. Raises Http404."""
    identifier, _, named = choice.partition("/")
    version = get_object_or_404(ScenarioVersion.objects.library(), identifier__iexact=identifier[:64])
    card = card_of(version)
    name = named or card.usual_variant
    variant = card.variant(name)
    if not card.has_brokers or (name is not None and variant is None):
        raise Http404
    return version, card, variant


def _page(
    request: HttpRequest,
    version: ScenarioVersion,
    card: Card,
    variant: VariantCard | None,
    problem: Problem | None = None,
) -> HttpResponse:
    name = None if variant is None else variant.name
    scenario = scenario_of(version, name)
    shown = [_shown(cell, scenario, variant) for cell in _cells(version.digest, name)]
    runs = [one for one in shown if one.cell.cannot is None]
    context = {
        "cards": [one for one in cards() if one.has_brokers],
        "card": card,
        "variant": variant,
        "choice": card.identifier if name is None else f"{card.identifier}/{name}",
        "shown": shown,
        "runs": runs,
        "turns": [Turn(one.cell, one.cell.decided_by) for one in runs if one.cell.ends_otherwise],
        "way_differs": any(one.cell.parting for one in runs),
        "is_own": any(one.cell.own for one in shown),
        "settings": _settings(scenario),
        "older_defaults": list(_older_defaults(scenario)),
        "written_for": PROFILES[scenario["profile"]].version,
    }
    return form_page(request, "walkthroughs/generations.html", context, problem)


def _settings(scenario: Scenario) -> list[str]:
    """Returns the settings that the scenario gives its producers, for example `p1: acks = all`."""
    profile = PROFILES[scenario["profile"]]
    found: dict[str, list[str]] = {}
    for producer in scenario["producers"]:
        written = [
            f"{kafka_name(name, profile) or name} = {_value(name, value)}"
            for name, value in producer["settings"].items()
        ]
        if written:
            found.setdefault(", ".join(written), []).append(producer["name"])
    return [f"{', '.join(names)}: {written}" for written, names in found.items()]


_NOT_OF_KAFKA = {"retries"}
"""Settings for which the default of an older version in the engine is not the default of Kafka. `retries`:
without idempotence, the default is 0 in the engine (CFG-1), and Integer.MAX_VALUE in Kafka since 2.1
(KIP-91)."""


def _older_defaults(scenario: Scenario) -> Iterator[dict[str, str]]:
    """Yields the settings of producers whose default was changed after the oldest version, if the scenario
    gives such a setting its old default. `last`: the last version with another default than the newest
    version has. `version`: the first version with the default of the newest version."""
    clients = list(dict.fromkeys(generation.client.name for generation in GENERATIONS.values()))
    known = [(PROFILES[name], defaults(PROFILES[name])) for name in clients]
    newest, now = known[-1]
    written = {pair for producer in scenario["producers"] for pair in producer["settings"].items()}
    for name in now:
        older = [profile for profile, usual in known if usual[name] != now[name]]
        if name not in _NOT_OF_KAFKA and older and (name, known[0][1][name]) in written:
            since = next(profile for profile, usual in known if usual[name] == now[name])
            yield {
                "setting": kafka_name(name, newest) or name,
                "value": _value(name, known[0][1][name]),
                "default": _value(name, now[name]),
                "last": older[-1].version,
                "version": since.version,
            }


def _value(name: str, value: Any) -> str:
    """Returns the value as Kafka's configuration writes it."""
    if name == "acks" and value == ACKS_ALL:
        return "all"
    return value if isinstance(value, str) else json.dumps(value)


def _shown(cell: Cell, scenario: Scenario, variant: VariantCard | None) -> Shown:
    faults = [scenario["faults"][index] for index in cell.unmet]
    unmet = tuple(
        {
            "number": index + 1,
            "api": (fault["match"] or {}).get("api"),
            "is_response": bool((fault["match"] or {}).get("response")),
        }
        for index, fault in zip(cell.unmet, faults, strict=True)
    )
    return Shown(cell, Run(scenario.id, variant, cell.ending), unmet)


@lru_cache(maxsize=400)
def _cells(digest: str, variant: str | None) -> tuple[Cell, ...]:
    version = ScenarioVersion.objects.get(digest=digest)
    return tuple(grid_of(scenario_of(version, variant)))
