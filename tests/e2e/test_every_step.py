"""Eleven runs, step by step, on a telephone in both languages, on a desktop and on a lecture hall's screen: no text
is cut or lies on another one, under a message or under a tag; no tag lies across the edge of a component, no message
on another one, and nothing is too wide.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.looking import BEYOND, text_faults
from tests.e2e.stage import LANGUAGES, Manner, Stage

RUNS = (
    "SC-02",
    "SC-03",
    "SC-16",
    "SC-28",
    "SC-31",
    "SC-44",
    "SC-54",
    "SC-61/k28",
    "SC-62",
    "SC-75/wall",
    "SC-80",
)
MANNERS = (*(Manner("telephone", "light", language) for language in LANGUAGES), Manner(), Manner("hall"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(reduced_motion="reduce", has_touch=True)
    yield Stage(context.new_page())
    context.close()


@pytest.mark.parametrize("manner", MANNERS, ids=str)
@pytest.mark.parametrize("name", RUNS)
def test_every_step_is_readable(stage: Stage, name: str, manner: Manner) -> None:
    stage.errors.clear()
    run = stage.open(name, manner)
    stage.show("middle", "stage")
    found = []
    for step in range(1, len(run.steps) + 1):
        stage.go_to(step)
        found += [f"step {step}: {fault}" for fault in text_faults(stage.page)]
        if (beyond := stage.page.evaluate(BEYOND)) > 0:
            found.append(f"step {step}: the page is {beyond} px too wide")
    assert found == []
    assert stage.errors == []
