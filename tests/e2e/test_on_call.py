"""An engineer on call whose read_committed consumers are stuck: which transaction holds the last stable offset? The
answer must take three clicks at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.looking import assert_accessible, faults
from tests.e2e.newcomer import Keyboard
from tests.e2e.test_newcomer_walk import move
from tests.running_site import RunningSite

LOG = Path(__file__).parents[1] / "oracles" / "kafka-logs" / "h2_open" / "hangopen-0"
CLICKS_MAX = 3
MOVES_MAX = 40
PRODUCER, TRANSACTION = "p1", "txn-1"
"""The producer of the scenario that opened the transaction and then stopped, and the transaction."""


class CountedClicks:
    """A mouse that counts its clicks."""

    def __init__(self) -> None:
        self.made = 0

    def press(self, control: Locator) -> None:
        self.made += 1
        control.click()


@pytest.fixture
def stuck(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    """The player at the end of SC-75, where the consumers are stuck, as a link in an alarm would open it."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
    context.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page = context.new_page()
    page.goto(f"{running_site.address}sessions/new?scenario=SC-75/wall")
    page.locator("main form button.primary").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    for _ in range(MOVES_MAX):
        if page.locator("eos-transport .next").is_disabled() or not move(Keyboard(page), "next_interesting"):
            break
    expect(page.locator("eos-transport .next")).to_be_disabled()
    yield page
    context.close()


def test_three_clicks_lead_from_a_stuck_offset_to_the_producer_that_holds_it(stuck: Page) -> None:
    mouse = CountedClicks()
    mouse.press(stuck.get_by_role("button", name="Why is the last stable offset of t-0 here?"))
    why = stuck.get_by_role("region", name="Why?")
    chain = why.get_by_role("listitem")
    expect(chain.filter(has_text=TRANSACTION).first).to_be_visible()
    expect(chain.filter(has_text=re.compile(rf"\b{PRODUCER}\b")).first).to_be_visible()
    assert faults(stuck) == []
    assert_accessible(stuck)

    # The producer is not only named: pressing its name selects it in every picture.
    mouse.press(why.get_by_role("button", name=re.compile(rf"\b{PRODUCER}\b")).first)
    expect(stuck.locator("eos-selection-bar .selected")).to_contain_text(PRODUCER)
    assert mouse.made <= CLICKS_MAX


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["desk", "telephone"])
def test_a_remedy_is_looked_at_on_a_copy_of_the_log(
    browser: Browser, running_site: RunningSite, size: tuple[int, int]
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-GB")
    page = context.new_page()
    hand = Keyboard(page)
    page.goto(f"{running_site.address}replays/log")
    hand.give_file(page.locator("#folder"), LOG)
    hand.press(page.locator("form.upload button"))
    hand.press(page.get_by_role("link", name="Preview on a copy"))
    sentence = page.locator("eos-sentence .s")
    # The page opens at the step that shows the effect of the marker.
    expect(sentence).to_contain_text("The last stable offset of hangopen-0 would go from 2 to")
    reader = "reader-1, read_committed, of hangopen-0: 1 read. Hidden: 4: aborted."
    expect(page.locator("eos-stage .twin")).to_contain_text(reader)
    assert faults(page) == []
    assert_accessible(page)
    # The steps that show the effect come after the log's own steps and are not part of it.
    page.keyboard.press("ArrowUp")
    expect(sentence).to_contain_text("reader-1 (read_committed) stops at offset 2")
    page.keyboard.press("ArrowUp")
    expect(sentence).not_to_contain_text("reader-1")
    context.close()


def test_one_press_leads_from_a_verdict_to_the_lesson_with_its_fault_and_one_press_back(
    browser: Browser, running_site: RunningSite
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
    page = context.new_page()
    page.goto(f"{running_site.address}replays/log")
    page.get_by_role("button", name="Open a sample log").click()
    case = page.url
    page.get_by_role("button", name="See the same fault: SC-101").click()
    expect(page.locator("eos-masthead h1")).to_contain_text("Hanging transaction")
    page.locator("eos-sentence .s").wait_for()
    page.keyboard.press("ArrowDown")
    expect(page.locator("eos-transport .where")).to_contain_text("1")
    assert faults(page) == []
    page.get_by_role("link", name="Back to the log").click()
    assert page.url == case
    context.close()
