"""The header: its menus with the keyboard and without scripts, and one line of it on a telephone."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import assert_nothing_scrolls_sideways
from tests.e2e.stage import SIZES
from tests.running_site import RunningSite

ONE_LINE = 64
"""How many px high the header may be on a telephone."""


def test_a_menu_is_opened_walked_and_left_by_keyboard(browser: Browser, running_site: RunningSite) -> None:
    page = browser.new_page()
    page.goto(f"{running_site.address}reference/")
    word = page.locator(".page-nav summary", has_text="Build")
    places = page.locator(".page-nav details", has=page.locator("summary", has_text="Build")).locator("a")
    word.focus()
    expect(places.first).to_be_hidden()
    page.keyboard.press("Enter")
    expect(places.first).to_be_visible()
    page.keyboard.press("Tab")
    expect(places.first).to_be_focused()
    page.keyboard.press("Escape")
    expect(places.first).to_be_hidden()
    expect(word).to_be_focused()
    page.keyboard.press("Enter")
    other = page.locator(".page-nav summary", has_text="Learn")
    other.click()
    expect(places.first).to_be_hidden()
    page.locator("main h1").click()
    expect(page.locator(".page-menu[open]")).to_have_count(0)
    page.close()


def test_after_a_filter_is_chosen_the_next_tab_stop_is_a_filter(
    browser: Browser, running_site: RunningSite
) -> None:
    page = browser.new_page()
    page.goto(f"{running_site.address}library/")
    page.locator("#by-topic a").nth(3).press("Enter")
    page.wait_for_url("**/library/?topic=*")
    page.keyboard.press("Tab")
    expect(page.locator("#by-topic a").first).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.close()


def test_without_scripts_the_menus_lead_everywhere(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(running_site.address)
    page.locator(".page-nav summary", has_text="Build").click()
    page.locator(".page-nav a", has_text="Sweeps").click()
    expect(page.locator("h1")).to_have_text("Sweeps")
    expect(page.locator(".page-nav summary", has_text="Build")).to_have_attribute("aria-current", "true")
    context.close()


def test_on_a_telephone_it_is_one_line_and_a_menu(browser: Browser, running_site: RunningSite) -> None:
    width, height = SIZES["telephone"]
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(f"{running_site.address}workshop/")
    box = page.locator(".page-header").bounding_box()
    assert box is not None
    assert box["height"] <= ONE_LINE
    desk = page.locator(".page-nav a, .page-nav summary")
    assert all(not one.is_visible() for one in desk.all())
    page.locator(".page-all > summary").click()
    menu = page.locator(".page-sheet")
    expect(menu.get_by_role("link", name="Sweeps")).to_be_visible()
    expect(menu.get_by_role("link", name="Sign in")).to_be_visible()
    expect(menu.get_by_role("searchbox")).to_be_visible()
    assert_nothing_scrolls_sideways(page)
    menu.get_by_role("link", name="Classes").click()
    expect(page.locator("h1")).to_have_text("Classes")
    context.close()


def test_without_scripts_a_run_is_read_as_text(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running_site.address}sessions/new?scenario=SC-03")
    page.locator("main button.primary").click()
    page.locator("noscript a.primary-link, .no-script a.primary-link").click()
    expect(page.locator("h1")).to_contain_text("SC-03")
    expect(page.locator(".run-text tbody tr").first).to_contain_text("ms")
    assert page.locator(".run-text tbody tr").count() > 100
    context.close()


def test_an_open_lesson_is_open_for_the_next_run_too(browser: Browser, running_site: RunningSite) -> None:
    page = browser.new_page()
    page.goto(f"{running_site.address}sessions/new?scenario=SC-146")
    lesson = page.locator("details.lesson-ahead").first
    page.locator(".map .scenario a").nth(1).click()
    expect(page).to_have_url(re.compile("SC-146(/|%2F)"))
    expect(lesson).not_to_have_attribute("open", "")
    lesson.locator("summary").click()
    other = page.locator(".map .scenario a").nth(2)
    expect(other).to_have_attribute("href", re.compile("lesson=open"))
    other.click()
    expect(lesson).to_have_attribute("open", "")
    page.close()


def _at_its_end(scenario: str, browser: Browser, running_site: RunningSite) -> Page:
    """Open a new session of the scenario in a new page and go to its last step."""
    page = browser.new_page()
    page.goto(f"{running_site.address}sessions/new?scenario={scenario}")
    page.locator(".opening button.primary").click()
    page.locator("eos-sentence .s").wait_for()
    page.keyboard.press("End")
    return page


def test_a_run_s_end_leads_to_all_runs_of_its_scenario(browser: Browser, running_site: RunningSite) -> None:
    page = _at_its_end("SC-145", browser, running_site)
    page.locator(".to-lesson").click()
    page.locator(".lesson-card").get_by_role("link", name="All runs of this scenario").click()
    expect(page.locator(".all-runs .scenario")).to_have_count(3)
    page.close()


def test_before_the_result_comes_the_button_that_opened_it(
    browser: Browser, running_site: RunningSite
) -> None:
    page = _at_its_end("SC-145", browser, running_site)
    opener = page.locator(".to-lesson")
    opener.press("Enter")
    card = page.locator(".lesson-card")
    expect(card).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(opener).to_be_focused()
    page.close()


def test_the_first_tab_stop_of_a_run_leads_to_its_controls(
    browser: Browser, running_site: RunningSite
) -> None:
    page = browser.new_page()
    page.goto(f"{running_site.address}sessions/new?scenario=SC-03")
    page.locator("main button.primary").click()
    expect(page.locator(".beat-go")).to_be_enabled()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the controls")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator(".beat-go")).to_be_focused()
    page.close()
