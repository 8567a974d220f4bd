"""Shows a link's run as a page of text, for readers without scripts, for screen readers and for paper."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from eosviz.refusal_pages import refusal_page
from eosviz.refusals import Problem
from eosviz.replays import player_file
from eosviz.replays.embed_views import linked_file
from eosviz.walkthroughs.links import Link, read_link

STEPS_SHOWN = 200
"""A page shows at most this many steps. It has links to the pages with the others."""


class Sentence(msgspec.Struct):
    key: str
    params: dict[str, Any] = {}


class Broken(msgspec.Struct):
    guarantee: str

    @property
    def title_key(self) -> str:
        return f"player.guarantee.{self.guarantee}"


class Line(msgspec.Struct):
    """Those fields of a step that the text needs (docs/frame.md)."""

    number: int
    at: int
    actor: str
    key: str
    params: dict[str, Any] = {}
    rules: list[str] = []
    notes: list[Sentence] = []
    interesting: bool = False
    broken: list[Broken] = []


class Actor(msgspec.Struct):
    role: str


class Header(msgspec.Struct):
    title: dict[str, str]
    scenario: str
    profile: str
    actors: list[Actor]
    variant: str | None = None
    summary: dict[str, str] | None = None
    watch_for: dict[str, str] | None = None

    @property
    def version_key(self) -> str:
        """The key of the words that name the version of Kafka, or say that the run has no Kafka."""
        has_brokers = any(actor.role == "broker" for actor in self.actors)
        return f"library.profile.{self.profile}" if has_brokers else "player.no_kafka"


class Run(msgspec.Struct):
    header: Header
    steps: dict[str, list[Line]]


_RUN = msgspec.json.Decoder(Run)


@require_safe
def text(request: HttpRequest, scenario: str, version: str) -> HttpResponse:
    """The page of text that contains the link's step or, with `?from=`, the step with that number."""
    try:
        file, kept = linked_file("player", request, scenario, version)
        link = read_link(scenario, version, request.GET)
    except Problem as problem:
        return refusal_page(request, "walkthroughs/open_refused.html", problem)
    run = _RUN.decode(b"".join(player_file.unpack(bytes(file.content))))
    lines = [line for branch in run.steps.values() for line in branch]
    first = _first(request.GET.get("from", ""), link.step, len(lines))
    shown = lines[first - 1 : first - 1 + STEPS_SHOWN]
    context = {
        "run": run,
        "lines": shown,
        "link": link,
        "first": first,
        "last": first - 1 + len(shown),
        "count": len(lines),
        "pages": _pages(link, len(lines)) if len(lines) > STEPS_SHOWN else [],
        "broken": [line for line in lines if line.broken][:STEPS_SHOWN],
    }
    response = render(request, "replays/text.html", context)
    response["Cache-Control"] = "private, no-cache" if "private" in kept else "no-cache"
    return response


def _first(asked: str, step: int, count: int) -> int:
    wanted = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 8 else step
    wanted = max(1, min(wanted, count))
    return wanted - (wanted - 1) % STEPS_SHOWN


def _pages(link: Link, count: int) -> list[dict[str, Any]]:
    return [
        {
            "first": first,
            "last": min(first + STEPS_SHOWN - 1, count),
            "address": link.address("replays:text", **{"from": str(first)}),
        }
        for first in range(1, count + 1, STEPS_SHOWN)
    ]
