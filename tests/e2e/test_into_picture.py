"""With keys only: the focus moves into the picture, the actions there work, and the reader goes past the last step."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.begun import begin
from tests.e2e.test_every_page import NO_QUESTIONS
from tests.e2e.test_looking import at
from tests.running_site import RunningSite

ON_ITS_WAY = 28
"""A step of SC-03 at which a message is in transit."""

_FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused.getAttribute("data-key") ?? focused.className;
}"""


@pytest.fixture
def page(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion="reduce"
    )
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def run(page: Page, running_site: RunningSite) -> Page:
    page.goto(f"{begin(page.context, running_site.address, 'SC-03', 60)}?step={ON_ITS_WAY}")
    at(page, ON_ITS_WAY)
    expect(page.locator("eos-stage [role=button]").first).to_be_visible()
    return page


def focused(page: Page) -> str:
    """Return the key of the focused element of the picture; if a control outside has the focus, its class."""
    return str(page.evaluate(_FOCUSED))


def test_the_second_stop_leads_into_the_picture_and_a_lists_what_can_be_done(run: Page) -> None:
    run.keyboard.press("Tab")
    run.keyboard.press("Tab")
    expect(run.get_by_role("button", name="Skip to the picture")).to_be_in_viewport()
    run.keyboard.press("Enter")
    first = focused(run)
    assert ":" in first
    run.keyboard.press("Tab")
    other = focused(run)
    assert ":" in other and other != first
    run.keyboard.press("a")
    expect(run.locator(".action-list.floating button:focus")).to_have_count(1)
    run.keyboard.press("Escape")
    assert focused(run) == other


def test_without_a_selection_a_moves_into_the_picture(run: Page) -> None:
    run.keyboard.press("a")
    assert ":" in focused(run)
    expect(run.get_by_text("The focus is in the picture now")).to_be_visible()


def test_enter_on_the_stage_goes_into_it_and_its_ring_is_seen(run: Page) -> None:
    run.locator("main.mid").focus()
    ring = "getComputedStyle(document.querySelector('.player'), '::after').borderTopStyle"
    assert run.evaluate(ring) == "solid"
    run.keyboard.press("Enter")
    assert ":" in focused(run)


def test_escape_from_an_answer_that_a_key_opened_leads_to_what_goes_on(run: Page) -> None:
    run.keyboard.press("w")
    expect(run.locator(".why-answer")).to_be_visible()
    run.keyboard.press("Escape")
    expect(run.locator(".why-answer")).to_have_count(0)
    expect(run.locator(".transport button:focus")).to_have_count(1)


def test_behind_the_last_step_of_a_log_the_arrow_does_what_the_black_button_does(
    page: Page, running_site: RunningSite
) -> None:
    page.goto(running_site.address)
    page.get_by_role("button", name="Open a sample log").click()
    page.get_by_role("link", name=re.compile("Step through it")).first.click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("eos-transport .to-verdict")).to_contain_text("What to do")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("#todo$"))
