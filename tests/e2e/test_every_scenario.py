"""Every scenario of the library, played to its end in the page: no error in the console, no empty panel, no text on
another one or cut, no missing word, nothing that does not fit.

The quick tests play six scenarios without a server, from one interesting step to the next, and check the page at the
step with most to see and at the end; size, theme and language alternate, and which six changes with the code. One
scenario of a few different kinds is also played in a session, as a person does it. The slow tests play all scenarios
and every variant, at both sizes, and check the page at every interesting step.
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
"""The scenarios of the quick tests; those of the slow tests are all others."""

IN_A_SESSION = ("SC-58", "SC-83", "SC-50", "SC-44", "SC-71", "SC-75")
"""A marker board that retries, the middleware, the consume-process-produce loop, a transaction, compaction, a hanging
transaction; the quick tests take one of them.
"""
LOOKED_AT_MAX = 6
"""At how many steps of a session the page is checked, at most; the tests without a server check every scenario."""
WALK_MAX = 600
"""After so many interesting steps, a scenario counts as one that does not end."""


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
    # Without the questions, the run does not stop before its end.
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
    # At the end, which looks much like the steps before it, only the first view is checked.
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
    # The page may contain the first sentence already, but the first step is loaded after it.
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
