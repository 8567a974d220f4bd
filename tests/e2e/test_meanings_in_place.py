"""Presses that once had no visible effect now have one: on a rule, a guarantee, a branch, and *Step* without a
connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.begun import begin
from tests.e2e.looking import assert_accessible
from tests.e2e.stage import Stage
from tests.e2e.test_every_page import NO_QUESTIONS
from tests.running_site import RunningSite

_COVERS = """(badge) => {
  const own = badge.getBoundingClientRect();
  return [...document.querySelectorAll(".top :is(h1, a, button, summary, .nb)")].filter((other) => {
    const { left, right, top, bottom } = other.getBoundingClientRect();
    const isOver = left < own.right && own.left < right && top < own.bottom && own.top < bottom;
    return isOver && !other.matches(".about > summary");
  }).map((other) => other.textContent);
}"""
"""Returns the texts of the bar's elements that a badge covers; on a telephone, the whole height of a title can be
pressed.
"""


@pytest.fixture
def page(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    page.goto(f"{begin(context, running_site.address, 'SC-03', 30)}?step=12")
    page.wait_for_function("() => document.querySelector('eos-player')?.store?.shown === 12")
    yield page
    context.close()


def test_a_rule_and_a_guarantee_show_their_meaning_in_place(page: Page) -> None:
    note = page.locator(".term-note")
    chip = page.locator("eos-references a.chip").first
    chip.focus()
    page.keyboard.press("Enter")
    expect(note).to_be_visible()
    expect(note.locator("b")).to_have_text(chip.inner_text())
    assert len(note.locator("p").inner_text()) > 20
    expect(note.get_by_role("link")).to_have_attribute("href", chip.get_attribute("href") or "")
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(chip).to_be_focused()
    page.get_by_role("button", name="duplicate", exact=True).click()
    expect(note).to_contain_text("more than once")
    assert len(page.context.pages) == 1


def test_an_error_and_a_consumer_show_their_meaning_in_place(stage: Stage) -> None:
    page, note = stage.page, stage.page.locator(".term-note")
    stage.open("SC-61", step=128)
    tag = page.locator("eos-stage [data-key=tag]")
    tag.focus()
    page.keyboard.press("Enter")
    expect(note.locator("b")).to_have_text("INVALID_PRODUCER_EPOCH")
    expect(note.locator("dt")).to_have_text(
        ["What was compared", "What the receiver does", "What the sender of the request does"]
    )
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(tag).to_be_focused()
    page.locator("eos-stage [data-term='term.read_committed']").first.click()
    expect(note).to_contain_text("gets the records of a transaction only after the COMMIT marker")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.locator("eos-decision button.term").click()
    expect(note).to_contain_text("INVALID_PRODUCER_EPOCH")
    page.keyboard.press("Escape")
    page.locator("eos-lanes text.term", has_text="read_uncommitted").first.click()
    expect(note).to_contain_text("every replicated record")
    assert stage.errors == []


def test_an_empty_branch_says_what_it_is_and_what_to_do(page: Page) -> None:
    page.keyboard.press("b")
    expect(page.locator(".message.hint")).to_contain_text("begins here, at step 12")
    expect(page.locator(".message.hint")).to_contain_text("Drop or delay a message, change something else")


def test_a_step_that_is_asked_for_offline_is_kept_and_says_so(page: Page) -> None:
    page.evaluate("() => document.querySelector('eos-player').store.moveTo(30)")
    page.wait_for_function("() => document.querySelector('eos-player').store.shown === 30")
    page.context.set_offline(True)
    hint = page.locator(".message.hint")
    expect(hint).to_contain_text("Your requests are kept")
    step = page.get_by_role("button", name="Step", exact=True)
    step.click()
    expect(hint).to_contain_text("Your requests (1 so far) are kept")
    hint.get_by_role("button").click()
    step.click()
    expect(hint).to_have_text(re.compile(r"\(2 so far\) are kept"))
    page.keyboard.press("ArrowDown")
    expect(hint).to_have_text(re.compile(r"\(3 so far\) are kept"))
    expect(page.locator(".message")).to_have_count(1)
    page.context.set_offline(False)
    expect(hint).to_contain_text("The connection is back")
    page.wait_for_function("() => document.querySelector('eos-player').store.shown === 33")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_a_lost_connection_is_said_where_it_covers_nothing(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.context.set_offline(True)
    badge = page.locator("eos-masthead .badge.reconnecting")
    expect(badge).to_be_in_viewport(ratio=1)
    assert badge.evaluate(_COVERS) == []
