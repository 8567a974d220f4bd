"""The front page moves by itself, stops when the reader wishes, and offers three ways to begin."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from eosviz.scenarios.trailer import CHOSEN, STILL
from tests.e2e.looking import assert_accessible, assert_nothing_scrolls_sideways
from tests.running_site import RunningSite

STILL_AT = [name for name, *_ in CHOSEN].index(STILL)
LONG_MS = 30_000
"""Longer than two scenes last."""


@pytest.fixture
def door(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    page = context.new_page()
    # In the page, time passes only when the test advances the clock.
    page.clock.install()
    page.goto(running_site.address)
    yield page
    context.close()


def scene(page: Page) -> int:
    """Return the number of the sentence that is shown, from 0."""
    return int(page.locator(".trailer li").evaluate_all("all => all.findIndex((one) => one.matches('.now'))"))


def test_the_picture_moves_from_scene_to_scene_and_rests_when_asked(door: Page) -> None:
    button = door.locator(".trailer figcaption button")
    expect(button).to_have_accessible_name("Pause")
    assert scene(door) == 0
    # A scene lasts as long as its sentence takes to read.
    for _ in range(LONG_MS // 1000):
        door.clock.run_for(1000)
        if scene(door) != 0:
            break
    assert scene(door) == 1
    button.click()
    expect(button).to_have_accessible_name("Play")
    door.clock.run_for(LONG_MS)
    assert scene(door) == 1
    button.click()
    assert scene(door) == 2
    door.locator(".trailer-marks button").nth(4).click()
    expect(button).to_have_accessible_name("Play")
    assert scene(door) == 4


def test_the_last_scene_rests_before_the_first_one_comes_again(door: Page) -> None:
    last = len(CHOSEN) - 1
    door.locator(".trailer-marks button").nth(last - 1).click()
    door.locator(".trailer figcaption button").click()
    assert scene(door) == last
    door.clock.run_for(11_500)
    assert scene(door) == last
    door.clock.run_for(1000)
    assert scene(door) == 0


def test_keys_go_from_scene_to_scene(door: Page) -> None:
    door.locator(".trailer figcaption button").focus()
    door.keyboard.press("Tab")
    for expected in (1, 2):
        door.keyboard.press("ArrowRight")
        assert scene(door) == expected
    door.keyboard.press("ArrowLeft")
    expect(door.locator(".trailer-marks :focus")).to_have_accessible_name(f"Scene 2 of {len(CHOSEN)}")
    assert scene(door) == 1


def test_the_focus_is_seen_on_the_dark_card_in_both_themes(door: Page) -> None:
    for theme in ("light", "dark"):
        door.emulate_media(color_scheme=theme)
        for control in door.locator(".way.first :is(a, button)").all():
            control.focus()
            colours = control.evaluate(
                "one => [getComputedStyle(one).outlineColor, getComputedStyle(one.closest('.way')).backgroundColor]"
            )
            assert colours[0] != colours[1]


def test_less_motion_is_a_still_picture_that_moves_on_by_its_button(
    browser: Browser, running_site: RunningSite
) -> None:
    context = browser.new_context(reduced_motion="reduce", locale="en-GB")
    page = context.new_page()
    page.clock.install()
    page.goto(running_site.address)
    button = page.locator(".trailer figcaption button")
    expect(button).to_have_accessible_name("Play")
    page.clock.run_for(LONG_MS)
    assert scene(page) == STILL_AT
    button.click()
    assert scene(page) == STILL_AT + 1
    context.close()


def test_without_scripts_every_way_in_is_open(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, locale="en-GB"
    )
    page = context.new_page()
    page.goto(running_site.address)
    expect(page.locator(".trailer li.now")).to_be_visible()
    expect(page.locator(".trailer figcaption button")).to_be_hidden()
    page.get_by_role("link", name="Choose what breaks").click()
    page.get_by_role("link", name=re.compile(r"^hanging \d+$")).click()
    expect(page).to_have_url(re.compile(r"/library/\?breaks=hanging#filters$"))
    page.locator("#SC-58 h3 a").click()
    expect(page.get_by_role("button", name="Start stepping")).to_be_visible()
    page.goto(running_site.address)
    page.get_by_role("button", name="Open a sample log").click()
    expect(page.locator("h1")).to_be_visible()
    assert "/replays/" in page.url
    context.close()


def test_scenarios_are_suggested_while_a_reader_types(door: Page) -> None:
    door.keyboard.press("/")
    door.keyboard.type("zombie")
    suggested = door.locator(".suggested:visible a")
    expect(suggested.first).to_contain_text("SC-61")
    assert_accessible(door)
    door.keyboard.press("ArrowDown")
    expect(suggested.first).to_be_focused()
    door.keyboard.press("Escape")
    expect(suggested).to_have_count(0)
    door.keyboard.type(" fencing")
    expect(suggested.first).to_contain_text("SC-61")
    suggested.first.click()
    expect(door).to_have_url(re.compile(r"/sessions/new\?scenario=SC-61"))


def test_the_key_for_search_leads_from_any_page_to_what_people_type(door: Page) -> None:
    door.keyboard.press("/")
    door.keyboard.type("stuck")
    door.keyboard.press("Enter")
    expect(door).to_have_url(re.compile(r"/search/\?q=stuck$"))
    expect(door.locator("main h3").first).to_contain_text("SC-101")
    # Keys that are typed into a field must not move the selection.
    field = door.locator("main input[type=search]")
    expect(field).to_be_focused()
    assert_accessible(door)
    door.keyboard.press("ArrowDown")
    results = door.locator(".matches h3 > a")
    expect(results.first).to_be_focused()
    door.keyboard.press("ArrowDown")
    expect(results.nth(1)).to_be_focused()
    door.keyboard.press("ArrowUp")
    door.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    door.keyboard.press("End")
    door.keyboard.type("/")
    expect(field).to_have_value("stuck/")


def test_the_sample_log_names_who_holds_the_readers_up(door: Page) -> None:
    door.clock.resume()
    door.get_by_role("button", name="Open a sample log").click()
    verdict = door.locator(".verdict-card")
    expect(verdict).to_have_count(1)
    expect(verdict).to_contain_text("billing-3")
    # The verdict names the stuck transaction and the command that ends it.
    expect(verdict).to_contain_text("hanging transaction")
    expect(door.get_by_text("kafka-transactions.sh").first).to_be_attached()
    expect(door.get_by_text("--start-offset 2").first).to_be_attached()


def test_the_page_is_whole_on_a_telephone(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(running_site.address)
    assert_nothing_scrolls_sideways(page)
    expect(page.locator(".trailer-upright")).to_be_visible()
    expect(page.locator(".trailer-wide")).to_be_hidden()
    # The explanation, the picture and the first way to begin are visible without scrolling.
    for part in (".door-start", ".trailer"):
        box = page.locator(part).bounding_box()
        assert box is not None and box["y"] + box["height"] < 844
    context.close()
