"""Every scenario of the library, played to its end in the page: no console error, no panel that shows nothing, no
text on another, nothing that does not fit.

The walk goes from one interesting step to the next, as a person's would, and looks at the first ones and at the
end. Six scenarios stand for the kinds of runs; the others are slow.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.scenario.shelf import library
from tests.e2e.looking import assert_one_screen, assert_words_complete, cut_panels, text_faults
from tests.e2e.newcomer import Keyboard
from tests.e2e.test_newcomer_walk import SIZES, move
from tests.running_site import RunningSite

ALWAYS = ("SC-44", "SC-50", "SC-58", "SC-71", "SC-75", "SC-83")
"""A transaction, the loop, a marker board that retries, compaction, a hanging transaction, the middleware."""
LOOKED_AT_MAX = 14
WALK_MAX = 600
"""Interesting steps after which a scenario counts as one that does not end."""

# What a panel says stands in its shadow root; one without a word or a picture is a frame around nothing.
_EMPTY_PANELS = """() => [...document.querySelectorAll(".player .panel > :not(button)")]
  .filter((panel) => panel.offsetHeight < 8 || (panel.shadowRoot ?? panel).textContent.trim() === "")
  .map((panel) => `${panel.localName} shows nothing`)"""


def _cases() -> list[object]:
    names = sorted({entry.id for entry in library()})
    return [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow) for name in names]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    width, height = SIZES["desk"]
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="en-GB", reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


def _faults(page: Page) -> list[str]:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    step = page.locator("eos-scrubber [role=slider]").get_attribute("aria-valuenow")
    found = text_faults(page) + cut_panels(page) + list(page.evaluate(_EMPTY_PANELS))
    return [f"step {step}: {fault}" for fault in found]


@pytest.mark.parametrize("scenario", _cases())
def test_scenario_plays_to_its_end(page: Page, running_site: RunningSite, scenario: str) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(running_site.address)
    page.locator(f"#{scenario} button.primary").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    hand = Keyboard(page)
    faults = _faults(page)
    for walked in range(WALK_MAX):
        if page.locator("eos-transport .next").is_disabled() or not move(hand, "next_interesting"):
            break
        if walked < LOOKED_AT_MAX:
            faults += _faults(page)
    else:
        pytest.fail(f"{scenario} did not end within {WALK_MAX} interesting steps")
    for key in ("6", "5"):  # space-time, then the lanes
        page.keyboard.press(key)
        faults += _faults(page)
    assert page.locator("eos-transport .next").is_disabled()
    assert_words_complete(page)
    assert_one_screen(page)
    assert errors == []
    assert faults == []
