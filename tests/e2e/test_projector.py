"""The presenter's view: larger words, and a picture that zooms in on what a step is about."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.e2e.looking import assert_accessible, assert_nothing_scrolls_sideways, assert_one_screen
from tests.e2e.stage import Manner, Stage

DUPLICATE = 80
"""The step of SC-03 at which the duplicate is recognised."""
_TEXT = """() => {
  const root = document.querySelector("eos-stage").shadowRoot;
  const texts = [...root.querySelectorAll("svg.scene text")].filter((text) => text.textContent.trim() !== "");
  const sizes = texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  return Math.min(...sizes);
}"""


def test_one_key_makes_the_picture_readable_from_the_back_of_a_room(browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce")
    stage = Stage(context.new_page())
    stage.open("SC-03", Manner(), step=DUPLICATE)
    page = stage.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    stage.show("middle", "stage")
    picture = page.locator("eos-stage")
    lead = page.locator("eos-said .lead")
    small, letters = page.evaluate(_TEXT), lead.bounding_box()["height"]  # type: ignore[index]
    page.keyboard.press("l")
    expect(picture).to_have_attribute("projector", "")
    expect(picture.locator(".closer")).to_contain_text("Press l to show all of it")
    # The smallest text in the picture of the mock-up is twelve units of 1280, which is 18 px on a screen of 1920 px.
    assert page.evaluate(_TEXT) >= max(1.3 * small, 18)
    assert lead.bounding_box()["height"] > letters  # type: ignore[index]
    assert_one_screen(page)
    assert_nothing_scrolls_sideways(page)
    assert_accessible(page)
    page.locator("eos-tools details.menu > summary").click()
    page.get_by_role("button", name="Presenter's view").click()
    expect(picture).not_to_have_attribute("projector", "")
    expect(picture.locator(".closer")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator("eos-help tr", has_text="Presenter's view").locator("kbd")).to_have_text("l")
    assert stage.errors == []
    context.close()
