"""A page that plays one run of the library, without a server: the engine plays it here, the page gets it as a file.

    stage = Stage(page)
    stage.open("SC-44", Manner("telephone", "dark", "zh-Hans"))
    stage.go_to(12)

What the page gets is what a session of the same scenario would give it, so a look at all of them costs seconds.
What only a server can show (a world that is changed, a lost connection) is tested with one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Request, Route

from engine.errors import Refused
from engine.explain.machines import machine_json, machines
from engine.pseudocode.documents import to_json
from engine.scenario.document import acts
from engine.scenario.shelf import entry, library
from engine.shapes.plans import Plan
from engine.simulation import Simulation
from engine.step import Step
from engine.transaction_lines import TransactionLines
from engine.view.derived import Derived
from engine.view.plan import RunPlan
from eosviz.catalogue import catalogue_file
from eosviz.launch.places import ROOT
from eosviz.security import CONTENT_SECURITY_POLICY

SIZES = {"desk": (1280, 720), "telephone": (390, 844)}
ROOMS = {**SIZES, "hall": (1920, 1080)}
"""The sizes of the page of a desktop and of a telephone, and of the screen of a lecture hall."""
THEMES = ("light", "dark")
LANGUAGES = ("en", "zh-Hans")
ADDRESS = "http://stage.invalid/"
"""This host does not exist: the test answers every request itself."""
_TYPES = {
    "js": "text/javascript",
    "css": "text/css",
    "json": "application/json",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>
<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/dist/player.css">
<script type="module" src="/dist/player.js"></script></head><body class="player-page">
<eos-player file="/run/{name}.json" step="{step}" language="{language}" catalogue-en="/words/en.json"
  catalogue-zh-hans="/words/zh-Hans.json" machines="/machines/{{machine}}.json" code="/code.json"
  rules="/rules/{{rule}}"></eos-player>
</body></html>"""

# A frame counts as drawn once its panels are drawn and fitted.
_GO_THROUGH = """async (numbers) => {
  const player = document.querySelector("eos-player");
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const number of numbers) {
    player.store.moveTo(number);
    const isThere = () => player.store.frame !== undefined && player.store.shown === number;
    for (const begun = performance.now(); performance.now() - begun < 30_000 && !isThere(); ) await drawn();
    if (!isThere()) break;
    await player.updateComplete;
    await drawn();
  }
  return player.store.shown;
}"""


View: TypeAlias = tuple[str, str | None]
"""A column of the page, and what the middle column shows."""


@dataclass(frozen=True)
class Manner:
    """The size, theme and language in which a page is shown."""

    size: str = "desk"
    theme: str = "light"
    language: str = "en"

    def __str__(self) -> str:
        return f"{self.size}-{self.theme}-{self.language}"


MANNERS: Sequence[Manner] = tuple(Manner(*words) for words in product(SIZES, THEMES, LANGUAGES))
"""All combinations, in an order in which neighbours differ as much as possible."""
MANNERS = tuple(MANNERS[place] for place in (0, 7, 1, 6, 2, 5, 3, 4))


@dataclass(frozen=True)
class Run:
    """A run from its first view to its end."""

    name: str
    """`SC-44`, or `SC-44/variant`."""
    header: dict[str, Any]
    view: dict[str, Any]
    steps: tuple[dict[str, Any], ...]
    finished: str | None

    @property
    def interesting(self) -> list[int]:
        return [step["number"] for step in self.steps if step["interesting"]]

    @property
    def richest(self) -> int:
        """The step with most to see: the first that breaks a guarantee; if none does, the first that is a refusal;
        otherwise the interesting step with a decision or, if there is none, with the most changes.
        """
        for field in ("broken", "refusal"):
            found = [step for step in self.steps if step[field]]
            if found:
                return int(found[0]["number"])
        chosen = [step for step in self.steps if step["interesting"]] or list(self.steps)
        if not chosen:
            return 0
        return int(
            max(chosen, key=lambda step: (step["decision"] is not None, len(step["changes"])))["number"]
        )

    def player_file(self) -> bytes:
        first_broken: dict[str, int] = {}
        for step in self.steps:
            for broken in step["broken"]:
                first_broken.setdefault(broken["guarantee"], step["number"])
        branch: dict[str, Any] = {
            "id": "1", "name": "a", "parent": None, "leaves_at": 0, "newest": len(self.steps),
            "finished": self.finished, "interventions": [], "first_broken": first_broken,
        }  # fmt: skip
        session = {
            "id": "1", "title": self.header["title"],
            "scenario": self.header["scenario"], "variant": self.header["variant"],
        }  # fmt: skip
        file = {
            "v": 1, "kind": "replay", "session": session, "header": self.header, "branches": [branch],
            "verified": {"state": "verified", "engine": self.header["engine"], "step": None},
            "view": self.view, "steps": {"1": self.steps}, "transactions": {"1": self._transactions()},
            "plans": {"1": self._plan()}, "derived": {"1": self._derived()},
        }  # fmt: skip
        return json.dumps(file).encode()

    def _plan(self) -> Plan:
        plan = RunPlan(self.header, self.view)
        for step in self.steps:
            plan.take(step)
        return plan.to_json()

    def _derived(self) -> dict[str, Any]:
        derived = Derived(self.view)
        return {"view": derived.view(), "steps": [derived.take(step) for step in self.steps]}

    def _transactions(self) -> dict[str, Any]:
        lines = TransactionLines(self.view)
        for step in self.steps:
            lines.take(step)
        return lines.to_json()


def names(with_variants: bool) -> list[str]:
    """Return the names of all runs in the library; without variants, one name for each scenario: its first run that
    has a step.
    """
    return [name for one in library() for name in islice(names_of(one.id), None if with_variants else 1)]


def names_of(scenario: str) -> Iterator[str]:
    """Yield the names of those runs of a scenario that have a step."""
    found = entry(scenario)
    base = [found.id] if acts(found.document) else []
    every = [*base, *(f"{found.id}/{variant}" for variant in found.variants)]
    return (name for name in every if play(name).steps)


@cache
def play(name: str) -> Run:
    """Play the run to its end. A run that is refused at its start has no steps."""
    scenario, _, variant = name.partition("/")
    try:
        simulation = Simulation(entry(scenario).scenario(variant or None))
    except Refused:
        return Run(name, {}, {}, (), None)
    header: dict[str, Any] = {**simulation.header()}
    view = simulation.view()
    steps = tuple(step.to_json() for step in iter(simulation.step, None) if isinstance(step, Step))
    return Run(name, header, view, steps, simulation.finished)


def views(run: Run, size: str, with_time: bool = True) -> Sequence[View]:
    """Return the views that together show everything: on a desktop one view for each content of the middle, on a
    telephone also one for each side column.
    """
    lanes: Sequence[View] = [("middle", "lanes")] if run.header["partitions"] else []
    between = "lanes" if lanes else "spacetime"
    time: Sequence[View] = [("middle", "spacetime")] if with_time or not lanes else []
    sides: Sequence[View] = [("left", between), ("right", between)] if size == "telephone" else []
    opens = run.header.get("opens_on", "stage") == "stage"
    stage: Sequence[View] = [("middle", "stage")] if opens else []
    return [*stage, *lanes, *sides, *time]


class Stage:
    """A page and the runs that it can play. ``errors`` collects what went wrong in the browser."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self._manner = Manner()
        page.on(
            "console",
            lambda line: self.errors.append(line.text) if line.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.route(f"{ADDRESS}**", self._answer)

    def open(self, name: str, manner: Manner = Manner(), step: int = 0) -> Run:
        """Open the run at a step, and wait until it is on show."""
        run = play(name)
        self._manner = manner
        width, height = ROOMS[manner.size]
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme="dark" if manner.theme == "dark" else "light")
        self.page.goto(f"{ADDRESS}play/{name}?step={step}")
        self.page.wait_for_selector("eos-sentence .s")
        self.go_to(step)
        return run

    def go_to(self, number: int) -> None:
        self.pass_through([number])

    def pass_through(self, numbers: Sequence[int]) -> None:
        """Show these steps one after the other, each drawn; the last one stays on show."""
        shown = self.page.evaluate(_GO_THROUGH, numbers)
        assert not numbers or shown == numbers[-1], f"step {shown} is on show on the way through {numbers}"

    def show(self, column: str, middle: str | None = None) -> None:
        """Show a tab of the page: ``column`` is `left`, `middle` or `right`; ``middle``, what the middle column
        shows, is `stage`, `lanes`, `spacetime` or `text`.
        """
        self.page.evaluate(
            """async ([column, middle]) => {
              const player = document.querySelector("eos-player");
              player.column = column;
              if (middle !== null) player.middle = middle;
              await player.updateComplete;
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""",
            [column, middle],
        )

    def _answer(self, route: Route, request: Request) -> None:
        address = urlsplit(request.url)
        kind, _, rest = address.path.lstrip("/").partition("/")
        step = parse_qs(address.query).get("step", ["0"])[0]
        if kind == "play":
            words = {
                "name": rest,
                "language": self._manner.language,
                "step": step,
            }
            headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
            route.fulfill(
                body=_PAGE.format(**words), content_type="text/html; charset=utf-8", headers=headers
            )
        elif (body := _content(kind, rest)) is None:
            route.fulfill(status=404)
        else:
            route.fulfill(body=body, content_type=_TYPES[(rest or kind).rpartition(".")[2]])


def _content(kind: str, rest: str) -> bytes | None:
    name = rest.rpartition(".")[0]
    if kind == "run":
        return play(name).player_file()
    if kind == "words":
        return catalogue_file(name)[0]
    if kind == "machines" and name in machines():
        return json.dumps(machine_json(machines()[name])).encode()
    if kind == "code.json":
        return json.dumps(to_json()).encode()
    if kind == "icon.svg":
        return (ROOT / "static" / "icon.svg").read_bytes()
    if kind == "dist" and re.fullmatch(r"player\.(js|css)|[\w-]+\.woff2|parts/[\w-]+\.js", rest):
        return (ROOT / "static" / "dist" / rest).read_bytes()
    return None
