"""The player in an invented language (`tests/words/pseudo.py`): no English word is left on the page, visible or
folded, in a picture or in texts for screen readers.

Runs of every kind are checked without a server, two of them in the quick tests, which change with the code; and one
session, for the texts that only a session shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

import engine.messages as messages
import engine.middleware.messages as middleware_messages
from engine.broker.internal_topics import INTERNAL_TOPICS
from engine.explain.machines import machines
from engine.scenario.schema import CALLS
from engine.scenario.shelf import entry
from eosviz.catalogue import catalogue_file
from tests.e2e.stage import Manner, Run, Stage
from tests.rotation import in_turn
from tests.words.pseudo import pseudo_catalogue, untranslated

RUNS = (
    *("SC-03", "SC-16", "SC-33/k28-expired", "SC-44/k28", "SC-50", "SC-58/retry-off", "SC-66/init", "SC-71"),
    *("SC-75/wall", "SC-80/one-node", "SC-83/scheduled-retry-a", "SC-85/back-check"),
)
STEPS_MAX = 5
NAMING = ("name", "transactional_id", "group", "group_id", "topic", "id")
"""Fields of a scenario whose values are names that its author chose."""
APIS = [
    kind.api
    for module in (messages, middleware_messages)
    for kind in vars(module).values()
    if hasattr(kind, "api")
]
"""Names of requests of Kafka and of the middleware."""
NAMES = frozenset(
    {"eosviz", "Kafka", "ms", "s", "min", "B", "PID", "acks", "all", "true", "false", "null", "none"}
    | {"read_committed", "read_uncommitted", *CALLS}
    | {"a", "r", "A", "C"}
)
"""Words that stay in English: units, values of settings and calls of applications; `a`, the first branch; `r`,
records; `A` and `C`, flags of markers.
"""

# Returns all texts and attributes that are shown or read aloud; folded parts are opened first. Code and keys are left
# out.
_SAID = """() => {
  const roots = [document];
  const found = new Set();
  for (let at = 0; at < roots.length; at += 1) {
    for (const element of roots[at].querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
    for (const element of roots[at].querySelectorAll("details")) element.open = true;
  }
  for (const root of roots) {
    for (const element of root.querySelectorAll("body *, :host *, *")) {
      if (element.closest("script, style, code, kbd, pre, head, .mono, [lang]:not(html)") !== null) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"]) {
        if (element.hasAttribute(name)) found.add(element.getAttribute(name));
      }
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "") found.add(node.textContent);
      }
    }
  }
  return [...found];
}"""


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(reduced_motion="reduce")
    stage = Stage(context.new_page())
    stage.page.route("**/words/en.json", speak)
    yield stage
    context.close()


def speak(route: Route) -> None:
    route.fulfill(body=pseudo_catalogue(catalogue_file("en")[0]), content_type="application/json")


def given_names(run: Run) -> frozenset[str]:
    """Return the words of a run that are not translated: names of actors, topics, groups, ids and altered settings,
    and the engine's names of states and events.
    """
    found = {*NAMES, *APIS, *run.header["partitions"], str(run.header["variant"])}
    for machine in machines().values():
        found |= {machine.name, *machine.states, *machine.events}
    # A picture breaks the name of a state before each capital letter.
    found |= {part for state in found for part in re.findall("[A-Z][a-z]+", state)}
    found |= {partition.rpartition("-")[0] for partition in run.header["partitions"]}
    # A picture breaks the line of a long name after an underscore.
    found |= {piece for topic in INTERNAL_TOPICS for piece in re.findall("[a-z]+_", topic)}
    found |= {kafkas for _, _, kafkas in run.header["altered"].values() if kafkas}
    for path in [*run.header["altered"], *run.header["switches"]]:
        found |= {path, *path.split("."), *path.split(".")[-1].split("_")}
    return frozenset(
        found | set(names_in(run.header["actors"])) | set(names_in(entry(run.name.split("/")[0]).document))
    )


def without_states(text: str) -> str:
    """Return the text without names of states. The stage writes these in small letters and without underscores."""
    states = {state.replace("_", " ").lower() for machine in machines().values() for state in machine.states}
    longest_first = sorted(map(re.escape, states), key=len, reverse=True)
    return re.sub(rf"\b(?:{'|'.join(longest_first)})\b", "", text)


def names_in(document: Any) -> Iterator[str]:
    """Yield every value of a field that names something."""
    for inner in document.values() if isinstance(document, dict) else document:
        if isinstance(inner, dict | list):
            yield from names_in(inner)
    if isinstance(document, dict):
        yield from (str(document[field]) for field in NAMING if field in document)


@pytest.mark.parametrize("name", in_turn(RUNS, 2, "engine", "eosviz"))
def test_the_player_says_nothing_outside_the_catalogue(stage: Stage, name: str) -> None:
    run = stage.open(name, Manner())
    looked_at = sorted(
        {*run.interesting[:: max(1, len(run.interesting) // STEPS_MAX)], run.richest, len(run.steps)}
    )
    # Texts that the scenario's author wrote in both languages. The title of a beat also occurs inside sentences.
    title = run.header["title"]["en"]
    beats = [
        beat["title"]["en"]
        for beat in entry(name.partition("/")[0]).document.get("beats", ())
        if "title" in beat
    ]
    shown: set[str] = set()
    for step in looked_at:
        stage.go_to(step)
        for middle in ("stage", "lanes", "spacetime", "text"):
            stage.show("middle", middle)
            found = set(stage.page.evaluate(_SAID)) - {title, name}
            for beat in beats:
                found = {text.replace(beat, "") for text in found}
            shown |= {without_states(text) for text in found} if middle == "stage" else found
    assert untranslated(sorted(shown), given_names(run)) == []
