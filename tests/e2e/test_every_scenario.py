"""Every scenario of the library, played to its end in the page: no console error, no panel that shows nothing, no
text on another or cut, no word missing, nothing that does not fit.

Six of them without a server, from one interesting step to the next, with a close look where there is most to see
and one at the end; size, theme and language take turns, and which six changes with the code. A few, each
another kind of run, once more as a person does it, in a session. Slow: all of them, and every variant, at both sizes,
looked at closely at every interesting step.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.scenario.shelf import library
from tests.e2e.looking import assert_one_screen, faults
from tests.e2e.newcomer import Keyboard
from tests.e2e.stage import MANNERS, SIZES, Manner, Run, Stage, names_of, views
from tests.e2e.test_newcomer_walk import move
from tests.rotation import in_turn, part
from tests.running_site import RunningSite

SCENARIOS = [document.id for document in library()]
LOOKED_AT = part(SCENARIOS, 6, "engine", "eosviz")
"""The scenarios of the quick tests; the others are slow tests."""

IN_A_SESSION = ("SC-58", "SC-83", "SC-50", "SC-44", "SC-71", "SC-75")
"""A marker board that retries, the middleware, the loop, a transaction, compaction, a hanging transaction; the quick
tests take one of them."""
LOOKED_AT_MAX = 6
"""Steps of a walk in a session; without one every scenario is looked at."""
WALK_MAX = 600
"""Interesting steps after which a scenario counts as one that does not end."""


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    yield Stage(context.new_page())
    context.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    width, height = SIZES["desk"]
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="en-GB", reduced_motion="reduce"
    )
    page = context.new_page()
    # A walk to the end does not stop to be asked what will happen.
    page.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    yield page
    context.close()


def _looked_at(stage: Stage, run: Run, manner: Manner, step: int, looks: int | None = None) -> list[str]:
    found: list[str] = []
    for column, middle in views(run, manner.size)[:looks]:
        stage.show(column, middle)
        found += [f"step {step}, {middle or column}, {manner}: {fault}" for fault in faults(stage.page)]
    stage.show(*views(run, manner.size)[0])
    return found


@pytest.mark.parametrize(
    "scenario",
    [name if name in LOOKED_AT else pytest.param(name, marks=pytest.mark.slow) for name in SCENARIOS],
)
def test_every_scenario_shows_well(stage: Stage, scenario: str) -> None:
    stage.errors.clear()
    manner = MANNERS[SCENARIOS.index(scenario) % len(MANNERS)]
    name = next(names_of(scenario))
    run = stage.open(name, manner)
    steps = list(dict.fromkeys(chain(run.interesting, [len(run.steps)])))
    until = steps.index(run.richest) if run.richest in steps else 0
    stage.pass_through(steps[:until])
    stage.go_to(run.richest)
    found = _looked_at(stage, run, manner, run.richest)
    stage.pass_through(steps[until:])
    # Of the end, which looks much like the steps before it, the first view alone.
    found += _looked_at(stage, run, manner, len(run.steps), looks=1)
    assert stage.errors == []
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_variant_shows_well_at_every_turn(stage: Stage, scenario: str, size: str) -> None:
    stage.errors.clear()
    manners = [manner for manner in MANNERS if manner.size == size]
    found = []
    for place, name in enumerate(names_of(scenario), start=SCENARIOS.index(scenario)):
        manner = manners[place % len(manners)]
        run = stage.open(name, manner)
        for step in dict.fromkeys(chain(run.interesting, [len(run.steps)])):
            stage.go_to(step)
            found += [f"{name} {fault}" for fault in _looked_at(stage, run, manner, step)]
    assert stage.errors == []
    assert found == []


@pytest.mark.parametrize("scenario", in_turn(IN_A_SESSION, 1, "engine", "eosviz"))
def test_scenario_plays_to_its_end(page: Page, running_site: RunningSite, scenario: str) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{running_site.address}library/")
    page.locator(f"#{scenario} button.primary").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    # The first sentence may come with the page, its first step comes after it.
    page.wait_for_function(
        "() => [...document.querySelectorAll('.player .panel > *')].some((shown) => shown.frame !== undefined)"
    )
    hand = Keyboard(page)
    found = faults(page)
    for walked in range(WALK_MAX):
        if page.locator("eos-transport .next").is_disabled() or not move(hand, "next_interesting"):
            break
        if walked < LOOKED_AT_MAX:
            found += faults(page)
    else:
        pytest.fail(f"{scenario} did not end within {WALK_MAX} interesting steps")
    for key in ("0", "i", "6", "0"):  # the stage, the lanes, space-time, and the stage again
        page.keyboard.press(key)
        found += faults(page)
    assert page.locator("eos-transport .next").is_disabled()
    assert_one_screen(page)
    assert errors == []
    assert found == []
