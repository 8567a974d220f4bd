"""Whether something would still happen in today's Kafka, with the keyboard only: from a scenario to the five
versions, to another scenario, into one of its runs, and from the player back.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import assert_nothing_scrolls_sideways
from tests.running_site import RunningSite

SIZES = {"desk": (1280, 720), "telephone": (390, 844)}


def press_on(page: Page, name: str, role: str = "button") -> None:
    """Reach the control with Tab and press it with Enter."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    for _ in range(120):
        if wanted.evaluate("element => element === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached by Tab")


@pytest.mark.parametrize("size", SIZES)
def test_would_this_still_happen(page: Page, running_site: RunningSite, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page.goto(f"{running_site.address}sessions/new?scenario=SC-61/k28")
    press_on(page, "This scenario in other generations of Kafka", "link")
    expect(page.get_by_role("heading", name="Generations of Kafka")).to_be_visible()
    expect(page.locator(".headline")).to_contain_text("It ends the same way in all 5 generations")
    expect(page.locator(".generation")).to_have_count(5)

    page.get_by_label("Scenario").select_option("SC-91/end-level-0")
    page.get_by_label("Scenario").focus()
    press_on(page, "Show")
    expect(page.locator(".turns li")).to_have_count(2)
    expect(page.locator(".turns li").first).to_contain_text("The outcome changes with Kafka 3.9")
    assert_nothing_scrolls_sideways(page)
    page.wait_for_load_state()  # with its styles
    if size == "desk":  # On a desktop, the ends of all five runs are visible without scrolling.
        ends = [one.bounding_box() for one in page.locator(".generation-ends .stamp").all()]
        assert len(ends) == 5 and all(box and box["y"] + box["height"] <= height for box in ends)

    newest = page.locator(".generation").last
    newest.get_by_role("button", name="Play this run").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/sessions/[0-9a-f-]{36}/"))
    expect(page.locator("eos-player")).to_be_visible()
    expect(page.locator("body")).to_contain_text("4.1")


def test_a_long_title_to_choose_is_no_wider_than_a_telephone(page: Page, running_site: RunningSite) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{running_site.address}generations/?scenario=SC-61/k28")
    long = "The second acknowledgement is lost and then the leader dies, " * 4
    page.evaluate(
        "title => { document.querySelector('.generations-choice option').textContent = title; }", long
    )
    assert_nothing_scrolls_sideways(page)
